package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec.Function;
import dev.sand.event.ProcessSpec.Trigger;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code sent} and {@code received} in a process's metrics: what is in a mailbox, and what is read, for good. */
class MessageCountsTest extends ProcessFixture {
    private static final int ROOM = 3;
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, ROOM, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("atomic", new Function(Trigger.STANDARD, 1, 0, true)));

    MessageCountsTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST))
                .warm());
        finish(running("q"));
    }

    private ProcessView view(String process) {
        return (ProcessView) command(process, Kind.DESCRIBE);
    }

    @Test
    void aSendThatIsRefusedIsNone() {
        Running sender = running("p");
        for (int i = 0; i < ROOM; i++) {
            assertThat(call(sender, send(i, "q", "7"))).isEqualTo(new Answer.Done());
        }
        assertThat(call(sender, send(ROOM, "q", "7"))).isInstanceOf(Answer.Refused.class);
        assertThat(view("p").sent()).isEqualTo(ROOM);
    }

    @Test
    void oneThatIsRepeatedIsOne() {
        Running sender = running("p");
        call(sender, send(0, "q", "7"));
        assertThat(call(sender, send(0, "q", "7"))).isEqualTo(new Answer.Done());
        assertThat(view("p").sent()).isOne();
    }

    @Test
    void thoseOfAnAtomicFunctionAreOnceItHasEndedWell() {
        Running fails = running("p", "atomic");
        call(fails, send(0, "q", "7"));
        assertThat(view("p").sent()).isZero();
        shop.fail(fails, "Boom");
        assertThat(view("p").sent()).isZero();
        Running ends = running("p", "atomic");
        call(ends, send(0, "q", "7"));
        finish(ends);
        assertThat(view("p").sent()).isOne();
    }

    @Test
    void whoWaitsForRoomAndIsSentElsewhereHasSentOnce() {
        Running sender = running("p");
        for (int i = 0; i < ROOM; i++) {
            call(sender, send(i, "q", "7"));
        }
        ask(sender, new ProcessCall.Send(ROOM, "q", "k", json("7"), 60_000));
        on(new Input.SlotLost(Slots.of("q", SLOTS), EPOCH));
        Action.SendElsewhere goes = shop.only(Action.SendElsewhere.class);
        assertThat(view("p").sent()).isEqualTo(ROOM);
        on(new Input.FromElsewhere(() -> goes.then().accept(Failure.platform(Errors.NOT_FOUND, "it is no more", false))));
        assertThat(view("p").sent()).isEqualTo(ROOM);
    }

    @Test
    void whatIsGivenBackIsNotReceived() {
        Running sender = running("p");
        call(sender, send(0, "q", "7"));
        Running fails = running("q");
        assertThat(received(fails)).isEqualTo("7");
        assertThat(view("q").received()).isZero();
        shop.fail(fails, "Boom");
        Running ends = running("q");
        assertThat(received(ends)).isEqualTo("7");
        finish(ends);
        assertThat(view("q").received()).isOne();
    }

    /** As in the emulator. */
    @Test
    void whatInvokesAFunctionIsReceived() {
        Running sender = running("p");
        call(sender, new ProcessCall.Send(0, "q", "invoke:g:k", json("7"), 0));
        assertThat(view("q").received()).isOne();
    }
}
