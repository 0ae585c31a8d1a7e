package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.Change.Outgoing;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.Mailbox.Sent;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who waits at a cloud process's mailbox: functions for a message, they and other hosts for room for one. Who has waited longest is served first; each
 * waits for so long as it says, and no longer than its attempt runs.
 */
final class MailboxLine {
    /** Who gives a message: a function that runs here, another host, which gives it again if it is not durable, or whoever has kept it for a while. */
    enum By { FUNCTION, HOST, KEEPER }

    private final CoreContext context;
    private final ProcessHome home;
    private final CloudProcess process;
    private final Runnable onInvoking;
    private final Runnable hurry;
    private final List<Receiver> receivers = new ArrayList<>(0);
    private final ArrayDeque<MailboxSender> senders = new ArrayDeque<>(0);
    /** By number, those whose record is on its way. */
    private final Map<Long, Unsure> unsure = new LinkedHashMap<>(0);

    /** @param onInvoking told when a message came that may invoke a function */
    MailboxLine(CoreContext context, ProcessHome home, Runnable onInvoking) {
        this.context = context;
        this.home = home;
        this.process = home.process();
        this.onInvoking = onInvoking;
        this.hurry = this::hurry;
    }

    /** @param hurry has it written, of one that may be held; or null. @param waiting for it to be durable: who has brought it */
    private record Unsure(Outgoing message, String waits, Runnable hurry, boolean brought, List<Runnable> waiting) {
        boolean is(Outgoing other) {
            return message.ordinal() == other.ordinal() && Slots.request(message.sender()).equals(Slots.request(other.sender()));
        }

        /** By its sender, which runs here now: who has brought it may be no more. */
        Unsure sentHere() {
            return new Unsure(message, waits, hurry, false, waiting);
        }
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

    // --- sending

    /** It is told when its message is in the mailbox, or cannot be in time. @param waitMs for room */
    void send(MailboxSender sender, long waitMs) {
        boolean isRepeated = process.mailbox().hasTaken(sender.message().sender(), sender.message().ordinal());
        boolean isHeld = isHeld(sender.message()) && !isRepeated;
        // Not behind those that wait for the process to go: it does not before its own functions have ended.
        boolean passes = home.migration().holdsMessages() && isOwn(sender.message());
        if ((senders.isEmpty() || isRepeated || passes) && take(sender)) {
            return;
        }
        Payload payload = sender.message().payload();
        boolean fits = payload.size() <= home.spec().mailboxBytes();
        if (waitMs <= 0 && !isHeld || !fits) {
            refuse(sender, fits ? Errors.OVERLOADED : Errors.TOO_LARGE, full(payload));
            return;
        }
        senders.add(sender);
        sender.waitsIn(this);
        context.timers.arm(sender, context.nowNs + Math.max(waitMs, isHeld ? Stillness.HOLD_MS : 0) * 1_000_000);
    }

    /** Whether no message that was sent may come just now; what a function of its own sends at its end may: none begins meanwhile. */
    boolean holdsBack(Outgoing message) {
        return !isOwn(message) && isHeld(message);
    }

    private boolean isOwn(Outgoing message) {
        return message.source().equals(process.id());
    }

    /** Whether it may not come just now: what one of its functions sends while it runs may while the process is to go. */
    private boolean isHeld(Outgoing message) {
        return home.imaging().stillness().holdsMessages() || home.migration().holdsMessages() && !isOwn(message);
    }

    /** It has waited for as long as it would. */
    void gaveUp(MailboxSender sender) {
        senders.remove(sender);
        refuse(sender, Errors.OVERLOADED, full(sender.message().payload()));
        onRoom();
    }

    private String full(Payload payload) {
        if (payload.size() > home.spec().mailboxBytes()) { // whatever else is there
            return "process " + process.id() + " has a mailbox of " + home.spec().mailboxBytes() + " bytes, and this message alone"
                    + " has " + payload.size();
        }
        if (heapLacks(payload)) {
            return "the memory of this host agent is full; what is idle leaves it";
        }
        Refusal refusal = process.mailbox().refusal(payload.size());
        if (refusal == null) {
            return "others wait to send to process " + process.id();
        }
        int received = process.mailbox().received();
        return "process " + process.id() + " has a mailbox of " + refusal.allowed() + " " + refusal.limit() + ", and this message would make it "
                + refusal.actual() + (received == 0 ? "" : "; functions that have not ended have received " + received + " of its messages, and"
                + " keep that room until they end");
    }

    private boolean heapLacks(Payload payload) {
        return context.heapIsFull && payload.bytes() != null;
    }

    private void refuse(MailboxSender sender, String error, String message) {
        home.free(List.of(sender.message().payload()));
        sender.refused(error, message);
    }

    /** @return false: there is no room for it */
    private boolean take(MailboxSender sender) {
        if (sender.isGone()) {
            home.free(List.of(sender.message().payload()));
            return true;
        }
        boolean isRepeated = process.mailbox().hasTaken(sender.message().sender(), sender.message().ordinal());
        if (heapLacks(sender.message().payload()) && !isRepeated) {
            return false;
        }
        if (sender instanceof FunctionSender function && function.isAtomic()) {
            if (process.mailbox().refusal(sender.message().payload().size()) != null) {
                return false;
            }
            context.processes.deferred().add(function.attempt(), this, sender.message());
        } else if (isHeld(sender.message()) && !isRepeated
                || !deliver(sender.message(), sender.message().sender(), sender instanceof FunctionSender ? By.FUNCTION : By.HOST)) {
            return false;
        }
        sender.taken(isRepeated);
        return true;
    }

    /**
     * At once, and into the journal (PraaS 4.2: functions that run at the same time talk to each other).
     *
     * @param waits whoever does until it is durable
     * @return false: there is no room for it
     */
    boolean deliver(Outgoing message, String waits, By by) {
        if (home.isKilled()) {
            home.free(List.of(message.payload()));
            return true; // to nobody
        }
        Change.Arrived arrived = new Change.Arrived(message.sender(), message.ordinal(), message.source(), message.key(), message.payload());
        Sent sent = process.offer(arrived, context.nowNs);
        if (sent == Sent.REPEATED) {
            home.free(List.of(message.payload()));
            if (by != By.HOST) {
                unsure.replaceAll((number, each) -> each.is(message) ? each.sentHere() : each);
            }
        } else if (sent == Sent.TAKEN) {
            long number = process.number();
            unsure.put(number, new Unsure(message, waits, by == By.KEEPER ? null : hurry, by == By.HOST, new ArrayList<>(0)));
            if (by == By.KEEPER) { // its sender has ended but for that
                context.processes.sends().begin(waits);
                home.journal().write(number, arrived, () -> onSure(number));
            } else {
                context.processes.sends().begin(waits, hurry);
                home.journal().writeSent(number, arrived, () -> onSure(number));
                if (context.processes.sends().isAwaited(waits)) {
                    hurry();
                }
            }
            onMessage();
            onInvoking.run();
        }
        return sent != Sent.FULL;
    }

    private void onSure(long number) {
        Unsure sure = unsure.remove(number);
        if (sure != null) {
            context.processes.sends().done(sure.waits, sure.hurry);
            sure.waiting.forEach(Runnable::run);
        }
    }

    /** Does the step when that message, which is in the mailbox or was, is durable there; not when the process goes on elsewhere before. */
    void whenSure(Outgoing message, Runnable step) {
        for (Unsure each : unsure.values()) {
            if (each.is(message)) {
                each.waiting.add(step);
                return;
            }
        }
        step.run();
    }

    boolean isTooSmallFor(Payload payload) {
        return payload.size() > home.spec().mailboxBytes();
    }

    /** Whether messages are held for a moment before they are written. */
    boolean holdsAny() {
        return home.journal().holdsAny();
    }

    /** They are written now. */
    void hurry() {
        home.journal().hurry();
    }

    /** Whether others know the process. */
    boolean isMade() {
        return home.journal().isMade();
    }

    boolean isGone() {
        return home.isKilled();
    }

    void reserve(long bytes) {
        process.mailbox().reserve(bytes);
    }

    void release(long bytes) {
        process.mailbox().release(bytes);
    }

    /** There is room again. What comes may invoke a function, and so make room for the next one before this has returned. */
    void onRoom() {
        while (!senders.isEmpty()) {
            MailboxSender first = senders.pollFirst();
            if (!take(first)) {
                senders.addFirst(first);
                return;
            }
            context.timers.disarm(first);
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

    /**
     * The process goes on elsewhere, and of some messages nobody here knows whether it has them there: they are given again, to whoever
     * has it then. @return their payloads, which are still needed
     */
    List<Payload> moved() {
        List<Payload> needed = new ArrayList<>();
        List<Unsure> all = List.copyOf(unsure.values());
        unsure.clear();
        for (Unsure each : all) {
            if (each.brought) {
                context.processes.sends().done(each.waits, each.hurry);
            } else {
                context.processes.sends().hurriedNoMore(each.waits, each.hurry);
                needed.add(each.message.payload());
                context.processes.late().send(home.application(), each.message, each.waits, isMade());
            }
        }
        return needed;
    }

    /** Functions wait there for a message. */
    boolean hasReceivers() {
        return !receivers.isEmpty();
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

    /** Nobody waits there any more: so does not who runs in it. @param error what those are told who wait for room */
    void close(String error) {
        receivers.forEach(context.timers::disarm);
        receivers.clear();
        List<MailboxSender> waited = List.copyOf(senders);
        senders.clear();
        for (MailboxSender sender : waited) {
            context.timers.disarm(sender);
            if (error.equals(Errors.UNAVAILABLE) && sender.goesElsewhere((sender.dueNs - context.nowNs) / 1_000_000)) {
                continue;
            }
            refuse(sender, error, "process " + process.id() + (error.equals(Errors.NOT_FOUND) ? " was killed" : " is going to another host"));
        }
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }
}
