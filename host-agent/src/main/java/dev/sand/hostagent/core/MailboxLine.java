package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.Mailbox.Sent;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions that wait at a cloud process's mailbox: for a message, or for room for one. Who has waited longest is served first; each
 * waits for so long as it says, and no longer than its attempt runs.
 */
final class MailboxLine {
    private final CoreContext context;
    private final ProcessHome home;
    private final CloudProcess process;
    private final ProcessSpec spec;
    private final Runnable onInvoking;
    private final List<Receiver> receivers = new ArrayList<>(0);
    private final ArrayDeque<Sender> senders = new ArrayDeque<>(0);

    /** @param onInvoking told when a message came that may invoke a function */
    MailboxLine(CoreContext context, ProcessHome home, ProcessSpec spec, Runnable onInvoking) {
        this.context = context;
        this.home = home;
        this.process = home.process();
        this.spec = spec;
        this.onInvoking = onInvoking;
    }

    /** A function that waits for a message. */
    private final class Receiver extends Timed {
        final Attempt attempt;
        final ProcessCall.Receive call;
        final ProcessCall.Listener listener;

        Receiver(Attempt attempt, ProcessCall.Receive call, ProcessCall.Listener listener) {
            this.attempt = attempt;
            this.call = call;
            this.listener = listener;
        }

        @Override
        void onDue() {
            receivers.remove(this);
            answer(listener, new Answer.Nothing());
        }
    }

    /** A function that waits for room. */
    private final class Sender extends Timed {
        final Event by;
        final Attempt attempt;
        final String source;
        final ProcessCall.Send call;
        final ProcessCall.Listener listener;

        Sender(Event by, String source, ProcessCall.Send call, ProcessCall.Listener listener) {
            this.by = by;
            this.attempt = Processes.attempt(by);
            this.source = source;
            this.call = call;
            this.listener = listener;
        }

        /** Nobody waits there any more: what it would send, the next attempt sends. */
        boolean isGone() {
            return !by.isRunning() || !Processes.attempt(by).equals(attempt);
        }

        /** Its function's sends count when it ends well. */
        boolean isAtomic() {
            return by.grain.application().version().processSpec().function(by.grainName).atomic();
        }

        @Override
        void onDue() {
            senders.remove(this);
            refuse(this, Errors.OVERLOADED, full(call.payload()));
            onRoom();
        }
    }

    // --- sending

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
        Refusal refusal = process.mailbox().refusal(payload.size());
        return refusal == null ? "others wait to send to process " + process.id()
                : "process " + process.id() + " has a " + refusal.limit() + " of " + refusal.allowed() + ", and this message would make it "
                        + refusal.actual();
    }

    private void refuse(Sender sender, String error, String message) {
        home.free(List.of(sender.call.payload()));
        answer(sender.listener, new Answer.Refused(error, message));
    }

    /** @return false: there is no room for it */
    private boolean take(Sender sender) {
        if (sender.isGone()) {
            home.free(List.of(sender.call.payload()));
            return true;
        }
        if (sender.isAtomic() && process.mailbox().refusal(sender.call.payload().size()) != null) {
            return false;
        }
        if (sender.isAtomic()) {
            context.processes.deferred().add(sender.attempt, this, outgoing(sender));
        } else if (!deliver(outgoing(sender), sender.by.id)) {
            return false;
        }
        answer(sender.listener, new Answer.Done());
        return true;
    }

    private Change.Outgoing outgoing(Sender sender) {
        return new Change.Outgoing(sender.by.id, sender.call.number(), sender.source, process.id(), sender.call.key(),
                sender.call.payload());
    }

    /**
     * At once, and into the journal (PraaS 4.2: functions that run at the same time talk to each other).
     *
     * @param waits whoever does until it is durable; @return false: there is no room for it
     */
    boolean deliver(Change.Outgoing message, String waits) {
        if (home.isKilled()) {
            home.free(List.of(message.payload()));
            return true; // to nobody
        }
        Change.Arrived arrived = new Change.Arrived(message.sender(), message.ordinal(), message.source(), message.key(), message.payload());
        Sent sent = process.offer(arrived, context.nowNs);
        if (sent == Sent.REPEATED) {
            home.free(List.of(message.payload()));
        } else if (sent == Sent.TAKEN) {
            context.processes.sends().begin(waits);
            home.journal().write(process.number(), arrived, () -> context.processes.sends().done(waits));
            onMessage();
            onInvoking.run();
        }
        return sent != Sent.FULL;
    }

    void reserve(long bytes) {
        process.mailbox().reserve(bytes);
    }

    void release(long bytes) {
        process.mailbox().release(bytes);
    }

    /** There is room again. */
    void onRoom() {
        while (!senders.isEmpty() && take(senders.peekFirst())) {
            context.timers.disarm(senders.pollFirst());
        }
    }

    // --- receiving

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
        Message message = process.receive(receiver.attempt, receiver.call.source(), receiver.call.key());
        if (message != null) {
            home.counts().received++;
            answer(receiver.listener, new Answer.Received(message.source(), message.key(), message.payload()));
        }
        return message != null;
    }

    /** One came, or came back. */
    void onMessage() {
        for (int i = 0; i < receivers.size();) {
            if (serve(receivers.get(i))) {
                context.timers.disarm(receivers.remove(i));
            } else {
                i++;
            }
        }
    }

    /** Nobody waits there. */
    boolean isEmpty() {
        return senders.isEmpty() && receivers.isEmpty();
    }

    // --- ends

    /** Nobody waits there for a message any more. */
    void forget(Attempt attempt) {
        for (int i = receivers.size() - 1; i >= 0; i--) {
            if (receivers.get(i).attempt.equals(attempt)) {
                context.timers.disarm(receivers.remove(i));
            }
        }
    }

    /** The process is killed, or goes on elsewhere: so does who runs in it. */
    void close() {
        receivers.forEach(context.timers::disarm);
        receivers.clear();
        for (Sender sender : senders) {
            context.timers.disarm(sender);
            refuse(sender, Errors.NOT_FOUND, "process " + process.id() + " is here no more");
        }
        senders.clear();
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }
}
