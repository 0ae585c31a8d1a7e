package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.QueueMessage;
import dev.sand.hostagent.triggers.QueueAction.Bury;
import dev.sand.hostagent.triggers.QueueAction.Deliver;
import dev.sand.hostagent.triggers.QueueAction.Flow;
import dev.sand.hostagent.triggers.QueueAction.Progressed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QueueRunTest {
    private static final Failure BROKEN = Failure.grain("ValueError", "broken", null);
    private final List<QueueAction> actions = new ArrayList<>();
    private QueueRun run = run(10, 1, 1, 0, 2);

    private QueueRun run(int concurrency, int groupConcurrency, int batch, long lingerMs, int retries) {
        actions.clear();
        QueueRun made = new QueueRun(new QueueSpec("q", "grain", concurrency, groupConcurrency, batch, lingerMs, retries, 1_000,
                10_000, 1_000, 100, null));
        made.onOwned(0, Progress.NONE, 0);
        return made;
    }

    private static Batch.Held message(long offset, String group) {
        return new Batch.Held(offset, QueueMessage.of("m" + offset, group, Payload.nullJson(), 0));
    }

    private void messages(long nowMs, Batch.Held... messages) {
        actions.addAll(run.onMessages(0, List.of(messages), nowMs));
    }

    /** The offsets of what is to be delivered since the last call, a list an invocation. */
    private List<List<Long>> delivered() {
        return batches().stream().map(QueueRunTest::offsets).toList();
    }

    private List<Batch> batches() {
        List<Batch> batches = actions.stream().filter(Deliver.class::isInstance).map(action -> ((Deliver) action).batch()).toList();
        actions.removeIf(Deliver.class::isInstance);
        return batches;
    }

    private static List<Long> offsets(Batch batch) {
        return batch.messages().stream().map(Batch.Held::offset).toList();
    }

    @Test
    void messagesOfAGroupGoOneAfterTheOtherWhileOtherGroupsGoOn() {
        messages(0, message(0, "a"), message(1, "a"), message(2, "b"));
        List<Batch> first = batches();
        assertThat(first).extracting(QueueRunTest::offsets).containsExactly(List.of(0L), List.of(2L));
        actions.addAll(run.onEnded(first.get(1), null, "x", 1));
        assertThat(delivered()).isEmpty();
        actions.addAll(run.onEnded(first.get(0), null, "x", 2));
        assertThat(delivered()).containsExactly(List.of(1L));
    }

    @Test
    void messagesWithoutAGroupGoAtOnceUpToTheConcurrency() {
        run = run(2, 1, 1, 0, 2);
        messages(0, message(0, null), message(1, null), message(2, null));
        List<Batch> first = batches();
        assertThat(first).hasSize(2);
        actions.addAll(run.onEnded(first.get(0), null, "x", 1));
        assertThat(delivered()).containsExactly(List.of(2L));
    }

    @Test
    void aFailedMessageHoldsItsGroupUntilItsPauseIsOverAndThenGoesAgain() {
        messages(0, message(0, "a"), message(1, "a"));
        actions.addAll(run.onEnded(batches().getFirst(), BROKEN, "x", 100));
        assertThat(delivered()).isEmpty();
        assertThat(run.nextDueMs()).isEqualTo(1_100);
        actions.addAll(run.onTick(1_099));
        assertThat(delivered()).isEmpty();
        actions.addAll(run.onTick(1_100));
        Batch again = batches().getFirst();
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(offsets(again)).containsExactly(0L);
        assertThat(run.progress(0).attempts()).containsEntry(0L, 1);
        actions.addAll(run.onEnded(again, null, "x", 2_000));
        assertThat(delivered()).containsExactly(List.of(1L));
        assertThat(run.progress(0)).isEqualTo(new Progress((short) 1, 1, List.of(), Map.of()));
    }

    @Test
    void afterTheLastAttemptItIsBuriedAndOnlyThenSettled() {
        run = run(10, 1, 1, 0, 1);
        messages(0, message(0, "a"), message(1, "a"));
        actions.addAll(run.onEnded(batches().getFirst(), BROKEN, "x", 0));
        actions.addAll(run.onTick(1_000));
        Batch second = batches().getFirst();
        actions.addAll(run.onEnded(second, BROKEN, "y", 1_001));
        assertThat(actions).contains(new Bury(second, BROKEN, "y"));
        assertThat(delivered()).isEmpty();
        assertThat(run.progress(0).low()).isZero();
        actions.addAll(run.onBuried(second, 1_002));
        assertThat(delivered()).containsExactly(List.of(1L));
        assertThat(run.progress(0).low()).isEqualTo(1);
    }

    @Test
    void whatThePlatformRefusesIsNoAttempt() {
        messages(0, message(0, "a"));
        for (int i = 0; i < 10; i++) {
            Batch batch = batches().getFirst();
            assertThat(batch.attempt()).isEqualTo(1);
            actions.addAll(run.onRefused(batch, i * 1_000L));
            actions.addAll(run.onTick((i + 1) * 1_000L));
        }
    }

    @Test
    void aBatchGoesWhenItIsFullOrHasLingered() {
        run = run(10, 1, 3, 200, 2);
        messages(0, message(0, "a"), message(1, "a"));
        assertThat(delivered()).isEmpty();
        assertThat(run.nextDueMs()).isEqualTo(200);
        messages(50, message(2, "a"), message(3, "a"));
        Batch full = batches().getFirst();
        assertThat(offsets(full)).containsExactly(0L, 1L, 2L);
        actions.addAll(run.onEnded(full, null, "x", 60));
        assertThat(delivered()).isEmpty();
        assertThat(run.nextDueMs()).isEqualTo(250);
        actions.addAll(run.onTick(250));
        assertThat(delivered()).containsExactly(List.of(3L));
    }

    @Test
    void progressNamesWhatIsSettledAboveWhatIsNot() {
        messages(0, message(0, "a"), message(1, "b"), message(2, "c"), message(3, "d"));
        List<Batch> all = batches();
        actions.addAll(run.onEnded(all.get(1), null, "x", 1));
        actions.addAll(run.onEnded(all.get(2), null, "x", 1));
        assertThat(run.progress(0).low()).isZero();
        assertThat(run.progress(0).settled()).containsExactly(1L, 2L);
        QueueRun next = new QueueRun(run.spec());
        next.onOwned(0, run.progress(0), 4);
        List<QueueAction> taken = next.onMessages(0, IntStream.range(0, 4).mapToObj(i -> message(i, "g" + i)).toList(), 5);
        assertThat(taken).filteredOn(Deliver.class::isInstance).extracting(action -> offsets(((Deliver) action).batch()))
                .containsExactly(List.of(0L), List.of(3L));
        assertThat(taken).filteredOn(Deliver.class::isInstance).allMatch(action -> ((Deliver) action).batch().recovered());
    }

    @Test
    void theSameMessageSentTwiceIsDeliveredOnce() {
        Batch.Held twice = new Batch.Held(1, message(0, "a").message());
        messages(0, message(0, "a"), twice);
        actions.addAll(run.onEnded(batches().getFirst(), null, "x", 1));
        assertThat(delivered()).isEmpty();
        assertThat(run.progress(0).low()).isEqualTo(2);
    }

    @Test
    void aPartitionThatHoldsTooMuchStopsTheFlowUntilHalfIsDone() {
        run = run(1, 1, 1, 0, 2);
        Batch.Held[] many = IntStream.range(0, QueueRun.MOST_HELD).mapToObj(i -> message(i, "a")).toArray(Batch.Held[]::new);
        messages(0, many);
        assertThat(actions).contains(new Flow(0, false));
        for (int i = 0; i < QueueRun.MOST_HELD / 2; i++) {
            assertThat(actions).doesNotContain(new Flow(0, true));
            actions.addAll(run.onEnded(batches().getFirst(), null, "x", 1));
        }
        assertThat(actions).contains(new Flow(0, true));
    }

    @Test
    void aLostPartitionGivesItsPlacesBackAndWhatWasUnderWayCountsNoMore() {
        run = run(2, 1, 1, 0, 2);
        run.onOwned(1, Progress.NONE, 0);
        messages(0, message(0, "a"), message(1, "b"), message(2, "c"));
        List<Batch> under = batches();
        actions.addAll(run.onEnded(under.get(0), BROKEN, "x", 0));
        run.onLost(0);
        actions.addAll(run.onEnded(under.get(1), null, "x", 1));
        actions.addAll(run.onTick(100_000));
        assertThat(delivered()).noneMatch(offsets -> offsets.contains(0L));
        actions.clear();
        actions.addAll(run.onMessages(1, List.of(message(7, "a"), message(8, "b"), message(9, "c")), 2));
        assertThat(delivered()).hasSize(2);
        assertThat(actions).doesNotContain(new Progressed(0));
    }

    @Test
    void anErrorOfThePlatformsOwnIsAFailureLikeAnyOther() {
        run = run(10, 1, 1, 0, 0);
        messages(0, message(0, null));
        Batch batch = batches().getFirst();
        Failure failure = Failure.platform(Errors.SANDBOX_FAILED, "no sandbox", true);
        actions.addAll(run.onEnded(batch, failure, "x", 0));
        assertThat(actions).contains(new Bury(batch, failure, "x"));
    }

    @Test
    void withLingerForeverAGroupWaitsForAllOfItsMessagesAndNoOther() {
        run = run(10, 1, 2, QueueSpec.FOREVER_MS, 2);
        messages(0, message(0, null), message(1, null), message(2, null));
        assertThat(delivered()).as("these are of no group").containsExactly(List.of(0L, 1L), List.of(2L));
        messages(0, message(3, "x"), message(4, "y"));
        actions.addAll(run.onTick(1L << 45));
        assertThat(delivered()).isEmpty();
        assertThat(run.nextDueMs()).isEqualTo(Long.MAX_VALUE);
        messages(0, message(5, "y"), message(6, "y"), message(7, "x"));
        assertThat(delivered()).containsExactlyInAnyOrder(List.of(3L, 7L), List.of(4L, 5L));
    }

    @Test
    void aPartitionThatIsFullOfGroupsThatWaitGoesOn() {
        run = run(10, 1, 2, QueueSpec.FOREVER_MS, 2);
        messages(0, IntStream.range(0, QueueRun.MOST_HELD).mapToObj(n -> message(n, "g" + n)).toArray(Batch.Held[]::new));
        assertThat(actions).contains(new Flow(0, false));
        List<Batch> first = batches();
        assertThat(first.stream().map(QueueRunTest::offsets)).as("the oldest, with what is there").containsExactly(List.of(0L));
        assertThat(run.onTick(10)).as("one at a time").isEmpty();
        actions.addAll(run.onEnded(first.getFirst(), null, "e", 10));
        assertThat(delivered()).as("until there is room again").containsExactly(List.of(1L));
    }
}
