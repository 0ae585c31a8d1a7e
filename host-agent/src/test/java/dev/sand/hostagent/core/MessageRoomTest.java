package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages that invoke functions are taken when there is room for the invocation, and none is lost where there is little. */
class MessageRoomTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(1, 1, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of(
            "pair", new ProcessSpec.Function(ProcessSpec.Trigger.BATCH, 2, 0, false)));
    private static final int PAIRS = 5;

    MessageRoomTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("pair", 10, 1, Isolation.REQUEST))
                .with(grain("one", 1, 1, Isolation.REQUEST)).warm());
    }

    private void send(Running by, String function, int count) {
        for (int i = 0; i < count; i++) {
            call(by, new ProcessCall.Send(i, "q", "invoke:" + function + ":x", json("" + i), 0));
        }
    }

    /** Executions that were handed over, in order, each ended well when it runs. */
    private List<String> played() {
        List<String> handed = new ArrayList<>();
        int joined = 0;
        for (int round = 0; round < 40; round++) {
            while (joined < joins.size()) {
                on(new Input.Joined(joins.get(joined++), json("[]")));
            }
            shop.settle();
            for (Action action : List.copyOf(shop.settled)) {
                if (action instanceof Action.HandOver over && over.process() != null && over.process().startsWith("q")
                        && !handed.contains(over.executionId())) {
                    handed.add(over.executionId());
                    finish(shop.running(over.executionId()));
                }
            }
            shop.after(200);
            deliver();
        }
        return handed;
    }

    @Test
    void ofBatchesThatAreWholeOnlySoManyAreTakenAsHaveRoom() {
        String busy = invoke("q");
        send(running("p"), "pair", 2 * PAIRS);
        assertThat(joins).as("one may wait while one runs").hasSize(1);
        finish(shop.running(busy));
        assertThat(played()).contains(busy).hasSize(1 + PAIRS);
    }

    /** Found by the simulation, with two hosts: it ran in the next process of that id too, which had not taken its message (seed 2755). */
    @Test
    void whatAMessageHasMadeEndsWithItsProcess() {
        finish(running("q"));
        String first = invoke("r", "one");
        String second = invoke("s", "one");
        assertThat(shop.running(first)).isNotNull();
        send(running("p"), "one", 1);
        assertThat(command("q", Kind.KILL)).isNotNull();
        shop.after(500);
        deliver();
        finish(shop.running(first));
        shop.settle();
        finish(shop.running(second));
        assertThat(played()).as("who was there before").hasSize(1);
        assertThat(isHere("q")).isFalse();
    }

    @Test
    void aMessageThatWasTakenWaitsForItsFunctionsQueue() {
        finish(running("q"));
        String first = invoke("r", "one");
        String second = invoke("s", "one");
        assertThat(shop.running(first)).isNotNull();
        assertThat(shop.running(second)).as("it has filled the queue").isNull();
        send(running("p"), "one", 3);
        shop.after(500);
        deliver();
        finish(shop.running(first));
        shop.settle();
        finish(shop.running(second));
        assertThat(played()).as("and who was there before").hasSize(1 + 3);
    }

    private List<Failure> answers(List<Action> actions) {
        return actions.stream().filter(Action.AnswerDelivery.class::isInstance).map(action -> ((Action.AnswerDelivery) action).failure())
                .toList();
    }

    /** From a function of another host, to a mailbox that one message fills. */
    private List<Action> bring(int ordinal, long waitMs) {
        return on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", ordinal, "far", "q", "k", json("8"), waitMs),
                failure -> { }));
    }

    /** Who has time left asks again, and finds it where it lives then: Unavailable would be the end of it. */
    @Test
    void whoWaitsForRoomElsewhereIsToldThatItHasFoundNoneWhenTheProcessGoes() {
        shop = new CoreFixture().with(new ProcessSpec(1, 1, 1, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()))
                .with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        finish(running("q"));
        bring(0, 0);
        assertThat(answers(bring(1, 60_000))).isEmpty();
        List<Action> lost = on(new Input.SlotLost(Slots.of("q", SLOTS), CoreFixture.EPOCH));
        assertThat(answers(lost)).singleElement().satisfies(failure -> {
            assertThat(failure.error()).isEqualTo(Errors.OVERLOADED);
            assertThat(failure.retryable()).isTrue();
        });
    }

    @Test
    void whoeverIsToldThatItIsAcceptedIsNotRefusedAfterwards() {
        invoke("q");
        invoke("q");
        String id = Slots.placed(Ids.encode(1_000, 1_000, 0), Slots.of("q", SLOTS), SLOTS);
        List<Action> seen = shop.invoke(new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 100_000, true, null)
                .inProcess("q"));
        assertThat(seen).noneMatch(Action.Journal.class::isInstance);
        assertThat(seen).filteredOn(Action.Respond.class::isInstance).singleElement()
                .satisfies(action -> assertThat(((Action.Respond) action).result().failure().error()).isEqualTo(Errors.OVERLOADED));
    }
}
