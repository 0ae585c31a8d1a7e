package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongFunction;

/** Runs one execution in memory with virtual time: a wait costs nothing, grains are stubs. For tests and for {@code sand asl run}. */
public final class Trial {
    /** 2024-01-01T00:00:00Z: when every trial begins. */
    public static final long START_MS = 1_704_067_200_000L;
    /** AWS's quota: a year an execution ("Quotas for Step Functions"). */
    private static final long LONGEST_MS = 365L * 86_400_000;
    public static final String START = "2024-01-01T00:00:00Z";

    /** How it ended. */
    public enum Status { SUCCEEDED, FAILED, TIMED_OUT }

    /**
     * @param output of a successful one, else null
     * @param error of one that failed, else null; @param cause likewise
     * @param elapsedMs of virtual time
     * @param calls of grains, in order
     * @param signals that it was given, in order: a replay of these must give the same commands
     * @param objects that it wrote, by key
     */
    public record Outcome(Status status, JsonNode output, String error, String cause, long elapsedMs, List<Call> calls,
                          List<Signal> signals, List<List<Command>> commands, Map<String, byte[]> objects) {}

    public record Call(String step, String grain, JsonNode input, long timeoutMs) {}

    /** @param isLast the step is over with it */
    private record Event(long atMs, long order, String step, boolean isLast, LongFunction<Signal> signal) {}

    private final Execution execution;
    private final GrainStub stubs;
    private final TrialObjects objects;
    private final ServiceStub services;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            (a, b) -> a.atMs != b.atMs ? Long.compare(a.atMs, b.atMs) : Long.compare(a.order, b.order));
    private final Set<String> open = new HashSet<>();
    /** Steps that a callback is awaited for, and that the callback's stub has not been asked for yet. */
    private final Map<String, GrainStub.Answer> callbacks = new HashMap<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<Signal> signals = new ArrayList<>();
    private final List<List<Command>> history = new ArrayList<>();
    private long nowMs;
    private long order;
    private Command last;

    private Trial(Execution execution, GrainStub stubs) {
        this.execution = execution;
        this.stubs = stubs;
        this.objects = new TrialObjects(stubs);
        this.services = new ServiceStub(stubs);
    }

    /** @param grains stubs by resource or its last part, see {@link GrainStub}; null: every grain gives back its input */
    public static Outcome run(Execution execution, JsonNode input, JsonNode grains) {
        return run(execution, input, grains, 0, null);
    }

    /**
     * @param redrives how often it is redriven, at once, when it has ended without success
     * @param from the state that each of these begins from; null: the one that failed
     */
    public static Outcome run(Execution execution, JsonNode input, JsonNode grains, int redrives, String from) {
        return run(execution, Json.bytes(input), grains, redrives, from);
    }

    /** @param input JSON text */
    public static Outcome run(Execution execution, byte[] input, JsonNode grains, int redrives, String from) {
        return new Trial(execution, new GrainStub(grains)).run(Payload.json(input), redrives, from);
    }

    private Outcome run(Payload input, int redrives, String from) {
        execution.expect(List.of(new Signal.Redriven(new Redrive(1, InvocationResult.Status.FAILED, null, null, 0, 0, from))));
        give(new Signal.Started(input, START_MS));
        finish();
        for (int i = 1; i <= redrives && last instanceof Command.Fail(String error, String cause); i++) {
            last = null;
            long atMs = START_MS + nowMs;
            give(new Signal.Redriven(new Redrive(i, execution.isTimedOut() ? InvocationResult.Status.TIMED_OUT
                    : InvocationResult.Status.FAILED, error, cause, atMs, atMs, from)));
            finish();
        }
        return ended();
    }

    private void finish() {
        while (last == null && !events.isEmpty()) {
            Event event = events.poll();
            if (event.isLast ? open.remove(event.step) : open.contains(event.step)) {
                nowMs = event.atMs;
                give(event.signal.apply(START_MS + nowMs));
            }
        }
    }

    private Outcome ended() {
        return switch (last) {
            case Command.Succeed succeed -> outcome(Status.SUCCEEDED, json(succeed.output()), null, null);
            // As on AWS, where only the history says what a time-out of the whole is called.
            case Command.Fail _ when execution.isTimedOut() -> outcome(Status.TIMED_OUT, null, null, null);
            case Command.Fail fail -> outcome(Status.FAILED, null, fail.error(), fail.cause());
            // A token that nobody answers: time is virtual, and passes until no execution goes on.
            case null -> {
                nowMs = Math.max(nowMs, LONGEST_MS);
                yield outcome(Status.TIMED_OUT, null, null, null);
            }
            default -> throw new IllegalStateException("no execution ends with " + last);
        };
    }

    private Outcome outcome(Status status, JsonNode output, String error, String cause) {
        return new Outcome(status, output, error, cause, nowMs, calls, signals, history,
                objects.written());
    }

    private void give(Signal signal) {
        signals.add(signal);
        List<Command> commands = execution.on(signal);
        history.add(commands);
        Set<String> awaited = new HashSet<>();
        commands.forEach(command -> {
            if (command instanceof Command.AwaitCallback await) {
                awaited.add(await.step());
            }
        });
        for (Command command : commands) {
            switch (command) {
                case Command.RunTask task -> {
                    JsonNode given = json(task.input());
                    calls.add(new Call(task.step(), task.resource(), given, task.timeoutMs()));
                    answer(task.step(), task.timeoutMs(), stubs.call(task.resource(), given), awaited);
                }
                case Command.StartWorkflow start -> {
                    calls.add(new Call(start.step(), start.workflow(), json(start.input()), start.timeoutMs()));
                    answer(start.step(), start.timeoutMs(), services.start(start, START_MS + nowMs), awaited);
                }
                case Command.SendMessage send -> {
                    calls.add(new Call(send.step(), send.queue(), json(send.body()), send.timeoutMs()));
                    answer(send.step(), send.timeoutMs(), services.send(send), awaited);
                }
                case Command.AwaitCallback await -> await(await.step(), callbacks.remove(await.step()));
                case Command.StartTimer timer -> at(timer.delayMs(), timer.step(), ms -> new Signal.TimerFired(timer.step(), ms));
                case Command.CallObjects call -> callObjects(call);
                case Command.Abandon abandon -> open.remove(abandon.step());
                case Command.Succeed succeed -> last = succeed;
                case Command.Fail fail -> last = fail;
            }
        }
    }

    /** The callbacks of a stub; or its answer, which then is the callback's. */
    private void await(String step, GrainStub.Answer answer) {
        open.add(step);
        if (answer.callbacks() == null) {
            callBack(step, answer.delayMs(), answer.output(), answer.error(), answer.cause());
            return;
        }
        for (JsonNode callback : answer.callbacks()) {
            long delayMs = GrainStub.delayMs(callback);
            if (callback.has("heartbeat")) {
                events.add(new Event(nowMs + delayMs, order++, step, false, ms -> new Signal.Heartbeat(step, ms)));
            } else {
                JsonNode failure = callback.path("failure");
                callBack(step, delayMs, callback.get("success"), failure.path("error").asText(null), failure.path("cause").asText(null));
            }
        }
    }

    private void callBack(String step, long delayMs, JsonNode output, String error, String cause) {
        events.add(new Event(nowMs + delayMs, order++, step, true, output == null ? ms -> new Signal.TaskFailed(step, error, cause, ms)
                : ms -> new Signal.TaskSucceeded(step, Payload.json(Json.bytes(output)), List.of(), ms)));
    }

    private void callObjects(Command.CallObjects command) {
        String step = command.step();
        GrainStub.Answer stub = objects.stub(command.call());
        long delayMs = stub == null ? 0 : stub.delayMs();
        try {
            if (stub != null && stub.output() == null) {
                at(delayMs, step, ms -> new Signal.TaskFailed(step, stub.error(), stub.cause(), ms));
                return;
            }
            Payload output = Payload.json(Json.bytes(objects.perform(command.call(), stub)));
            at(delayMs, step, ms -> new Signal.TaskSucceeded(step, output, List.of(), ms));
        } catch (IOException e) {
            at(delayMs, step, ms -> new Signal.TaskFailed(step, null, e.getMessage(), ms));
        }
    }

    /** @param awaited steps whose callbacks are awaited from now on */
    private void answer(String step, long timeoutMs, GrainStub.Answer given, Set<String> awaited) {
        GrainStub.Answer answer = given;
        if (awaited.contains(step + ">token")) {
            callbacks.put(step + ">token", given);
            if (given.callbacks() == null) {
                answer = new GrainStub.Answer(Json.NODES.nullNode(), null, null, given.delayMs(), given.published(), null);
            }
        }
        if (timeoutMs > 0 && answer.delayMs() > timeoutMs) {
            at(timeoutMs, step, ms -> new Signal.TaskFailed(step, StatesError.TIMEOUT, null, ms));
        } else if (answer.output() == null) {
            String error = answer.error();
            String cause = answer.cause();
            at(answer.delayMs(), step, ms -> new Signal.TaskFailed(step, error, cause, ms));
        } else {
            List<Published> published = new ArrayList<>();
            answer.published().forEach(p -> published.add(new Published(p.get("grain").textValue(),
                    Payload.json(Json.bytes(p.get("payload"))))));
            Payload output = Payload.json(Json.bytes(answer.output()));
            at(answer.delayMs(), step, ms -> new Signal.TaskSucceeded(step, output, published, ms));
        }
    }

    private void at(long delayMs, String step, LongFunction<Signal> signal) {
        if (!open.add(step)) {
            throw new IllegalStateException("step " + step + " is open already");
        }
        events.add(new Event(nowMs + delayMs, order++, step, true, signal));
    }

    /** An object that was written: JSON as such, anything else as its text. */
    public static JsonNode shown(String key, byte[] content) {
        String text = new String(content, StandardCharsets.UTF_8);
        try {
            return key.endsWith(".json") ? Json.read(text) : Json.NODES.textNode(text);
        } catch (IOException e) {
            return Json.NODES.textNode(text);
        }
    }

    private static JsonNode json(Payload payload) {
        return ServiceStub.json(payload);
    }
}
