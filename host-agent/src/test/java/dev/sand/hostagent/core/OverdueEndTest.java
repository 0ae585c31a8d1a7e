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
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Functions that have ended in time, and whose deadline passes before that is in the journal: what is told of one is what counts. */
class OverdueEndTest extends ProcessFixture {
    private static final long TIMEOUT_MS = 5_000;
    private static final long OVERDUE_MS = 7_000;
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());

    OverdueEndTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 1_000, Isolation.REQUEST)).warm());
    }

    private int ids = 500;

    /** @return the execution's id: it has little time */
    private String brief() {
        String id = Slots.placed(Ids.encode(1_000, ids++, 0), Slots.of("p", SLOTS), SLOTS);
        shop.invoke(new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), TIMEOUT_MS, false, null).inProcess("p"));
        shop.settle();
        return id;
    }

    private static List<Status> told(List<Action> seen) {
        return seen.stream().filter(Action.Respond.class::isInstance).map(action -> ((Action.Respond) action).result().status()).toList();
    }

    /** Its instance is gone then, as they are. */
    private void ends(Running by, StateWrite... writes) {
        finish(by, writes);
        shop.exited(by, 0, 0);
    }

    private Action.Journal lastChange() {
        return journal.stream().filter(record -> record.carried() != null).reduce((first, last) -> last).orElseThrow();
    }

    private List<Action> take(Action.Journal record) {
        return on(new Input.ChangeJournaled(record.carried(), null));
    }

    /** Received by the function that ends. */
    private Running receiver() {
        Running sender = running("p");
        call(sender, send(0, "p", "7"));
        ends(sender);
        Running by = shop.running(brief());
        assertThat(received(by)).isEqualTo("7");
        return by;
    }

    @Test
    void oneWhoseRecordIsOnItsWayIsToldToHaveSucceededOnceThatIsThere() {
        Running by = receiver();
        shop.takesChanges = false;
        ends(by, write("a", "1"));
        Action.Journal end = lastChange();
        assertThat(told(shop.after(OVERDUE_MS))).as("it may count yet").isEmpty();
        List<Action> seen = take(end);
        assertThat(told(seen)).containsExactly(Status.SUCCEEDED);
        assertThat(told(shop.after(OVERDUE_MS))).isEmpty();
        shop.takesChanges = true;
        Running reads = running("p");
        assertThat(state(reads, "a")).isEqualTo("1");
        assertThat(received(reads)).isNull();
    }

    @Test
    void soIsOneWhoseRecordTheBusDidNotTakeAtFirst() {
        running("p");
        Running by = shop.running(brief());
        shop.takesChanges = false;
        ends(by, write("a", "1"));
        on(new Input.ChangeJournaled(lastChange().carried(), Failure.platform(Errors.UNAVAILABLE, "no room", true)));
        List<Action> later = shop.after(OVERDUE_MS);
        assertThat(told(later)).isEmpty();
        Action.Journal again = later.stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast)
                .filter(record -> record.carried() != null).reduce((first, last) -> last).orElseThrow();
        assertThat(told(take(again))).containsExactly(Status.SUCCEEDED);
    }

    @Test
    void oneWhoseRecordIsNotBegunTimesOutAndNothingOfItCounts() {
        running("q");
        Running by = receiver();
        shop.takesChanges = false;
        call(by, send(0, "q", "8"));
        ends(by, write("a", "1"));
        Action.Journal sent = lastChange();
        assertThat(sent.carried().change().change()).as("its end waits for what it sent").isInstanceOf(Change.Arrived.class);
        assertThat(told(shop.after(OVERDUE_MS))).contains(Status.TIMED_OUT).doesNotContain(Status.SUCCEEDED);
        shop.takesChanges = true;
        assertThat(told(take(sent))).isEmpty();
        Running reads = running("p");
        assertThat(state(reads, "a")).isNull();
        assertThat(received(reads)).as("it is in its place again").isEqualTo("7");
    }

    @Test
    void whatIsOnItsWayCannotBeStopped() {
        running("p");
        String id = brief();
        shop.takesChanges = false;
        ends(shop.running(id), write("a", "1"));
        List<Action> seen = on(new Input.Cancel(id, null, "nobody wants it", listener(new ArrayList<>())));
        assertThat(told(seen)).isEmpty();
        assertThat(shop.only(Action.AnswerCancel.class).failure()).satisfies(failure -> assertThat(failure.retryable()).isTrue());
        assertThat(told(take(lastChange()))).containsExactly(Status.SUCCEEDED);
    }
}
