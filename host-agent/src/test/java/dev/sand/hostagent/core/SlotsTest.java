package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Slots that come, are recovered, and go. */
class SlotsTest {
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST));

    private void lose(String executionId) {
        shop.on(new Input.SlotLost(shop.slotOf(executionId), EPOCH));
    }

    private static InvocationRequest request(String id, long timeoutMs) {
        return new InvocationRequest(id, "shop", 1, "buy", json("1"), timeoutMs, false, null);
    }

    @Test
    void aRequestForAnothersSlotIsToldSoAtOnce() {
        shop.withoutSlots().invoke("e1", "buy", false);
        assertThat(shop.actions).hasSize(1);
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
        assertThat(shop.answer().failure().retryable()).isTrue();
    }

    @Test
    void aRequestIsHeldUntilTheJournalsOfItsSlotHaveBeenRead() {
        int slot = shop.withoutSlots().slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, 3));
        assertThat(shop.invoke("e1", "buy", false)).isEmpty();
        shop.on(new Input.SlotReady(slot, 3));
        assertThat(shop.of(Action.LoadApplication.class)).hasSize(1);
        assertThat(shop.core().openExecutions()).isEqualTo(1);
    }

    @Test
    void theDeadlineOfAHeldRequestRuns() {
        int slot = shop.withoutSlots().slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, 3));
        shop.invoke(request("e1", 50));
        shop.after(50);
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.answer().failure().cause()).contains("journals of slot " + slot);
        assertThat(shop.answer().failure().details()).as("an earlier owner may have run it").containsEntry(Failure.MAY_HAVE_RUN, true);
        shop.on(new Input.SlotReady(slot, 3));
        assertThat(shop.actions).isEmpty();
    }

    @Test
    void aHeldRequestThatTheJournalHasIsThatExecution() {
        int slot = shop.withoutSlots().slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, 3));
        shop.invoke("e1", "buy", false);
        shop.on(new Input.Recover(request("e1", 10_000), List.of()));
        shop.on(new Input.SlotReady(slot, 3));
        shop.on(new Input.ApplicationLoaded(CoreFixture.APP, shop.version(), null));
        shop.on(new Input.Journaled("e1", 1, null));
        shop.on(new Input.SandboxStarted(CoreFixture.APP, shop.only(Action.StartSandbox.class).sandbox(), false));
        shop.settle();
        shop.finish(shop.running("e1"), "9");
        shop.on(new Input.Journaled("e1", 2, null));
        assertThat(text(shop.answer().output())).isEqualTo("9");
    }

    /** The host has lost the slot since, and has it again: another one may have ended it in between. */
    @Test
    void whatWasReadUnderAnEarlierEpochDoesNotCount() {
        int slot = shop.withoutSlots().slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, 3));
        shop.on(new Input.SlotLost(slot, 3));
        Input recover = new Input.Recover(request("e1", 10_000), List.of());
        shop.on(new Input.Taken(slot, 3, recover));
        shop.on(new Input.SlotAcquired(slot, 5));
        shop.on(new Input.Taken(slot, 3, recover));
        assertThat(shop.core().openExecutions()).isZero();
        shop.on(new Input.Taken(slot, 5, recover));
        assertThat(shop.core().openExecutions()).isEqualTo(1);
    }

    @Test
    void aHeldRequestThatHasEndedIsSentToItsRecord() {
        int slot = shop.withoutSlots().slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, 3));
        shop.invoke("e1", "buy", true);
        shop.on(new Input.AlreadyEnded("e1", () -> { }));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
        shop.on(new Input.SlotReady(slot, 3));
        assertThat(shop.actions).isEmpty();
        shop.invoke("e1", "buy", true);
        assertThat(shop.answer().failure().cause()).contains("record");
    }

    @Test
    void soManyRequestsAreHeldAndNotMore() {
        CoreConfiguration d = CoreConfiguration.DEFAULT;
        shop.with(new CoreConfiguration(d.maxExecutions(), d.maxHeldBytes(), 2, d.maxOpenSteps(), d.maxHops(), 1, d.rememberedBytes(),
                d.coldApplications(), d.runsPerEvent(), d.runsInAll(), d.startsInARow(), d.forkFailuresInARow(), d.backOffNs(), d.maxBackOffNs(),
                d.workerStartNs(), d.spawnNs(), d.killGraceNs(), d.endGraceNs(), d.deathCauseNs(), d.lateFiguresNs(),
                d.refillDelayNs(), d.poolReviewNs(), d.renewNs(), d.idleInstanceBytes(), 1, 1, d.maxAway(), d.maxGuests(),
                d.rememberedGuests(), d.placementWaitNs(), d.sendPatienceNs(), d.returnPatienceNs(), d.processors(), d.messageHoldNs(),
                d.togetherNs(), d.journaledBytes(), d.retryNs()));
        shop.withoutSlots();
        shop.on(new Input.SlotAcquired(0, 3));
        shop.invoke("e1", "buy", false);
        shop.invoke("e2", "buy", false);
        assertThat(shop.answer().failure().details()).containsEntry("limit", 1L).containsEntry("actual", 2L);
        shop.on(new Input.SlotReady(0, 3));
        shop.invoke("e3", "buy", false);
        assertThat(shop.core().openExecutions()).isEqualTo(2);
    }

    @Test
    void withItsSlotAnExecutionEndsWithoutEffect() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Running running = shop.running("e1");
        lose("e1");
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.MOVED);
        assertThat(shop.of(Action.Kill.class)).hasSize(1);
        assertThat(shop.of(Action.Journal.class)).isEmpty();
        assertThat(shop.of(Action.Record.class)).isEmpty();
        shop.finish(running, "late");
        assertThat(shop.of(Action.Dropped.class)).hasSize(1);
        assertThat(shop.core().counters().late).isOne();
        shop.exited(running, 0, 9);
        shop.after(5_000);
        assertThat(shop.of(Action.Record.class)).as("figures of what was lost are not recorded").isEmpty();
    }

    @Test
    void anotherSlotsExecutionsGoOn() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.invoke("e2", "buy", false);
        assertThat(shop.slotOf("e1")).isNotEqualTo(shop.slotOf("e2"));
        lose("e2");
        shop.finish(shop.running("e1"), "1");
        assertThat(shop.answer().status()).isEqualTo(Status.SUCCEEDED);
    }

    @Test
    void aResultIsNotRememberedFromOneOwnershipToTheNext() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.finish(shop.running("e1"), "1");
        lose("e1");
        int slot = shop.slotOf("e1");
        shop.on(new Input.SlotAcquired(slot, EPOCH + 2));
        shop.on(new Input.SlotReady(slot, EPOCH + 2));
        shop.after(5);
        shop.settle();
        shop.invoke("e1", "buy", false);
        assertThat(shop.of(Action.Respond.class)).isEmpty();
        assertThat(shop.of(Action.HandOver.class)).hasSize(1);
    }

    @Test
    void staleWordsOfASlotAreDropped() {
        shop.on(new Input.SlotLost(0, EPOCH - 1));
        shop.on(new Input.SlotReady(0, EPOCH));
        shop.on(new Input.SlotAcquired(0, EPOCH));
        shop.on(new Input.SlotAcquired(99, 1));
        assertThat(shop.all).hasSize(4).hasOnlyElementsOfType(Action.Dropped.class);
        assertThat(shop.core().context().slots.epoch(0)).isEqualTo(EPOCH);
    }

    @Test
    void whatItWritesCarriesSlotAndEpoch() {
        shop.warm();
        shop.invoke("e1", "buy", true);
        Action.Journal accepted = shop.only(Action.Journal.class);
        assertThat(accepted.slot()).isEqualTo(shop.slotOf("e1"));
        assertThat(accepted.epoch()).isEqualTo(EPOCH);
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(shop.only(Action.Accepted.class).epoch()).isEqualTo(EPOCH);
        assertThat(shop.only(Action.Record.class).epoch()).isEqualTo(EPOCH);
    }

    @Test
    void aSynchronousRequestIsConfirmedOnceItsBackupIsThere() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        Action.Journal accepted = shop.only(Action.Journal.class);
        assertThat(accepted.await()).isEqualTo(Action.Await.IF_WRITTEN);
        shop.on(new Input.Journaled("e1", 0, null));
        assertThat(shop.actions).hasSize(1).hasOnlyElementsOfType(Action.Accepted.class);
    }
}
