package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Room that an atomic function's messages have in a mailbox is free when the function is no more. */
class AtomicRoomTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 1, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));

    AtomicRoomTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST)).warm());
    }

    /** Its second message waits for the room that its first one has, and would be taken into that in the midst of the function's end. */
    @Test
    void soIsThatOfOneThatWaitedForTheOthersRoom() {
        command("q", Kind.CREATE);
        Running atomic = running("p", "atomic");
        assertThat(call(atomic, send(0, "q", "0"))).isEqualTo(new Answer.Done());
        ask(atomic, new ProcessCall.Send(1, "q", "k", json("1"), 60_000));
        assertThat(told).isEmpty();
        shop.fail(atomic, "Oops");
        Running other = running("p");
        assertThat(call(other, send(0, "q", "2"))).isEqualTo(new Answer.Done());
    }
}
