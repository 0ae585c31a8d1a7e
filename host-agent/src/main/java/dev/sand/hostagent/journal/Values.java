package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Applies one change to every payload of a backup: references to values on the way out, and back on the way in. */
final class Values {
    private Values() {}

    static Backup map(Backup backup, UnaryOperator<Payload> change) {
        return switch (backup) {
            case Backup.Accepted accepted -> {
                InvocationRequest request = accepted.request();
                yield new Backup.Accepted(request.withInput(change.apply(request.input())));
            }
            case Backup.Finished finished -> new Backup.Finished(map(finished.signal(), change), finished.effects());
            case Backup.Resumed _, Backup.Ended _, Backup.Changed _ -> backup;
        };
    }

    private static Signal map(Signal signal, UnaryOperator<Payload> change) {
        return switch (signal) {
            case Signal.Started started -> new Signal.Started(change.apply(started.input()), started.atMs());
            case Signal.TaskSucceeded done -> new Signal.TaskSucceeded(done.step(), change.apply(done.output()),
                    done.published().stream().map(p -> new Published(p.grain(), change.apply(p.payload()))).toList(),
                    done.atMs());
            case Signal.TaskFailed _, Signal.TimerFired _, Signal.Heartbeat _, Signal.Stopped _, Signal.Redriven _ -> signal;
        };
    }

    static List<Payload> payloads(Backup backup) {
        return switch (backup) {
            case Backup.Accepted accepted -> List.of(accepted.request().input());
            case Backup.Finished(Signal.Started started, var _) -> List.of(started.input());
            case Backup.Finished(Signal.TaskSucceeded done, var _) when done.published().isEmpty() -> List.of(done.output());
            case Backup.Finished(Signal.TaskSucceeded done, var _) -> Stream.concat(Stream.of(done.output()),
                    done.published().stream().map(Published::payload)).toList();
            case Backup.Finished _, Backup.Resumed _, Backup.Ended _, Backup.Changed _ -> List.of();
        };
    }

    private static List<Payload> payloads(ProcessChange change) {
        return change == null ? List.of() : change.change().values();
    }

    static List<Payload> payloads(Entry entry) {
        List<Payload> own = payloads(entry.backup());
        List<Payload> ofProcess = payloads(entry.change());
        return ofProcess.isEmpty() ? own : Stream.concat(own.stream(), ofProcess.stream()).toList();
    }

    /** Whether a value is in the global data layer. */
    static boolean areGlobal(Backup backup) {
        return payloads(backup).stream().anyMatch(GlobalObjects::isGlobal);
    }

    static boolean areGlobal(ProcessChange change) {
        return payloads(change).stream().anyMatch(GlobalObjects::isGlobal);
    }
}
