package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.CloudProcess.Sent;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One cloud process on its owner's host: the executions that run in it, those that wait to, and whoever waits for its mailbox. Armed
 * as a timer while it is active and has nothing to do, until it counts as idle.
 */
final class ProcessHome extends Timed {
    private final CoreContext context;
    private final String application;
    private final ProcessSpec spec;
    private final CloudProcess process;
    private final long createdMs;
    private final Set<RunningExecution> running = new LinkedHashSet<>();
    private final ArrayDeque<RunningExecution> waiting = new ArrayDeque<>();
    private final List<Receiver> receivers = new ArrayList<>(0);
    private final ArrayDeque<Sender> senders = new ArrayDeque<>(0);
    private final MessageInvocations invocations;
    private long ended;
    private long busyNs;
    private ApplicationVersion version;

    /** A function that waits for a message. */
    private final class Receiver extends Timed {
        final Attempt attempt;
        final String source;
        final String key;
        final ProcessCall.Listener listener;

        Receiver(Attempt attempt, ProcessCall.Receive call, ProcessCall.Listener listener) {
            this.attempt = attempt;
            this.source = call.source();
            this.key = call.key();
            this.listener = listener;
        }

        @Override
        void onDue() {
            receivers.remove(this);
            answer(listener, new Answer.Nothing());
        }
    }

    /** A function that waits for room in the mailbox. */
    private final class Sender extends Timed {
        final Event by;
        final String source;
        final ProcessCall.Send call;
        final ProcessCall.Listener listener;

        Sender(Event by, String source, ProcessCall.Send call, ProcessCall.Listener listener) {
            this.by = by;
            this.source = source;
            this.call = call;
            this.listener = listener;
        }

        /** Its function's sends count when it ends well. */
        boolean isAtomic() {
            return by.grain.application().version().processSpec().function(by.grainName).atomic();
        }

        @Override
        void onDue() {
            senders.remove(this);
            refuse(this, Errors.OVERLOADED, full(call.payload()));
            admitSenders();
        }
    }

    ProcessHome(CoreContext context, ApplicationVersion version, ProcessSpec spec, String id, long createdMs) {
        this.context = context;
        this.application = version.application();
        this.spec = spec;
        this.process = new CloudProcess(id, spec);
        this.createdMs = createdMs;
        this.version = version;
        this.invocations = new MessageInvocations(context, this);
        rest();
    }

    String id() {
        return process.id();
    }

    CloudProcess process() {
        return process;
    }

    ProcessView view() {
        return new ProcessView(application, id(), process.status().shown(), context.host, createdMs, spec.concurrency(), spec.memoryBytes(),
                process.keyCount(),
                process.stateBytes(), process.unread(), process.mailboxBytes(), running.size(), waiting.size(), ended,
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

    // --- messages

    /** Answered when it is in the mailbox, or cannot be in time. */
    void send(Event by, String source, ProcessCall.Send call, ProcessCall.Listener listener) {
        Sender sender = new Sender(by, source, call, listener);
        if (senders.isEmpty() && take(sender)) {
            return;
        }
        boolean fits = call.payload().size() <= spec.mailboxBytes();
        if (call.waitMs() <= 0 || !fits) {
            refuse(sender, fits ? Errors.OVERLOADED : Errors.TOO_LARGE, full(call.payload()));
            return;
        }
        senders.add(sender);
        context.timers.arm(sender, context.nowNs + call.waitMs() * 1_000_000);
    }

    private String full(Payload payload) {
        Refusal refusal = process.refusal(payload.size());
        return refusal == null ? "others wait to send to process " + id()
                : "process " + id() + " has a " + refusal.limit() + " of " + refusal.allowed() + ", and this message would make it "
                        + refusal.actual();
    }

    private void refuse(Sender sender, String error, String message) {
        context.processes.free(application, List.of(sender.call.payload()));
        answer(sender.listener, new Answer.Refused(error, message));
    }

    /** @return false: there is no room for it */
    private boolean take(Sender sender) {
        if (sender.isAtomic()) {
            if (process.refusal(sender.call.payload().size()) != null) {
                return false;
            }
            context.processes.deferred().add(Processes.attempt(sender.by), this, sender.source, sender.by.id, sender.call);
            answer(sender.listener, new Answer.Done());
            return true;
        }
        boolean taken = deliver(sender.source, sender.by.id, sender.call);
        if (taken) {
            answer(sender.listener, new Answer.Done());
        }
        return taken;
    }

    /** @param sender the invocation that sends it; @return false: there is no room for it */
    boolean deliver(String source, String sender, ProcessCall.Send send) {
        Sent sent = process.offer(source, send.key(), send.payload(), sender, send.number(), context.nowNs);
        if (sent == Sent.REPEATED) {
            context.processes.free(application, List.of(send.payload()));
        } else if (sent == Sent.TAKEN) {
            serveReceivers();
            invocations.fire();
        }
        return sent != Sent.FULL;
    }

    /** There is room in its mailbox again. */
    void onRoom() {
        admitSenders();
    }

    private void admitSenders() {
        while (!senders.isEmpty() && take(senders.peekFirst())) {
            context.timers.disarm(senders.pollFirst());
        }
    }

    void receive(Attempt attempt, ProcessCall.Receive call, ProcessCall.Listener listener) {
        Receiver receiver = new Receiver(attempt, call, listener);
        if (serve(receiver)) {
            return;
        }
        if (call.waitMs() <= 0) {
            answer(listener, new Answer.Nothing());
            return;
        }
        receivers.add(receiver);
        context.timers.arm(receiver, context.nowNs + call.waitMs() * 1_000_000);
    }

    private boolean serve(Receiver receiver) {
        Message message = process.receive(receiver.attempt, receiver.source, receiver.key);
        if (message != null) {
            answer(receiver.listener, new Answer.Received(message.source(), message.key(), message.payload()));
        }
        return message != null;
    }

    /** Those that have waited longest first. */
    private void serveReceivers() {
        for (int i = 0; i < receivers.size();) {
            if (serve(receivers.get(i))) {
                context.timers.disarm(receivers.remove(i));
            } else {
                i++;
            }
        }
    }

    // --- attempts

    /** @param ranNs how long */
    void finished(Attempt attempt, CloudProcess.Effects effects, long ranNs) {
        busyNs += ranNs;
        context.processes.free(application, effects.freed());
        forget(attempt);
        admitSenders();
    }

    /** It did not end well; or it has, and this does nothing. */
    void abandon(Attempt attempt) {
        context.processes.free(application, process.abandon(attempt));
        forget(attempt);
        serveReceivers();
    }

    /** Its process is gone, or about to: nobody waits there for an answer. */
    private void forget(Attempt attempt) {
        for (int i = receivers.size() - 1; i >= 0; i--) {
            if (receivers.get(i).attempt.equals(attempt)) {
                context.timers.disarm(receivers.remove(i));
            }
        }
    }

    // --- its end

    /** @param cause that what runs in it is cancelled for; null: it goes on elsewhere */
    void close(String cause) {
        become(LifeCycle.KILLED);
        context.timers.disarm(this);
        invocations.close();
        receivers.forEach(context.timers::disarm);
        receivers.clear();
        for (Sender sender : senders) {
            context.timers.disarm(sender);
            answer(sender.listener, new Answer.Refused(Errors.NOT_FOUND, "process " + id() + " was killed"));
        }
        senders.clear();
        List<RunningExecution> open = new ArrayList<>(running);
        open.addAll(waiting);
        running.clear();
        waiting.clear();
        if (cause != null) {
            open.forEach(execution -> execution.ending().cancelled(cause));
        }
        context.processes.free(application, process.values());
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }
}
