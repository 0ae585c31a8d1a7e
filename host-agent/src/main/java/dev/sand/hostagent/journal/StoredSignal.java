package dev.sand.hostagent.journal;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A signal as a journal record has it.
 *
 * @param type started, taskSucceeded, taskFailed, timerFired, heartbeat or stopped; the others as that signal has them, or null
 */
record StoredSignal(String type, String step, Payload input, Payload output, List<StoredPublication> published, String error,
                    String cause, long atMs) {
    record StoredPublication(String grain, Payload payload) {}

    static StoredSignal of(Signal signal) {
        return switch (signal) {
            case Signal.Started started ->
                    new StoredSignal("started", null, started.input(), null, null, null, null, started.atMs());
            case Signal.TaskSucceeded done -> new StoredSignal("taskSucceeded", done.step(), null, done.output(),
                    done.published().stream().map(p -> new StoredPublication(p.grain(), p.payload())).toList(), null, null,
                    done.atMs());
            case Signal.TaskFailed failed ->
                    new StoredSignal("taskFailed", failed.step(), null, null, null, failed.error(), failed.cause(), failed.atMs());
            case Signal.TimerFired fired ->
                    new StoredSignal("timerFired", fired.step(), null, null, null, null, null, fired.atMs());
            case Signal.Heartbeat beat -> new StoredSignal("heartbeat", beat.step(), null, null, null, null, null, beat.atMs());
            case Signal.Stopped stopped ->
                    new StoredSignal("stopped", null, null, null, null, stopped.error(), stopped.cause(), stopped.atMs());
            case Signal.Redriven _ -> throw new IllegalArgumentException("a redrive stands in its request");
        };
    }

    Signal signal() {
        return switch (type) {
            case "started" -> new Signal.Started(input, atMs);
            case "taskSucceeded" -> new Signal.TaskSucceeded(step, output,
                    published.stream().map(p -> new Published(p.grain(), p.payload())).toList(), atMs);
            case "taskFailed" -> new Signal.TaskFailed(step, error, cause, atMs);
            case "timerFired" -> new Signal.TimerFired(step, atMs);
            case "heartbeat" -> new Signal.Heartbeat(step, atMs);
            case "stopped" -> new Signal.Stopped(error, cause, atMs);
            default -> throw new UncheckedIOException(new IOException("not a signal: " + type));
        };
    }
}
