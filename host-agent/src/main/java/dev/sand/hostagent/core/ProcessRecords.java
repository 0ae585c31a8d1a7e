package dev.sand.hostagent.core;

import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Changes of a cloud process that are in the records of its executions: of ends, and of requests that messages made. */
final class ProcessRecords {
    private final CoreContext context;
    private final ProcessHome home;
    /** What functions did that ended, on its way into the journal. */
    private final Set<Ending> written = new LinkedHashSet<>(0);
    /** Executions that messages made, whose request is on its way into the journal, and what is done then. */
    private final Map<String, List<Runnable>> fires = new LinkedHashMap<>(0);

    ProcessRecords(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** @return null: it has changed nothing */
    Ending ending(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends) {
        return finished == null && sends.isEmpty() ? null : new Ending(finished, sends);
    }

    /** @param then once that is durable */
    Firing firing(CloudProcess.Due due, Runnable then) {
        return new Firing(due, then);
    }

    /** What a function did that ended well: in the record of its end, and in effect once that is durable. */
    final class Ending {
        private final CloudProcess.Finished finished;
        private final List<DeferredSends.Deferred> sends;

        private Ending(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends) {
            this.finished = finished;
            this.sends = sends;
        }

        /** @param backup the execution's word of it, with that number; @param then once it is durable */
        void write(String executionId, long sequence, Backup backup, Runnable then) {
            CloudProcess process = home.process();
            List<Change.Passed> passed = finished == null ? List.of() : home.journal().passes(finished.receivedNumbers());
            Change.Done done = process.done(finished, sends.stream().map(DeferredSends.Deferred::outgoing).toList(), passed);
            written.add(this);
            long number = passed.isEmpty() ? process.number() : passed.getLast().number();
            home.journal().writeEnd(executionId, sequence, backup, number, done, () -> {
                if (!written.remove(this)) {
                    return; // it is the next owner's
                }
                boolean settles = finished != null && !home.isGone();
                boolean hadLarge = process.mailbox().besideBytes() > 0;
                home.counts().sent += sends.size();
                if (settles) {
                    home.counts().received += finished.received();
                    home.free(process.settle(finished));
                }
                context.processes.deferred().deliver(home.application(), executionId, sends);
                if (settles) { // an image that begins now lets the journal go, which alone had what was sent
                    home.overflow().check();
                    if (hadLarge && home.process().mailbox().besideBytes() == 0) {
                        home.imaging().areRead();
                    }
                    home.mailbox().onRoom();
                }
                then.run();
            });
        }

        /** The execution has ended before its word of it. */
        void drop() {
            if (finished != null && !home.isGone()) {
                home.free(home.process().drop(finished));
                home.mailbox().onMessage();
            }
            context.processes.deferred().drop(sends, home.application());
        }
    }

    /** Messages make an invocation: they are gone with the record of its request. */
    final class Firing {
        private final CloudProcess.Due due;
        private final Runnable then;

        private Firing(CloudProcess.Due due, Runnable then) {
            this.due = due;
            this.then = then;
        }

        /** Its end waits for that: before, another owner has the messages unread, and they make another one. */
        void write(String executionId, Backup backup) {
            Change.Fired fired = home.process().fired(due);
            home.counts().received += due.messages().size();
            context.processes.sends().begin(executionId);
            fires.put(executionId, new ArrayList<>(0));
            home.journal().write(executionId, 0, backup, home.process().number(), fired, () -> {
                then.run();
                made(executionId);
            });
        }
    }

    /** Its request is durable, or the next owner's. */
    private void made(String executionId) {
        List<Runnable> held = fires.remove(executionId);
        if (held != null) {
            context.processes.sends().done(executionId);
            held.forEach(context::later);
        }
    }

    /** Does the step when the request is durable, of which messages made the execution. @return false: it is, and whoever asks does it */
    boolean holdsUntilMade(String executionId, Runnable step) {
        List<Runnable> held = fires.isEmpty() ? null : fires.get(executionId);
        return held != null && held.add(step);
    }

    /** What is on its way is the next owner's. */
    void giveUp() {
        written.forEach(ending -> context.processes.deferred().drop(ending.sends, home.application()));
        written.clear();
        List.copyOf(fires.keySet()).forEach(this::made);
    }
}
