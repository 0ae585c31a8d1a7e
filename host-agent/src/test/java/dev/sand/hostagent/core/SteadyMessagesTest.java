package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.MS;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec.Function;
import dev.sand.event.ProcessSpec.Trigger;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.StoredImages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Processes that are moved by hand while others send to them all the time: ten messages a second, and an image takes 300 ms. */
class SteadyMessagesTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("batch", new Function(Trigger.BATCH, 100, 3_000, false)));
    private static final int HOME = Slots.of("p", SLOTS);
    private static final int AWAY = (HOME + 1) % SLOTS;
    private static final int IMAGE_MS = 300;
    /** By number, what the sender of each was told; absent: it waits. */
    private final List<Failure> refused = new ArrayList<>();
    private final List<String> callers = new ArrayList<>();
    private int taken;
    private int sent;
    private int imageMs = IMAGE_MS;
    private long writtenAtNs;
    private Action.WriteImage writing;

    SteadyMessagesTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("batch", 10, 100, Isolation.REQUEST)).warm());
        on(new Input.SlotLost(AWAY, EPOCH));
        finish(running("p"), write("a", "1"));
        shop.writesImages = false;
    }

    @Override
    List<Action> on(Input input) {
        List<Action> actions = super.on(input);
        see(actions);
        return actions;
    }

    private void see(List<Action> actions) {
        for (Action action : actions) {
            switch (action) {
                case Action.AnswerDelivery answer -> answer.listener().accept(answer.failure());
                case Action.Respond respond -> respond.listener().onEnd(respond.result());
                case Action.Record record when record.awaited() -> on(new Input.Recorded(record.record().executionId(), null));
                case Action.WriteImage write when write.process().equals("p") -> {
                    writing = write;
                    writtenAtNs = shop.nowNs + imageMs * MS;
                }
                default -> { }
            }
        }
    }

    private void message(String key) {
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", sent++, "far", "p", key, json("8"), 0), failure -> {
            if (failure == null) {
                taken++;
            } else {
                refused.add(failure);
            }
        }));
    }

    private void steadily(String key, int ms) {
        for (int i = 0; i < ms / 100; i++) {
            message(key);
            pass(100);
        }
    }

    /** What runs ends at once, but for what waits. */
    private void pass(int ms) {
        for (long until = shop.nowNs + ms * MS; shop.nowNs < until;) {
            List<Action> actions = shop.after(10);
            deliver(actions);
            see(actions);
            if (writing != null && shop.nowNs >= writtenAtNs) {
                Action.WriteImage write = writing;
                writing = null;
                StoredImages.put(shop.images, "p", write.image());
                on(new Input.ImageWritten(write, null));
            }
            shop.settle();
        }
    }

    private void invoke() {
        String id = Slots.placed(Ids.encode(2_000, callers.size() + 1, 0), HOME, SLOTS);
        on(new Input.Invoke(new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 100_000, false, null).inProcess("p"),
                new InvocationListener() {
                    @Override
                    public void onAccepted() {}

                    @Override
                    public void onEnd(InvocationResult result) {
                        callers.add(result.failure().error() + " " + ProcessPlace.slotOf(result.failure()));
                    }
                }));
    }

    @Test
    void itGoesAndWhoCallsItIsToldWhere() {
        steadily("k", 500);
        List<Object> answers = migrate("p", AWAY);
        invoke();
        steadily("k", 1_000);
        assertThat(answers).singleElement().isInstanceOf(ProcessView.class);
        assertThat(callers).containsExactly(Errors.MOVED + " " + AWAY);
    }

    @Test
    void eachMessageIsInItsImageInTheirOrderOrItsSenderIsToldToGoThere() {
        List<Object> answers = migrate("p", AWAY);
        steadily("k", 2_000);
        assertThat(answers).hasSize(1);
        assertThat(shop.images.get("p").messages()).hasSize(taken).isSortedAccordingTo((one, other) -> Long.compare(one.order(), other.order()));
        assertThat(refused).hasSize(sent - taken).allSatisfy(failure -> assertThat(failure.retryable()).isTrue())
                .last().satisfies(failure -> assertThat(ProcessPlace.slotOf(failure)).isEqualTo(AWAY));
    }

    /** An image that takes longer than senders may be made to wait is behind the messages again. */
    @Test
    void whereItCannotGoCallersDoNotWaitTheWholeTimeAndAreToldWhy() {
        imageMs = 12_000;
        List<Object> answers = migrate("p", AWAY);
        steadily("k", 20_000);
        assertThat(answers).isEmpty();
        int before = taken;
        steadily("k", 5_000);
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.cause())
                .contains("is idle, and messages come to it all the time: its image was not written within the 10 s"));
        assertThat(taken).as("messages come again").isGreaterThan(before);
        assertThat(refused).isEmpty();
        invoke("p");
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).running()).isOne();
    }

    /** @param ms for which the function runs that they invoke */
    private void steadilyInvoking(String function, int ms, List<Object> answers) {
        Map<String, Long> begun = new LinkedHashMap<>();
        for (int i = 0; i < 100 && answers.isEmpty(); i++) {
            message("invoke:" + function + ":k");
            pass(100);
            joins.forEach(join -> on(new Input.Joined(join, json("[]"))));
            joins.clear();
            pass(20);
            shop.settled.stream().filter(Action.HandOver.class::isInstance).map(Action.HandOver.class::cast)
                    .filter(over -> over.process() != null && over.process().startsWith("p/")).toList().forEach(over -> {
                        long endsNs = begun.computeIfAbsent(over.eventId(), added -> shop.nowNs + ms * MS);
                        if (shop.nowNs >= endsNs) {
                            begun.put(over.eventId(), Long.MAX_VALUE);
                            Running running = new Running(over.app(), over.instance(), over.eventId(), over.attempt());
                            finish(running);
                            on(new Input.InstanceExited(running.app(), running.instance(), 0, 0, 5, 6, null));
                        }
                    });
        }
    }

    /** By each message, and it has not ended when the next one comes. */
    @Test
    void whatMessagesInvokeKeepsItNoLongerThanItRuns() {
        steadily("invoke:g:k", 300);
        List<Object> answers = migrate("p", AWAY);
        steadilyInvoking("g", 400, answers);
        assertThat(answers).singleElement().isInstanceOf(ProcessView.class);
    }

    @Test
    void aTimeOutOfATriggerIsAwaitedWhileNoMoreComes() {
        steadily("invoke:batch:k", 300);
        List<Object> answers = migrate("p", AWAY);
        steadilyInvoking("batch", 400, answers);
        assertThat(answers).singleElement().isInstanceOf(ProcessView.class);
    }

    /** A function that runs in it may wait for one. */
    @Test
    void messagesComeWhileAFunctionRunsThatWasThere() {
        Running running = running("p");
        migrate("p", AWAY);
        ask(running, new ProcessCall.Receive(null, "k", 30_000));
        pass(3_000);
        message("k");
        assertThat(told).singleElement().isInstanceOf(Answer.Received.class);
    }

    @Test
    void aJournalThatTakesNothingIsWhyItStaysAndNobodyWaitsForThat() {
        Running running = running("p");
        List<Object> answers = migrate("p", AWAY);
        invoke();
        shop.takesChanges = false;
        finish(running, write("b", "2"));
        pass(1_900);
        assertThat(answers).isEmpty();
        shop.journalAway = "no room for journal.db";
        pass(2_100);
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(failure.cause()).contains("no room for journal.db");
        });
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).running()).as("who waited runs").isEqualTo(2);
    }

    @Test
    void whoHadItLeaveIsToldThatTheJournalDoesNotSaySoYet() {
        List<Object> answers = migrate("p", AWAY);
        shop.takesChanges = false;
        pass(500);
        assertThat(isHere("p")).isFalse();
        shop.journalAway = "no room for journal.db";
        pass(2_500);
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.cause()).contains("goes once that is in the journal", "no room for journal.db");
            assertThat(failure.retryable()).as("it is asked for already").isFalse();
        });
    }
}
