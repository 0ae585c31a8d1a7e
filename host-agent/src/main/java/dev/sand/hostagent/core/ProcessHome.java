package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.process.Attempt;
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
 * {@link MailboxLine}. Armed as a timer while it is active and has nothing to do, until it counts as idle.
 */
final class ProcessHome extends Timed {
    private final CoreContext context;
    private final String application;
    private final ProcessSpec spec;
    private final CloudProcess process;
    private final long createdMs;
    private final Set<RunningExecution> running = new LinkedHashSet<>();
    private final ArrayDeque<RunningExecution> waiting = new ArrayDeque<>();
    private final MessageInvocations invocations;
    private final MailboxLine mailbox;
    private long ended;
    private long busyNs;
    private ApplicationVersion version;

    ProcessHome(CoreContext context, ApplicationVersion version, ProcessSpec spec, String id, long createdMs) {
        this.context = context;
        this.application = version.application();
        this.spec = spec;
        this.process = new CloudProcess(id, spec);
        this.createdMs = createdMs;
        this.version = version;
        this.invocations = new MessageInvocations(context, this);
        this.mailbox = new MailboxLine(context, application, process, spec, invocations::fire);
        rest();
    }

    String id() {
        return process.id();
    }

    CloudProcess process() {
        return process;
    }

    MailboxLine mailbox() {
        return mailbox;
    }

    ProcessView view() {
        return new ProcessView(application, id(), process.status().shown(), context.host, createdMs, spec.concurrency(), spec.memoryBytes(),
                process.keyCount(), process.stateBytes(), process.unread(), process.mailboxBytes(), running.size(), waiting.size(), ended,
                busyNs / 1_000_000);
    }

    private void become(LifeCycle next) {
        process.become(next);
        context.processes.changed(application);
    }

    // --- executions

    /** It runs now, or when others have ended; or it is refused. */
    void enter(RunningExecution execution, ApplicationVersion by) {
        version = by;
        if (running.size() >= spec.concurrency() && waiting.size() >= spec.queueDepth()) {
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

    // --- attempts

    /** @param ranNs how long */
    void finished(Attempt attempt, CloudProcess.Effects effects, long ranNs) {
        busyNs += ranNs;
        context.processes.free(application, effects.freed());
        mailbox.forget(attempt);
        mailbox.onRoom();
    }

    /** It did not end well; or it has, and this does nothing. */
    void abandon(Attempt attempt) {
        context.processes.free(application, process.abandon(attempt));
        mailbox.forget(attempt);
        mailbox.onMessage();
    }

    // --- its end

    /** @param cause that what runs in it is cancelled for; null: it goes on elsewhere */
    void close(String cause) {
        become(LifeCycle.KILLED);
        context.timers.disarm(this);
        invocations.close();
        mailbox.close();
        List<RunningExecution> open = new ArrayList<>(running);
        open.addAll(waiting);
        running.clear();
        waiting.clear();
        if (cause != null) {
            open.forEach(execution -> execution.ending().cancelled(cause));
        }
        context.processes.free(application, process.values());
    }
}
