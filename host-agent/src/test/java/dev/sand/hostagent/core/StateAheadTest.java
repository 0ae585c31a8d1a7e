package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a function is told of its process's state with its event. */
class StateAheadTest extends ProcessFixture {
    StateAheadTest() {
        super(shop(1));
    }

    private static CoreFixture shop(int concurrency) {
        return new CoreFixture().with(spec(concurrency)).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("h", 10, 100, Isolation.REQUEST))
                .warm();
    }

    private static ProcessSpec spec(int concurrency) {
        return new ProcessSpec(concurrency, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    }

    /** Key=value, or the key alone of one that is not there. */
    private List<String> told(Running running) {
        return Stream.concat(shop.settled.stream(), shop.all.stream()).filter(Action.HandOver.class::isInstance).map(Action.HandOver.class::cast)
                .filter(over -> over.eventId().equals(running.eventId()) && over.attempt() == running.attempt()).toList().getLast().state().stream()
                .map(value -> value.value() == null ? value.key() : value.key() + "=" + text(value.value())).toList();
    }

    private void reads(String function, String key) {
        Running reader = running("p", function);
        state(reader, key);
        finish(reader);
        shop.settle();
    }

    private void writes(StateWrite... writes) {
        finish(running("p", "h"), writes);
        shop.settle();
    }

    @Test
    void itIsToldWhatItReadTheTimesBeforeAsItIsNow() {
        writes(write("a", "1"), write("other", "1"));
        assertThat(told(running("q"))).as("it has read nothing yet").isEmpty();
        reads("g", "a");
        reads("g", "none");
        writes(write("a", "2"));
        assertThat(told(running("p"))).containsExactly("a=2", "none");
        assertThat(told(running("r"))).as("another process").isEmpty();
    }

    @Test
    void anotherFunctionReadsOtherKeys() {
        reads("g", "a");
        assertThat(told(running("p", "h"))).isEmpty();
    }

    @Test
    void whereFunctionsRunAtTheSameTimeItIsToldNothing() {
        shop = shop(2);
        reads("g", "a");
        assertThat(told(running("p"))).isEmpty();
    }

    /** They need memory of their own, or are somewhere else. */
    @Test
    void largeValuesAreAskedFor() {
        writes(write("a", "1"), new StateWrite("large", new Payload(Payload.OCTETS, null, new Payload.Reference("o", 100_000))),
                new StateWrite("much", new Payload(Payload.OCTETS, new byte[200_000], null)));
        Running reader = running("p");
        Stream.of("large", "much", "a").forEach(key -> call(reader, new ProcessCall.Get(key)));
        finish(reader);
        shop.settle();
        assertThat(told(running("p"))).containsExactly("a=1");
    }

    @Test
    void itIsToldOfFewAndOfWhatItReadsStill() {
        Running reader = running("p");
        for (int i = 0; i < 10; i++) {
            state(reader, "k" + i);
        }
        finish(reader);
        shop.settle();
        int all = 0;
        for (int i = 0; i < 70; i++) {
            Running next = running("p");
            all += told(next).size();
            finish(next);
            shop.settle();
        }
        assertThat(all).as("four keys, until it is seen that it asks no more").isEqualTo(63 * 4);
    }

    /** Its values would be carried to it in vain. */
    @Test
    void oneThatReadsOtherKeysEachTimeIsToldNothing() {
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Running next = running("p");
            told.add(told(next).size());
            state(next, "k" + i);
            finish(next);
            shop.settle();
        }
        assertThat(told.subList(0, 8)).as("of as many as it may be, until four others").containsExactly(0, 1, 2, 3, 4, 4, 4, 4);
        assertThat(told.subList(8, 20)).containsOnly(0);
    }

    /** What it was told is no more what it would be given, once another one has ended. */
    @Test
    void noOtherBeginsWhileOneKnowsTheState() {
        reads("g", "a");
        Running knows = running("p");
        assertThat(told(knows)).isNotEmpty();
        ApplicationVersion newer = newer();
        String later = Slots.placed("01JD3Q8Z9X7N4T2M6K5R1H0GWY", Slots.of("p", SLOTS), SLOTS);
        shop.invoke(new InvocationRequest(later, APP.application(), newer.version(), "g", json("1"), 100_000, false, null).inProcess("p"));
        on(new Input.ApplicationLoaded(new Input.AppKey(APP.application(), newer.version()), newer, null));
        shop.settle();
        ProcessHome home = shop.core().context().processes.table().here(APP.application(), "p");
        assertThat(home.spec().concurrency()).as("four may run by now").isEqualTo(4);
        assertThat(home.occupants().running()).isEqualTo(1);
        finish(knows, write("a", "1"));
        shop.settle();
        assertThat(home.occupants().running()).as("the next one").isEqualTo(1);
    }

    private ApplicationVersion newer() {
        ApplicationVersion first = shop.version();
        return new ApplicationVersion(first.schema(), first.application(), first.version() + 1, "bundle", null, first.sandbox(), first.grains(),
                Map.of(), List.of(), Map.of(), first.durability(), 0, Map.of(), Map.of(), spec(4));
    }

    @Test
    void oneThatFailedOrWasLostHoldsNobodyUp() {
        reads("g", "a");
        shop.fail(running("p"), "Boom");
        assertThat(told(running("p"))).isNotEmpty();
        Running lost = shop.running(invoke("q"));
        state(lost, "a");
        shop.exited(lost, 1, 9);
        shop.settle();
        assertThat(shop.core().context().processes.table().here(APP.application(), "q").ahead().holdsOthers()).isFalse();
    }
}
