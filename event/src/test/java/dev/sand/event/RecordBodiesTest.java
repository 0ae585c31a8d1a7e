package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordBodiesTest {
    private static final Payload SMALL = new Payload(Payload.OCTETS, new byte[1023], null);
    private static final Payload FIRST = new Payload(Payload.OCTETS, filled('a', 1024), null);
    private static final Payload SECOND = new Payload(Payload.NPY, filled('\n', 2000), null);
    private static final byte[] JSON = "{}".getBytes(StandardCharsets.UTF_8);

    private static byte[] filled(char with, int size) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    private static Payload behind(long size) {
        return new Payload(Payload.OCTETS, null, new Payload.Reference("behind", size));
    }

    @Test
    void valuesAreBehindTheJsonAsTheyAreInTheirOrder() {
        RecordBodies bodies = new RecordBodies();
        List<Payload> put = Arrays.asList(bodies.put(FIRST), bodies.put(SMALL), bodies.put(null), bodies.put(SECOND));
        byte[] record = bodies.behind(JSON);
        assertThat(new String(record, StandardCharsets.UTF_8)).isEqualTo("{}\n" + "a".repeat(1024) + "\n".repeat(2000));
        assertThat(put.get(1)).isSameAs(SMALL);
        assertThat(put.get(2)).isNull();
        RecordBodies.Taken taken = RecordBodies.of(record, put);
        assertThat(put.stream().map(taken::take)).usingRecursiveFieldByFieldElementComparator().containsExactly(FIRST, SMALL, null, SECOND);
    }

    @Test
    void aRecordWithoutAnyIsItsJson() {
        RecordBodies bodies = new RecordBodies();
        assertThat(RecordBodies.areIn(Arrays.asList(bodies.put(SMALL), bodies.put(null), SMALL.notKept()))).isFalse();
        assertThat(bodies.isEmpty()).isTrue();
        assertThat(bodies.behind(JSON)).isSameAs(JSON);
    }

    @Test
    void whatIsNotThereIsNotTaken() {
        byte[] record = ("{}\n" + "a".repeat(10)).getBytes(StandardCharsets.UTF_8);
        assertThat(RecordBodies.of(record, List.of(behind(10))).take(behind(10)).bytes()).isEqualTo(filled('a', 10));
        for (List<Payload> others : List.of(List.of(behind(9)), List.of(behind(11)), List.of(behind(13)), List.of(behind(Long.MAX_VALUE)),
                List.of(behind(-5), behind(15)), List.of(behind(Long.MAX_VALUE), behind(Long.MAX_VALUE), behind(12)))) {
            assertThatThrownBy(() -> RecordBodies.of(record, others)).isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("other values behind it");
        }
    }
}
