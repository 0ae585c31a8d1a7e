package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecordCodecTest extends InvocationStoreFixture {
    private static final InvocationRecord IN_NONE = record("app", 1, Status.SUCCEEDED, "g");
    private static final InvocationRecord IN_ONE = record("app", 2, Status.SUCCEEDED, "g").inProcess("w1");

    @Test
    void aRecordSaysInWhichProcessItsExecutionRan() {
        assertThat(read(RecordCodec.encode(IN_ONE))).isEqualTo("w1");
        assertThat(read(RecordCodec.encode(IN_NONE))).isNull();
        assertThat(read(Codec.encode(IN_NONE))).as("as older versions write it").isNull();
    }

    private static String read(byte[] stored) {
        return RecordCodec.decode(stored).process();
    }

    @Test
    void anOlderVersionReadsARecordWithoutIt() {
        byte[] stored = RecordCodec.encode(IN_ONE);
        assertThat(new String(stored, StandardCharsets.UTF_8)).endsWith("}{\"process\":\"w1\"}");
        assertThat(Codec.decode(stored, InvocationRecord.class)).as("as older versions read it")
                .usingRecursiveComparison().isEqualTo(IN_ONE.inProcess(null));
    }

    @Test
    void whatANewerVersionAddsIsPassedOver() {
        String stored = new String(RecordCodec.encode(IN_ONE), StandardCharsets.UTF_8);
        assertThat(read(stored.replace("\"w1\"}", "\"w1\",\"later\":{\"n\":1}}{}").getBytes(StandardCharsets.UTF_8))).isEqualTo("w1");
    }

    @Test
    void thoseOfOneProcessAreListed() {
        invocations.record(IN_NONE, null);
        invocations.record(IN_ONE, null);
        invocations.record(RecordTrimming.withOutput(record("app", 3, Status.FAILED, "g").inProcess("w1"), null), null);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.list("app", new Filter(null, null, "w1"), null, 10).records()).extracting(InvocationRecord::executionId)
                .containsExactly(id(3), id(2));
        assertThat(invocations.get("app", id(2)).orElseThrow().process()).isEqualTo("w1");
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).hasSize(3);
    }
}
