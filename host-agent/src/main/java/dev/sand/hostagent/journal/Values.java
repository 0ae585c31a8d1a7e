package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.util.function.UnaryOperator;

/** Applies one change to every payload of a backup: references to values on the way out, and back on the way in. */
final class Values {
    private Values() {}

    static Backup map(Backup backup, UnaryOperator<Payload> change) {
        return switch (backup) {
            case Backup.Accepted accepted -> {
                var r = accepted.request();
                yield new Backup.Accepted(new InvocationRequest(r.executionId(), r.application(), r.version(),
                        r.target(), change.apply(r.input()), r.timeoutMs(), r.durable(), r.traceparent()));
            }
            case Backup.Advanced advanced -> new Backup.Advanced(map(advanced.signal(), change));
            case Backup.Ended ended -> ended;
        };
    }

    private static Signal map(Signal signal, UnaryOperator<Payload> change) {
        return switch (signal) {
            case Signal.Started started -> new Signal.Started(change.apply(started.input()), started.atMs());
            case Signal.TaskSucceeded done -> new Signal.TaskSucceeded(done.step(), change.apply(done.output()),
                    done.published().stream().map(p -> new Published(p.grain(), change.apply(p.payload()))).toList(),
                    done.atMs());
            case Signal.TaskFailed _, Signal.TimerFired _, Signal.Stopped _ -> signal;
        };
    }

    /** Bytes of all payloads, those behind references included. */
    static long size(Backup backup) {
        return switch (backup) {
            case Backup.Accepted accepted -> accepted.request().input().size();
            case Backup.Advanced(Signal.Started started) -> started.input().size();
            case Backup.Advanced(Signal.TaskSucceeded done) ->
                    done.output().size() + done.published().stream().mapToLong(p -> p.payload().size()).sum();
            case Backup.Advanced _, Backup.Ended _ -> 0;
        };
    }
}
