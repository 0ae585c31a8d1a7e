package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Images of a process whose atomic functions send: they wait for what is on its way, and not for long. */
class StillnessTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));

    StillnessTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST))
                .warm());
        finish(running("q"));
    }

    private Running sending(int number) {
        Running atomic = running("p", "atomic");
        call(atomic, send(number, "q", "7"));
        return atomic;
    }

    private void durable(Action.Journal record) {
        on(new Input.ChangeJournaled(record.carried(), null));
        deliver(shop.after(1));
    }

    /** @return the record of the message in the mailbox of its receiver */
    private Action.Journal ended(Running atomic) {
        finish(atomic, write("a", "1"));
        durable(journal.getLast());
        return journal.getLast();
    }

    private List<Object> asked(Kind kind) {
        return command(new ProcessCommand(APP.application(), APP.version(), "p", kind));
    }

    private void after(long ms) {
        deliver(shop.after(ms));
        shop.settle();
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"CHECKPOINT", "SWAP_OUT"})
    void anImageWaitsForWhatAnEndedFunctionSends(Kind kind) {
        Running atomic = sending(0);
        shop.takesChanges = false;
        finish(atomic, write("a", "1"));
        Action.Journal end = journal.getLast();
        List<Object> told = asked(kind);
        durable(end);
        Action.Journal arrived = journal.getLast();
        assertThat(arrived).isNotSameAs(end);
        assertThat(told).as("the journal alone has the message").isEmpty();
        assertThat(shop.images).isEmpty();
        durable(arrived);
        assertThat(told).singleElement().isInstanceOf(ProcessView.class);
        assertThat(shop.images).containsKey("p");
    }

    @Test
    void underASteadyStreamOfSendsNoFunctionBeginsForAMomentAndItIsWritten() {
        Running first = sending(0);
        Running second = sending(0);
        shop.takesChanges = false;
        Action.Journal one = ended(first);
        List<Object> told = asked(Kind.CHECKPOINT);
        after(1_900);
        Action.Journal other = ended(second);
        durable(one);
        after(200);
        assertThat(told).isEmpty();
        String waits = invoke("p");
        assertThat(shop.running(waits)).isNull();
        durable(other);
        shop.settle();
        assertThat(told).singleElement().isInstanceOf(ProcessView.class);
        assertThat(shop.running(waits)).isNotNull();
    }

    @Test
    void whatIsNotThereInTimeIsWhyThereIsNoImage() {
        Running atomic = sending(0);
        shop.takesChanges = false;
        ended(atomic);
        List<Object> told = asked(Kind.CHECKPOINT);
        after(3_900);
        String waits = invoke("p");
        assertThat(told).isEmpty();
        assertThat(shop.running(waits)).isNull();
        after(200);
        assertThat(told).singleElement().isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(failure.cause()).contains("on their way to others");
        });
        assertThat(shop.core().context().processes.table().here(APP.application(), "p").occupants().waiting()).as("it goes on").isZero();
    }

    @Test
    void nobodyIsHeldBackForAReceiverThatIsNotReached() {
        on(new Input.SlotLost(Slots.of("q", SLOTS), EPOCH));
        Running atomic = running("p", "atomic");
        ask(atomic, send(0, "q", "7"));
        on(new Input.FromElsewhere(() -> shop.only(Action.FindElsewhere.class).then().accept(null, null)));
        finish(atomic);
        List<Object> told = asked(Kind.CHECKPOINT);
        after(1_900);
        assertThat(shop.running(invoke("p"))).isNotNull();
        assertThat(told).isEmpty();
        after(200);
        assertThat(told).singleElement().isInstanceOf(Failure.class);
    }
}
