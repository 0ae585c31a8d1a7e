package dev.sand.workflow;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * The execution of a single grain, on the hot path of every invocation: one task, and the events that it publishes.
 *
 * <p>NEW —Started→ RUNNING —last event succeeded→ ENDED; RUNNING —any event failed, Stopped→ ENDED.
 *
 * <p>Output: what the grain returned. When it returned null (None) and published, the output of what it published: of the
 * one leaf, or a JSON array of all in step order; a leaf is an event that published nothing itself.
 */
public final class GrainExecution implements Execution {
    private enum State { NEW, RUNNING, ENDED }

    private final String grain;
    private State state = State.NEW;
    private Payload output;
    private PublishedEvents events;

    /** @param grain its name, which is the step of its task too */
    public GrainExecution(String grain) {
        this.grain = grain;
    }

    @Override
    public List<Command> on(Signal signal) {
        return switch (state) {
            case NEW -> switch (signal) {
                case Signal.Started started -> {
                    state = State.RUNNING;
                    yield List.of(new Command.RunTask(grain, grain, started.input(), 0));
                }
                case Signal.Stopped stopped -> end(stopped.error(), stopped.cause());
                default -> List.of();
            };
            case RUNNING -> switch (signal) {
                case Signal.TaskSucceeded succeeded -> onSucceeded(succeeded);
                case Signal.TaskFailed failed when isOpen(failed.step()) -> end(failed.error(), failed.cause());
                case Signal.Stopped stopped -> end(stopped.error(), stopped.cause());
                default -> List.of();
            };
            case ENDED -> List.of();
        };
    }

    private boolean isOpen(String step) {
        return output == null && step.equals(grain) || events != null && events.isOpen(step);
    }

    private List<Command> onSucceeded(Signal.TaskSucceeded succeeded) {
        if (!isOpen(succeeded.step())) {
            return List.of();
        }
        boolean isRoot = output == null;
        if (isRoot) {
            output = succeeded.output();
            if (succeeded.published().isEmpty()) {
                state = State.ENDED;
                return List.of(new Command.Succeed(output));
            }
            events = new PublishedEvents(isNull(output));
        }
        List<Command> commands = new ArrayList<>(succeeded.published().size() + 1);
        PublishedEvents.Refusal refusal = isRoot
                ? events.publish(grain, succeeded.published(), commands)
                : events.succeeded(succeeded.step(), succeeded.output(), succeeded.published(), commands);
        if (refusal != null) {
            return end(refusal.error(), refusal.cause());
        }
        return events.isEmpty() ? join() : commands;
    }

    private List<Command> join() {
        Payload joined = isNull(output) ? events.joined() : output;
        if (joined == null) {
            return end(Errors.UNSERIALIZABLE, "the outputs of the events that grain " + grain
                    + " published cannot be one JSON array: one is no JSON, or over the inline limit; return a value from "
                    + grain + ", or publish to one grain that collects them");
        }
        state = State.ENDED;
        return List.of(new Command.Succeed(joined));
    }

    private List<Command> end(String error, String cause) {
        List<Command> commands = new ArrayList<>(2);
        if (state == State.RUNNING && output == null) {
            commands.add(new Command.Abandon(grain));
        }
        if (events != null) {
            events.abandonAll(commands);
        }
        state = State.ENDED;
        commands.add(new Command.Fail(error, cause));
        return commands;
    }

    private static boolean isNull(Payload payload) {
        byte[] bytes = payload.bytes();
        return bytes != null && bytes.length == 4 && payload.isJson()
                && bytes[0] == 'n' && bytes[1] == 'u' && bytes[2] == 'l' && bytes[3] == 'l';
    }

    @Override
    public boolean isHeavy(Signal signal) {
        return events != null && events.openCount() == 1 && signal instanceof Signal.TaskSucceeded succeeded
                && events.leafBytes() + succeeded.output().size() > WorkflowLimits.LIGHT_JOIN_BYTES;
    }

    @Override
    public boolean isEnded() {
        return state == State.ENDED;
    }
}
