package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BrokenTest {
    private static final Signal SIGNAL = new Signal.TimerFired("Wait");
    private final List<Failure> failures = new ArrayList<>();

    private List<Command> on(Supplier<List<Command>> machine) {
        return Broken.on("execution", new Execution() {
            @Override
            public List<Command> on(Signal signal) {
                return machine.get();
            }

            @Override
            public boolean isHeavy(Signal signal) {
                return false;
            }

            @Override
            public boolean isEnded() {
                return false;
            }

            @Override
            public boolean isTimedOut() {
                return false;
            }
        }, SIGNAL, failures::add);
    }

    @Test
    void whatAMachineCommandsIsGivenBack() {
        List<Command> commands = List.of(new Command.Succeed(Payload.nullJson()));
        assertThat(on(() -> commands)).isSameAs(commands);
        assertThat(failures).isEmpty();
    }

    @Test
    void whatAMachineThrowsIsItsExecutionsFailure() {
        assertThat(on(() -> {
            throw new IllegalStateException("no such step");
        })).isNull();
        assertThat(on(() -> {
            throw new StackOverflowError();
        })).isNull();
        assertThat(failures).hasSize(2).allSatisfy(failure -> assertThat(failure.cause()).startsWith("the workflow could not go on"));
        assertThat(failures.getFirst().cause()).contains("no such step");
    }
}
