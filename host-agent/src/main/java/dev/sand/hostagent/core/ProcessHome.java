package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One cloud process on its owner's host: the executions that run in it, and those that wait to; whoever waits for its mailbox stands in
 * {@link MailboxLine}, and what lasts goes to {@link ProcessJournal}. Armed as a timer while it is active and has nothing to do, until
 * it counts as idle.
 */
final class ProcessHome extends Timed {
    private final CoreContext context;
    private final String application;
    private final ProcessSpec spec;
    private final CloudProcess process;
    private final ProcessJournal journal;
    private final long createdMs;
    private final Set<RunningExecution> running = new LinkedHashSet<>();
    private final ArrayDeque<RunningExecution> waiting = new ArrayDeque<>();
    private final MessageInvocations invocations;
    private final MailboxLine mailbox;
    private long ended;
    private long busyNs;
    private ApplicationVersion version;
    /** Nothing of it is here any more. */
    private boolean gone;

    /** @param process new, or as it was elsewhere or before */
    ProcessHome(CoreContext context, ApplicationVersion version, ProcessSpec spec, CloudProcess process, ProcessJournal journal,
                long createdMs) {
        this.context = context;
        this.application = version.application();
        this.spec = spec;
        this.process = process;
        this.journal = journal;
        this.createdMs = createdMs;
        this.version = version;
        this.invocations = new MessageInvocations(context, this);
        this.mailbox = new MailboxLine(context, this, spec, invocations::fire);
        rest();
    }

    String id() {
        return process.id();
    }

    String application() {
        return application;
    }

    CloudProcess process() {
        return process;
    }

    ProcessJournal journal() {
        return journal;
    }

    MailboxLine mailbox() {
        return mailbox;
    }

    ProcessView view() {
        return new ProcessView(application, id(), process.status().shown(), context.host, createdMs, spec.concurrency(), spec.memoryBytes(),
                process.keyCount(), process.stateBytes(), process.mailbox().unread(), process.mailbox().bytes(), running.size(),
                waiting.size(), ended, busyNs / 1_000_000);
    }

    private void become(LifeCycle next) {
        process.become(next);
        context.processes.changed(application);
    }

    void free(List<Payload> values) {
        context.processes.free(application, values);
    }

    /** Messages that it had when it came here may make invocations. */
    void resume() {
        invocations.fire();
    }

    // --- executions

    /** It runs now, or when others have ended; or it is refused. */
    void enter(RunningExecution execution, ApplicationVersion by) {
        version = by;
        if (running.size() >= spec.concurrency() && waiting.size() >= spec.queueDepth() && !execution.isRecovered()) {
            execution.ending().refused(new Failure(Errors.OVERLOADED, "process " + id() + " of application " + application
                    + " has a limit of " + spec.queueDepth() + " waiting invocations, and this one would be one more; try again later",
                    Failure.Source.PLATFORM, true, null, Map.of("limit", spec.queueDepth(), "actual", spec.queueDepth() + 1)));
            return;
        }
        context.timers.disarm(this);
        if (process.status() == LifeCycle.IDLE) {
            become(LifeCycle.ACTIVE);
        }
        waiting.add(execution);
        next();
    }

    /** The version that was invoked in it last: whose functions messages invoke. */
    ApplicationVersion version() {
        return version;
    }

    long createdMs() {
        return createdMs;
    }

    /** Of invocations by messages. */
    boolean hasRoom() {
        return running.size() < spec.concurrency() || waiting.size() < spec.queueDepth();
    }

    private void next() {
        while (running.size() < spec.concurrency() && !waiting.isEmpty()) {
            RunningExecution execution = waiting.poll();
            running.add(execution);
            execution.run();
        }
    }

    /** It has ended. */
    void left(RunningExecution execution) {
        if (running.remove(execution)) {
            ended++;
            next();
            invocations.fire();
        } else {
            waiting.remove(execution);
        }
        rest();
    }

    private void rest() {
        if (running.isEmpty() && waiting.isEmpty() && process.status() == LifeCycle.ACTIVE) {
            context.timers.arm(this, context.nowNs + spec.idleMs() * 1_000_000);
        }
    }

    /** Nothing ran in it for a while. */
    @Override
    void onDue() {
        become(LifeCycle.IDLE);
    }

    // --- what attempts do to it

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
            Change.Done done = process.done(finished, sends.stream().map(DeferredSends.Deferred::outgoing).toList());
            journal.write(executionId, sequence, backup, process.number(), done, () -> {
                if (finished != null && !gone) {
                    free(process.settle(finished));
                    mailbox.onRoom();
                }
                context.processes.deferred().deliver(executionId, sends);
                then.run();
            });
        }

        /** The execution has ended before its word of it. */
        void drop() {
            if (finished != null && !gone) {
                free(process.drop(finished));
                mailbox.onMessage();
            }
            context.processes.deferred().drop(sends, application);
        }
    }

    /** @param ranNs how long; @return null: it has changed nothing */
    Ending finished(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends, Attempt attempt, long ranNs) {
        busyNs += ranNs;
        mailbox.forget(attempt);
        return finished == null && sends.isEmpty() ? null : new Ending(finished, sends);
    }

    /** It did not end well; or it has, and this does nothing. */
    void abandon(Attempt attempt) {
        free(process.abandon(attempt));
        mailbox.forget(attempt);
        mailbox.onMessage();
    }

    /** Messages make an invocation: they are gone with the record of its request. */
    final class Firing {
        private final CloudProcess.Due due;
        private final Runnable then;

        /** @param then once that is durable */
        Firing(CloudProcess.Due due, Runnable then) {
            this.due = due;
            this.then = then;
        }

        void write(String executionId, Backup backup) {
            Change.Fired fired = process.fired(due);
            journal.write(executionId, 0, backup, process.number(), fired, then);
        }
    }

    // --- its end

    /** It is killed. @param then once that is durable */
    void kill(String cause, Runnable then) {
        close();
        List<RunningExecution> open = takeExecutions();
        open.forEach(execution -> execution.ending().cancelled(cause));
        journal.write(process.changed(), new Change.Killed(), () -> {
            forget();
            journal.end(process.number());
            then.run();
        });
    }

    /** Its application is deleted, with all that is kept of it. */
    void delete(String cause) {
        close();
        List<RunningExecution> open = takeExecutions();
        open.forEach(execution -> execution.ending().cancelled(cause));
        forget();
    }

    /** It goes on elsewhere, as does what runs in it. */
    void moved() {
        close();
        takeExecutions();
        forget();
    }

    private void close() {
        become(LifeCycle.KILLED);
        context.timers.disarm(this);
        invocations.close();
        mailbox.close();
    }

    private void forget() {
        gone = true;
        free(process.values());
    }

    private List<RunningExecution> takeExecutions() {
        List<RunningExecution> open = new ArrayList<>(running);
        open.addAll(waiting);
        running.clear();
        waiting.clear();
        return open;
    }
}
