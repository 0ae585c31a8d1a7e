package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.card;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Placement;
import dev.sand.workflow.AslExecution;
import dev.sand.workflow.GrainExecution;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A global bus that takes no events for other hosts, or says nothing: what may run here does, and the rest waits for it. */
class SilentBusTest {
    private static final long PATIENCE_MS = CoreConfiguration.DEFAULT.sendPatienceNs() / 1_000_000;
    private static final long SILENCE_MS = CoreConfiguration.DEFAULT.returnPatienceNs() / 1_000_000;
    private static final Failure AWAY = Failure.platform(Errors.UNAVAILABLE, "the bus is away", true);

    private final CoreFixture shop = new CoreFixture()
            .with(grain("buy", 4, 10, Isolation.REQUEST))
            .with(grain("draw", 4, 10, Isolation.REQUEST)).placed("draw", new Placement(Set.of(), Set.of("gpu")));

    private RemoteEvent send(String id, String target) {
        shop.invoke(request(id, target));
        return shop.only(Action.SendAway.class).event();
    }

    private static InvocationRequest request(String id, String target) {
        return new InvocationRequest(id, "shop", 1, target, json("1"), 60_000, false, null);
    }

    private void busyHere() {
        shop.warm();
        shop.hosts(card("here", 4), card("there", 0, "gpu"));
    }

    private static RemoteResult finished(RemoteEvent event, String output) {
        return new RemoteResult(event, "there", json(output), List.of(), null, false, null);
    }

    private static RemoteResult lost(RemoteEvent event) {
        return new RemoteResult(event, "there", null, List.of(), Failure.platform(Errors.SANDBOX_FAILED, "no room", true), true, null);
    }

    @Test
    void whatIsNotConfirmedIsTakenBackAndRunsHere() {
        busyHere();
        RemoteEvent event = send("e1", "buy");
        shop.after(PATIENCE_MS - 1);
        assertThat(shop.running("e1")).isNull();
        shop.after(1);
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        assertThat(shop.core().context().placing.sending().awayCount()).isZero();
        assertThat(shop.core().counters().takenBack).isEqualTo(1);
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        shop.on(new Input.Returned(finished(event, "there")));
        assertThat(shop.of(Action.Respond.class)).as("the first attempt, that ran too").isEmpty();
        shop.finish(shop.running("e1"), "5");
        assertThat(text(shop.answer().output())).isEqualTo("5");
        shop.on(new Input.Returned(finished(event, "there")));
        assertThat(shop.of(Action.Respond.class)).isEmpty();
    }

    @Test
    void whatIsConfirmedIsWaitedFor() {
        busyHere();
        RemoteEvent event = send("e1", "buy");
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        for (int i = 0; i < 50; i++) {
            shop.after(1_000);
            shop.hosts(card("here", 4), card("there", 0, "gpu"));
        }
        assertThat(shop.running("e1")).isNull();
        shop.on(new Input.Returned(finished(event, "5")));
        assertThat(text(shop.answer().output())).isEqualTo("5");
    }

    @Test
    void relaxedWhatAnotherHostHasRunsHereTooOnceNothingIsHeardOfAnyHost() {
        busyHere();
        RemoteEvent event = send("e1", "buy");
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        shop.after(5_000);
        shop.hosts(card("here", 4), card("there", 0, "gpu"));
        shop.after(SILENCE_MS - 1);
        assertThat(shop.running("e1")).isNull();
        shop.after(1);
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        shop.on(new Input.Returned(finished(event, "there")));
        assertThat(shop.of(Action.Respond.class)).as("its first attempt ends there, late").isEmpty();
        shop.finish(shop.running("e1"), "5");
        assertThat(text(shop.answer().output())).isEqualTo("5");
    }

    @Test
    void whatMayNotRunHereStaysWithItsHost() {
        busyHere();
        RemoteEvent event = send("e1", "draw");
        shop.on(new Input.SentAway("e1", "e1/draw", 1, null));
        shop.after(3 * SILENCE_MS);
        assertThat(shop.running("e1")).isNull();
        assertThat(shop.of(Action.SendAway.class)).isEmpty();
        shop.on(new Input.Returned(finished(event, "5")));
        assertThat(text(shop.answer().output())).isEqualTo("5");
    }

    @Test
    void whileTheBusIsSilentEventsStayHereAndOneNowAndThenTries() {
        busyHere();
        send("e1", "buy");
        shop.on(new Input.SentAway("e1", "e1/buy", 1, AWAY));
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        shop.invoke("e2", "buy", false);
        assertThat(shop.of(Action.SendAway.class)).isEmpty();
        assertThat(shop.running("e2").attempt()).as("it was never sent").isEqualTo(1);
        shop.after(PATIENCE_MS);
        send("e3", "buy");
        shop.invoke("e4", "buy", false);
        assertThat(shop.of(Action.SendAway.class)).as("one tries").isEmpty();
        shop.on(new Input.SentAway("e3", "e3/buy", 1, null));
        send("e5", "buy");
        send("e6", "buy");
    }

    @Test
    void aLateConfirmationOpensTheWayAgain() {
        busyHere();
        send("e1", "buy");
        shop.after(PATIENCE_MS);
        shop.invoke("e2", "buy", false);
        assertThat(shop.of(Action.SendAway.class)).isEmpty();
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        send("e3", "buy");
    }

    @Test
    void whatMayNotRunHereIsNotTakenBackAndWaitsForTheBusUntilItsDeadline() {
        busyHere();
        send("e1", "draw");
        shop.after(2 * PATIENCE_MS);
        assertThat(shop.actions).isEmpty();
        shop.on(new Input.SentAway("e1", "e1/draw", 1, AWAY));
        for (int attempt = 2; attempt < 40; attempt++) {
            shop.after(1_000);
            assertThat(shop.only(Action.SendAway.class).event().attempt()).as("longer than a host is looked for").isEqualTo(attempt);
            shop.on(new Input.SentAway("e1", "e1/draw", attempt, AWAY));
        }
        shop.after(1_000);
        shop.on(new Input.SentAway("e1", "e1/draw", 40, null));
        assertThat(shop.core().openExecutions()).isEqualTo(1);
    }

    @Test
    void itsDeadlineNamesTheBus() {
        busyHere();
        send("e1", "draw");
        for (int attempt = 1; shop.of(Action.Respond.class).isEmpty(); attempt++) {
            shop.on(new Input.SentAway("e1", "e1/draw", attempt, AWAY));
            shop.after(1_000);
        }
        assertThat(shop.answer().status()).isEqualTo(Status.TIMED_OUT);
        assertThat(shop.answer().failure().cause()).contains("step draw waits to be sent to another host", "the bus is away");
    }

    @Test
    void aHostThatCannotBeSentToIsNotTheBussFault() {
        busyHere();
        send("e1", "buy");
        shop.on(new Input.SentAway("e1", "e1/buy", 1, Failure.platform(Errors.UNAVAILABLE, "it owns no slot", false)));
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        send("e2", "buy");
    }

    @Test
    void relaxedALostEventRunsAgainThoughThatIsNotConfirmed() {
        busyHere();
        RemoteEvent event = send("e1", "buy");
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        shop.on(new Input.Returned(lost(event)));
        Action.Journal noted = shop.only(Action.Journal.class);
        shop.after(PATIENCE_MS - 1);
        assertThat(shop.running("e1")).isNull();
        shop.after(1);
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
        shop.on(new Input.Journaled("e1", noted.sequence(), null));
        shop.after(1);
        assertThat(shop.of(Action.HandOver.class)).as("confirmed late").isEmpty();
        shop.finish(shop.running("e1"), "5");
        assertThat(text(shop.answer().output())).isEqualTo("5");
    }

    /** Whose steps may be called back, and which is strict for that. */
    private RemoteEvent sendStrict() {
        shop.withWorkflow("main", AslExecution.CALLBACK, (version, target, id, startedMs) -> new GrainExecution("buy"));
        busyHere();
        shop.invoke(request("e1", "main"));
        shop.on(new Input.Journaled("e1", 0, null));
        RemoteEvent event = shop.only(Action.SendAway.class).event();
        shop.on(new Input.SentAway("e1", "e1/buy", 1, null));
        return event;
    }

    @Test
    void strictItWaitsForThat() {
        shop.on(new Input.Returned(lost(sendStrict())));
        Action.Journal noted = shop.only(Action.Journal.class);
        shop.after(5 * PATIENCE_MS);
        assertThat(shop.running("e1")).isNull();
        shop.on(new Input.Journaled("e1", noted.sequence(), null));
        shop.after(1);
        assertThat(shop.running("e1").attempt()).isEqualTo(2);
    }

    @Test
    void strictItWaitsForWhatAnotherHostHas() {
        RemoteEvent event = sendStrict();
        shop.after(3 * SILENCE_MS);
        assertThat(shop.running("e1")).isNull();
        shop.on(new Input.Returned(finished(event, "5")));
        assertThat(shop.only(Action.Journal.class).backup()).isInstanceOf(Action.Backup.Finished.class);
    }
}
