package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.MeasuredStore.Call;
import dev.sand.datalayer.StoreException.Kind;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MeasuredStoreTest extends GlobalStoreContract {
    @Override
    GlobalStore open() {
        return new MeasuredStore(new MemoryStore());
    }

    @Test
    void everyCallIsPassedOnEvenOneThatHasADefault() {
        assertThat(GlobalStore.class.getDeclaredMethods()).filteredOn(method -> !method.isSynthetic()).allSatisfy(wanted ->
                assertThat(Arrays.stream(MeasuredStore.class.getDeclaredMethods()).filter(method -> same(method, wanted))).hasSize(1));
    }

    private static boolean same(Method one, Method other) {
        return one.getName().equals(other.getName()) && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
    }

    @Test
    void thatItHasNoRoomIsTold() {
        ForwardingStore full = new ForwardingStore() {
            @Override
            public void deleteScope(String table, String scope) {
                throw new StoreException(Kind.FULL, "no room", 0, null);
            }
        };
        try (MeasuredStore measured = new MeasuredStore(full)) {
            assertThat(measured.full()).isNull();
            assertThatThrownBy(() -> measured.deleteScope("t", "app")).isInstanceOf(StoreException.class);
            assertThat(measured.full()).isEqualTo("no room");
        }
    }

    @Test
    void whatIsAnsweredIsTimedAndWhatFailsIsCountedWithItsReason() {
        ForwardingStore away = new ForwardingStore() {
            @Override
            public Optional<Versioned> get(String table, String scope, String key) {
                throw new StoreException(Kind.AWAY, "it does not answer", 0, null);
            }
        };
        try (MeasuredStore measured = new MeasuredStore(away)) {
            measured.put("t", "app", "k", new byte[1], GlobalStore.ANY);
            assertThatThrownBy(() -> measured.put("t", "app", "k", new byte[1], GlobalStore.ABSENT))
                    .isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> measured.get("t", "app", "k")).isInstanceOf(StoreException.class);
            measured.scan("t", "app", "", null, 1);
            MeasuredStore.Figures figures = measured.figures();
            assertThat(figures.calls().get(Call.WRITE).count()).as("a conflict is an answer").isEqualTo(2);
            assertThat(figures.calls().get(Call.SCAN).count()).isEqualTo(1);
            assertThat(figures.calls().get(Call.READ).count()).isZero();
            assertThat(figures.failures().get(Call.READ)).containsEntry(Kind.AWAY, 1L).doesNotContainKey(Kind.CONFLICT);
            assertThat(figures.failures().get(Call.WRITE).values()).containsOnly(0L);
        }
    }
}
