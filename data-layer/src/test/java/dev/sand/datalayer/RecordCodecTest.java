package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordCodecTest extends InvocationStoreFixture {
    private static final InvocationRecord IN_NONE = record("app", 1, Status.SUCCEEDED, "g");
    private static final Payload LARGE = new Payload(Payload.OCTETS, new byte[Limits.INLINE_BYTES], null);
    private static final InvocationRecord IN_ONE = record("app", 2, Status.SUCCEEDED, "g").inProcess("w1");

    @Test
    void aRecordSaysInWhichProcessItsExecutionRan() {
        assertThat(read(RecordCodec.encode(IN_ONE, false))).isEqualTo("w1");
        assertThat(read(RecordCodec.encode(IN_NONE, false))).isNull();
        assertThat(read(Codec.encode(IN_NONE))).as("as older versions write it").isNull();
    }

    private static String read(byte[] stored) {
        return RecordCodec.decode(stored).process();
    }

    @Test
    void anOlderVersionReadsARecordWithoutIt() {
        byte[] stored = RecordCodec.encode(IN_ONE, false);
        assertThat(new String(stored, StandardCharsets.UTF_8)).endsWith("}{\"process\":\"w1\"}");
        assertThat(Codec.decode(stored, InvocationRecord.class)).as("as older versions read it")
                .usingRecursiveComparison().isEqualTo(IN_ONE.inProcess(null));
    }

    @Test
    void whatANewerVersionAddsIsPassedOver() {
        String stored = new String(RecordCodec.encode(IN_ONE, false), StandardCharsets.UTF_8);
        assertThat(read(stored.replace("\"w1\"}", "\"w1\",\"later\":{\"n\":1}}{}").getBytes(StandardCharsets.UTF_8))).isEqualTo("w1");
    }

    static Stream<Payload> values() {
        byte[] braces = new byte[4000];
        Arrays.fill(braces, (byte) '{');
        return Stream.of(null, Payload.nullJson(), new Payload(Payload.OCTETS, new byte[1023], null),
                new Payload(Payload.OCTETS, new byte[1024], null), new Payload("text/plain; a=\"\\n\"", braces, null), Payload.json(braces).notKept());
    }

    @ParameterizedTest
    @MethodSource("values")
    void valuesMayBeBehindItAsTheyAre(Payload value) {
        for (InvocationRecord one : List.of(IN_ONE, IN_NONE)) {
            for (InvocationRecord record : List.of(one.with(value, LARGE), one.with(LARGE, value), one.with(value, value))) {
                byte[] stored = RecordCodec.encode(record, true);
                assertThat(RecordCodec.decode(stored)).usingRecursiveComparison().isEqualTo(record);
                assertThat(stored).hasSizeLessThanOrEqualTo(RecordCodec.encode(record, false).length + 150);
            }
        }
    }

    /** The bytes that are in stores by now: docs/DATA.md. */
    @Test
    void theyAreBehindALineFeedBehindWhatWasAdded() {
        Payload value = new Payload("text/plain", "v".repeat(1024).getBytes(StandardCharsets.UTF_8), null);
        String json = new String(Codec.encode(IN_NONE.with(null, null)), StandardCharsets.UTF_8);
        String behind = "{\"contentType\":\"text/plain\",\"reference\":{\"object\":\"behind\",\"size\":1024}}";
        String stored = json.replace("\"SUCCEEDED\",", "\"SUCCEEDED\",\"output\":" + behind + ",") + "{\"process\":\"w1\"}\n" + "v".repeat(1024);
        InvocationRecord record = IN_NONE.with(null, value).inProcess("w1");
        assertThat(RecordCodec.decode(stored.getBytes(StandardCharsets.UTF_8))).usingRecursiveComparison().isEqualTo(record);
        assertThat(new String(RecordCodec.encode(record, true), StandardCharsets.UTF_8)).isEqualTo(stored);
    }

    @Test
    void anOlderVersionReadsThatTheyAreNotThere() {
        InvocationRecord read = Codec.decode(RecordCodec.encode(IN_NONE.with(LARGE, LARGE), true), InvocationRecord.class);
        assertThat(List.of(read.input(), read.output())).allSatisfy(each -> {
            assertThat(each.bytes()).isNull();
            assertThat(each.size()).isEqualTo(LARGE.size());
        });
    }

    @Test
    void aRecordThatWasCutOffIsNotRead() {
        byte[] stored = RecordCodec.encode(IN_NONE.with(LARGE, LARGE), true);
        assertThatThrownBy(() -> RecordCodec.decode(Arrays.copyOf(stored, stored.length - 1))).hasMessageContaining("other values behind it");
    }

    @Test
    void onlyWhereNoOtherProgramReadsAreTheyBehindIt() {
        byte[] alone = stored(new ForwardingStore() {
            @Override
            public boolean isOfOneProgram() {
                return true;
            }
        });
        byte[] shared = stored(new ForwardingStore());
        assertThat(alone).hasSizeLessThan((int) LARGE.size() + 1000);
        assertThat(shared).hasSizeGreaterThan((int) LARGE.size() * 4 / 3);
    }

    private static byte[] stored(GlobalStore store) {
        try (InvocationStore records = new InvocationStore(store, InvocationStore.Options.DEFAULT)) {
            records.announce(IN_NONE.with(LARGE, null));
            String scope = new ScopeParts(Slots.DEFAULT).of("app", IN_NONE.executionId());
            return store.get("invocations", scope, IN_NONE.executionId()).orElseThrow().value();
        }
    }

    @Test
    void thoseOfOneProcessAreListed() {
        invocations.record(IN_NONE, null);
        invocations.record(IN_ONE, null);
        invocations.record(ended(record("app", 3, Status.FAILED, "g").inProcess("w1"), null), null);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.list("app", new Filter(null, null, "w1"), null, 10).records()).extracting(InvocationRecord::executionId)
                .containsExactly(id(3), id(2));
        assertThat(invocations.get("app", id(2)).orElseThrow().process()).isEqualTo("w1");
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).hasSize(3);
    }
}
