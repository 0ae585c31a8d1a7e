package dev.sand.hostagent.journal;

import dev.sand.event.DedicatedSpec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A process's change as a journal record has it.
 *
 * @param type made, arrived, done, fired, killed or left; the others as that change has them, or null
 * @param messages numbers of those that were received, or make an invocation
 * @param passed those that were received and have no record of their own; null: none
 */
record StoredChange(String type, String process, long createdMs, long base, long number, Integer version, Integer concurrency,
                    Long memoryBytes, DedicatedSpec dedicated, String sender, Integer ordinal, String source, String key, Payload payload,
                    List<StoredWrite> writes, List<Long> messages, List<StoredSend> sends, ProcessPlace place, List<StoredPassed> passed) {
    /** @param value null: deleted */
    record StoredWrite(String key, Payload value) {}

    record StoredSend(String sender, int ordinal, String source, String destination, String key, Payload payload) {}

    record StoredPassed(long number, String sender, int ordinal) {}

    static StoredChange of(ProcessChange of) {
        if (of == null) {
            return null;
        }
        return switch (of.change()) {
            case Change.Made made -> new StoredChange("made", of.process(), of.createdMs(), of.base(), of.number(), made.version(),
                    made.concurrency(), made.memoryBytes(), made.dedicated(), null, null, null, null, null, null, null, null, null, null);
            case Change.Arrived arrived -> new StoredChange("arrived", of.process(), of.createdMs(), of.base(), of.number(), null, null,
                    null, null, arrived.sender(), arrived.ordinal(), arrived.source(), arrived.key(), arrived.payload(), null, null, null,
                    null, null);
            case Change.Done done -> new StoredChange("done", of.process(), of.createdMs(), of.base(), of.number(), null, null, null,
                    null, null, null, null, null, null, done.writes().stream().map(w -> new StoredWrite(w.key(), w.value())).toList(),
                    done.received(), done.sends().stream().map(s -> new StoredSend(s.sender(), s.ordinal(), s.source(), s.destination(),
                            s.key(), s.payload())).toList(), null, passed(done));
            case Change.Fired fired -> new StoredChange("fired", of.process(), of.createdMs(), of.base(), of.number(), null, null, null,
                    null, null, null, null, null, null, null, fired.taken(), null, null, null);
            case Change.Killed killed -> new StoredChange("killed", of.process(), of.createdMs(), of.base(), of.number(), null, null, null,
                    null, null, null, null, null, null, null, null, null, killed.place(), null);
            case Change.Left left -> new StoredChange("left", of.process(), of.createdMs(), of.base(), of.number(), null, null, null,
                    null, null, null, null, null, null, null, null, null, left.place(), null);
        };
    }

    private static List<StoredPassed> passed(Change.Done done) {
        return done.passed().isEmpty() ? null
                : done.passed().stream().map(each -> new StoredPassed(each.number(), each.sender(), each.ordinal())).toList();
    }

    ProcessChange change() {
        Change change = switch (String.valueOf(type)) {
            case "made" -> new Change.Made(version, concurrency, memoryBytes, dedicated);
            case "arrived" -> new Change.Arrived(sender, ordinal, source, key, payload);
            case "done" -> new Change.Done(writes.stream().map(w -> new StateWrite(w.key(), w.value())).toList(), messages,
                    sends.stream().map(s -> new Change.Outgoing(s.sender(), s.ordinal(), s.source(), s.destination(), s.key(),
                            s.payload())).toList(), passed == null ? List.of()
                            : passed.stream().map(each -> new Change.Passed(each.number(), each.sender(), each.ordinal())).toList());
            case "fired" -> new Change.Fired(messages);
            case "killed" -> new Change.Killed(place);
            case "left" -> new Change.Left(place);
            default -> throw new UncheckedIOException(new IOException("not a change of a process: " + type));
        };
        return new ProcessChange(process, createdMs, base, number, change);
    }
}
