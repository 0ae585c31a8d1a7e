package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Outputs of invocations: beside their records when they are large, and no longer than there is room. */
@Tag("slow")
class InvocationOutputsTest extends InvocationStoreFixture {
    @Test
    void valuesTooLargeForARecordLeaveTheirSize() {
        InvocationRecord large = new InvocationRecord((short) 1, id(1), "app", 1, "g", Status.SUCCEEDED,
                new Payload("image/png", new byte[100_000], null), Payload.nullJson(), null, 1, 2, 3, 4, List.of());
        invocations.record(large, null);
        InvocationRecord kept = invocations.get("app", id(1)).orElseThrow();
        assertThat(kept.input()).isEqualTo(new Payload("image/png", null, new Payload.Reference("truncated", 100_000)));
        assertThat(kept.output().bytes()).isEqualTo(Payload.nullJson().bytes());
    }

    @Test
    void aLargeOutputIsKeptBesideItsRecord() throws IOException {
        InvocationRecord record = withOutput(1, 200_000);
        invocations.record(record, null);
        assertThat(invocations.output(invocations.get("app", id(1)).orElseThrow()).orElseThrow().size()).isEqualTo(200_000);
        InvocationRecord listed = invocations.list("app", Filter.ALL, null, 10).records().getFirst();
        assertThat(listed.output().bytes()).as("not in the record itself").isNull();
        assertThat(listed.output().size()).isEqualTo(200_000);
        Payload output = invocations.output(listed).orElseThrow().payload();
        assertThat(output.contentType()).isEqualTo("image/png");
        assertThat(output.bytes()).isEqualTo(record.output().bytes());
        invocations.deleteApplication("app");
        assertThat(invocations.output(listed)).isEmpty();
    }

    @Test
    void theOldestLargeOutputsGoFirst() {
        for (int i = 1; i <= 3; i++) {
            invocations.record(withOutput(i, 200_000), null);
        }
        List<InvocationRecord> records = invocations.list("app", Filter.ALL, null, 10).records();
        assertThat(records).hasSize(3);
        assertThat(invocations.output(records.get(1))).as("two fit").isPresent();
        assertThat(invocations.output(records.getLast())).as("the oldest").isEmpty();
        assertThat(InvocationStore.wasKept(records.getLast())).isTrue();
    }

    @Test
    void anOutputOverTheLimitLeavesItsSize() {
        invocations.record(withOutput(1, 500_001), null);
        InvocationRecord kept = invocations.get("app", id(1)).orElseThrow();
        assertThat(kept.output().size()).isEqualTo(500_001);
        assertThat(invocations.output(kept)).isEmpty();
        assertThat(InvocationStore.wasKept(kept)).isFalse();
        assertThatThrownBy(() -> invocations.keepOutput("app", id(2), "image/png", 500_001, out -> {}))
                .isInstanceOf(StoreException.class).hasMessageContaining("500001").hasMessageContaining("500000");
    }

    @Test
    void anOutputCanBeKeptInAStreamBeforeItsRecord() throws IOException {
        byte[] bytes = new byte[400_000];
        bytes[399_999] = 7;
        Payload output = invocations.keepOutput("app", id(1), "image/png", bytes.length, out -> out.write(bytes));
        invocations.keepOutput("app", id(1), "image/png", bytes.length, out -> {
            throw new IOException("not asked for twice");
        });
        invocations.record(ended(record("app", 1, Status.SUCCEEDED, "g"), output), null);
        InvocationRecord listed = invocations.list("app", Filter.ALL, null, 10).records().getFirst();
        assertThat(invocations.output(listed).orElseThrow().payload()).usingRecursiveComparison()
                .isEqualTo(new Payload("image/png", bytes, null));
    }

    @Test
    void valuesOfAnExecutionAreKeptByTheirNamesAndMakeRoomForNewerOnes() throws IOException {
        byte[] bytes = new byte[300_000];
        bytes[299_999] = 7;
        invocations.keepValue("app", id(1), "2.1", Payload.JSON, bytes.length, out -> out.write(bytes));
        assertThat(invocations.value("app", id(1), "2.1", Payload.JSON, bytes.length).orElseThrow().payload().bytes()).isEqualTo(bytes);
        assertThat(invocations.value("app", id(1), "2", Payload.JSON, bytes.length)).isEmpty();
        assertThat(invocations.value("app", id(2), "2.1", Payload.JSON, bytes.length)).isEmpty();
        invocations.keepValue("app", id(2), "0", Payload.JSON, bytes.length, out -> out.write(bytes));
        assertThat(invocations.value("app", id(2), "0", Payload.JSON, bytes.length)).isPresent();
        assertThat(invocations.value("app", id(1), "2.1", Payload.JSON, bytes.length)).as("500,000 bytes are kept").isEmpty();
    }

    @Test
    void anOutputThatIsGivenTwiceAtOnceIsWrittenOnce() throws Exception {
        byte[] bytes = new byte[200_000];
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Payload> first = threads.submit(() -> invocations.keepOutput("app", id(1), "image/png", bytes.length, out -> {
                begun.countDown();
                assertThat(uninterrupted(goOn)).isTrue();
                out.write(bytes);
            }));
            begun.await();
            Future<Payload> again = threads.submit(() -> invocations.keepOutput("app", id(1), "image/png", bytes.length, out -> {
                throw new IOException("not asked for twice");
            }));
            goOn.countDown();
            assertThat(again.get()).isEqualTo(first.get());
        }
    }

    /** Whoever reads what the faster one kept reads on when the slower one is done. */
    @Test
    void anOutputThatTwoHostsKeepStaysTheFirstOnes() throws IOException {
        byte[] bytes = new byte[200_000];
        try (InvocationStore other = open(Duration.ofMillis(1), 100, 1000)) {
            invocations.keepOutput("app", id(1), "image/png", bytes.length, out -> {
                other.keepOutput("app", id(1), "image/png", bytes.length, to -> to.write(bytes));
                out.write(bytes);
            });
            List<String> pieces = store.keys("kept-outputs-pieces", "app", "", null, 10);
            Payload output = new Payload("image/png", null, new Payload.Reference(id(1) + "/" + bytes.length, bytes.length));
            InvocationRecord ended = ended(record("app", 1, Status.SUCCEEDED, "g"), output);
            assertThat(invocations.output(ended).orElseThrow().payload().bytes()).isEqualTo(bytes);
            assertThat(pieces).as("the slower one's pieces are gone").hasSize(1);
        }
    }
}
