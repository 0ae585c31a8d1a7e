package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.MeasuredBus.Call;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MeasuredBusTest extends GlobalBusContract {
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    @Override
    GlobalBus open() {
        return new MeasuredBus(new MemoryBus(BACKLOG_BYTES, RECORD_BYTES, executor));
    }

    @AfterEach
    void stop() {
        executor.shutdown();
    }

    @Test
    void everyCallIsPassedOnEvenOneThatHasADefault() {
        assertThat(GlobalBus.class.getDeclaredMethods()).filteredOn(method -> !method.isSynthetic()).allSatisfy(method ->
                assertThat(Arrays.stream(MeasuredBus.class.getDeclaredMethods()).filter(own -> same(own, method))).hasSize(1));
    }

    private static boolean same(Method one, Method other) {
        return one.getName().equals(other.getName()) && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
    }

    @Test
    void thatItHasNoRoomIsTold() {
        try (MeasuredBus bus = new MeasuredBus(new MemoryBus(2, Integer.MAX_VALUE, Runnable::run))) {
            bus.createTopic("t", 1);
            assertThat(bus.full()).isNull();
            bus.append("t", 0, new byte[3], AppendFuture.completing(new CompletableFuture<>()));
            assertThat(bus.full()).contains("full");
        }
    }

    @Test
    void whatIsDurableAndWhatFailsIsCountedWithItsReason() {
        try (MeasuredBus bus = new MeasuredBus(new MemoryBus())) {
            bus.createTopic("t", 1);
            CompletableFuture<Long> there = new CompletableFuture<>();
            bus.append("t", 0, new byte[3], AppendFuture.completing(there));
            there.join();
            CompletableFuture<Long> nowhere = new CompletableFuture<>();
            bus.appendInBackground("nothing", 0, new byte[3], AppendFuture.completing(nowhere));
            assertThatThrownBy(nowhere::join).hasRootCauseInstanceOf(BusException.class);
            assertThatThrownBy(() -> bus.endOffset("nothing", 0)).isInstanceOf(BusException.class);
            MeasuredBus.Figures figures = bus.figures();
            assertThat(figures.appends().count()).isEqualTo(1);
            assertThat(figures.failures().get(Call.APPEND)).containsEntry(Kind.UNKNOWN_TOPIC, 1L).containsEntry(Kind.AWAY, 0L);
            assertThat(figures.failures().get(Call.READ)).containsEntry(Kind.UNKNOWN_TOPIC, 1L);
            assertThat(figures.failures().get(Call.TOPICS).values()).containsOnly(0L);
        }
    }
}
