package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.WorkflowLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrainExecutionTest {
    private final GrainExecution execution = new GrainExecution("root");

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    private static Published to(String grain, String payload) {
        return new Published(grain, json(payload));
    }

    private List<Command> succeed(String step, String output, Published... published) {
        return execution.on(new Signal.TaskSucceeded(step, json(output), Arrays.asList(published)));
    }

    private static String output(List<Command> commands) {
        assertThat(commands).hasSize(1).first().isInstanceOf(Command.Succeed.class);
        return text(((Command.Succeed) commands.getFirst()).output());
    }

    @Test
    void runsTheGrainAndAnswersWithItsOutput() {
        Payload input = json("{\"a\":1}");
        assertThat(execution.on(new Signal.Started(input))).containsExactly(new Command.RunTask("root", "root", input, 0));
        assertThat(execution.isEnded()).isFalse();
        assertThat(output(succeed("root", "7"))).isEqualTo("7");
        assertThat(execution.isEnded()).isTrue();
    }

    @Test
    void aFailureOfTheGrainIsTheExecutions() {
        execution.on(new Signal.Started(json("1")));
        assertThat(execution.on(new Signal.TaskFailed("root", "KeyError", "'a'")))
                .contains(new Command.Fail("KeyError", "'a'"));
        assertThat(execution.isEnded()).isTrue();
        assertThat(succeed("root", "1")).isEmpty();
    }

    @Test
    void publishedEventsJoinAndTheLastOneEndsIt() {
        execution.on(new Signal.Started(json("1")));
        List<Command> next = succeed("root", "null", to("a", "10"), to("b", "20"));
        assertThat(next).extracting(c -> ((Command.RunTask) c).step()).containsExactly("root>publish[0]", "root>publish[1]");
        assertThat(next).extracting(c -> ((Command.RunTask) c).resource()).containsExactly("a", "b");
        assertThat(succeed("root>publish[1]", "\"b\"")).isEmpty();
        assertThat(output(succeed("root>publish[0]", "\"a\""))).isEqualTo("[\"a\",\"b\"]");
    }

    @Test
    void theOneLeafsOutputIsTheOutput() {
        execution.on(new Signal.Started(json("1")));
        succeed("root", "null", to("a", "1"));
        List<Command> next = succeed("root>publish[0]", "\"dropped\"", to("b", "2"));
        assertThat(next).extracting(c -> ((Command.RunTask) c).step()).containsExactly("root>publish[0]>publish[0]");
        assertThat(output(succeed("root>publish[0]>publish[0]", "{\"leaf\":true}"))).isEqualTo("{\"leaf\":true}");
    }

    @Test
    void aReturnedValueIsTheOutputOnceAllPublishedHaveEnded() {
        execution.on(new Signal.Started(json("1")));
        assertThat(succeed("root", "42", to("a", "1"))).hasSize(1);
        assertThat(output(succeed("root>publish[0]", "43"))).isEqualTo("42");
    }

    @Test
    void aPublishedEventThatFailsFailsTheExecutionAndAbandonsTheRest() {
        execution.on(new Signal.Started(json("1")));
        succeed("root", "42", to("a", "1"), to("b", "2"));
        assertThat(execution.on(new Signal.TaskFailed("root>publish[0]", "Boom", "why")))
                .containsExactlyInAnyOrder(new Command.Abandon("root>publish[0]"), new Command.Abandon("root>publish[1]"),
                        new Command.Fail("Boom", "why"));
    }

    @Test
    void stoppedAbandonsWhatIsOpen() {
        execution.on(new Signal.Started(json("1")));
        assertThat(execution.on(new Signal.Stopped(Errors.CANCELLED, "asked")))
                .containsExactly(new Command.Abandon("root"), new Command.Fail(Errors.CANCELLED, "asked"));
        assertThat(execution.on(new Signal.Started(json("1")))).isEmpty();
    }

    @Test
    void signalsForStepsThatAreNotOpenAreIgnored() {
        assertThat(succeed("root", "1")).isEmpty();
        execution.on(new Signal.Started(json("1")));
        assertThat(succeed("other", "1")).isEmpty();
        assertThat(execution.on(new Signal.TimerFired("root"))).isEmpty();
        succeed("root", "1", to("a", "1"));
        assertThat(succeed("root", "1", to("a", "1"))).isEmpty();
        assertThat(execution.on(new Signal.TaskFailed("root", "late", ""))).isEmpty();
    }

    @Test
    void leavesThatAreNoJsonCannotBeJoined() {
        execution.on(new Signal.Started(json("1")));
        succeed("root", "null", to("a", "1"), to("b", "2"));
        succeed("root>publish[0]", "1");
        Payload octets = new Payload(Payload.OCTETS, new byte[3], null);
        List<Command> end = execution.on(new Signal.TaskSucceeded("root>publish[1]", octets, List.of()));
        assertThat(((Command.Fail) end.getLast()).error()).isEqualTo(Errors.UNSERIALIZABLE);
    }

    @Test
    void publishingWithoutAnEndIsStopped() {
        execution.on(new Signal.Started(json("1")));
        String step = "root";
        List<Command> next = succeed(step, "null", to("root", "1"));
        while (next.getFirst() instanceof Command.RunTask run) {
            step = run.step();
            next = succeed(step, "null", to("root", "1"));
        }
        assertThat(((Command.Fail) next.getLast()).error()).isEqualTo(Errors.TOO_LARGE);
    }

    @Test
    void tooManyPublicationsAreRefused() {
        execution.on(new Signal.Started(json("1")));
        Published[] many = Collections.nCopies(WorkflowLimits.PUBLISHED_EVENTS + 1, to("a", "1")).toArray(Published[]::new);
        assertThat(((Command.Fail) succeed("root", "null", many).getLast()).error()).isEqualTo(Errors.TOO_LARGE);
    }
}
