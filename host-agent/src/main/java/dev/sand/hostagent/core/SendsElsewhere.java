package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change.Outgoing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages of functions here to processes whose owner is another host (PraaS 4.2). One is answered once it is in its mailbox there, and its
 * sender's end waits until it is durable; given again it is known by its sender and number. Until one is durable, the next one to the same
 * process names it, so that no later owner takes that before it.
 */
final class SendsElsewhere {
    /** One request between hosts waits for room for no longer. */
    private static final long ROOM_MS = 30_000;

    private record Way(String application, String source, String destination) {}

    /** Has what is held at a way's end written; the same for all that a sender has sent that way. */
    private record Hurry(SendsElsewhere sends, Way way) implements Runnable {
        @Override
        public void run() {
            sends.hurry(way);
        }
    }

    private final CoreContext context;
    private final Processes processes;
    /** What is in its mailbox and not known to be durable. */
    private final Map<Way, List<Giving>> unsure = new HashMap<>();
    /** What is to be done when there is none. */
    private final Map<Way, List<Runnable>> waiting = new HashMap<>();

    SendsElsewhere(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }

    private void free(Input.CallProcess call, Payload payload) {
        processes.free(call.app().application(), List.of(payload));
    }

    void send(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        Outgoing message = FunctionSender.message(by, home.id(), send);
        if (processes.calls().isLate(by, attempt, call)) {
            return;
        }
        if (FunctionSender.isAtomic(by)) {
            later(by, attempt, call, message);
        } else {
            sendNow(by, attempt, home, call, message, context.nowNs + send.waitMs() * 1_000_000);
        }
    }

    private void sendNow(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, Outgoing message, long untilNs) {
        long waitMs = Math.clamp((untilNs - context.nowNs) / 1_000_000, 0, ROOM_MS);
        Giving giving = new Giving(by, home, call, message);
        List<Giving> before = unsure.get(giving.way());
        context.emit(new Action.SendElsewhere(call.app().application(), call.app().version(), message, waitMs,
                new Early(before == null ? null : before.getLast().name(), giving::taken), failure -> {
            if (giving.taken) {
                giving.ended(failure);
            } else if (failure != null && failure.error().equals(Errors.OVERLOADED) && context.nowNs < untilNs) {
                giving.over = true;
                context.later(() -> sendAgain(by, attempt, home, call, message, untilNs));
            } else if (failure != null) {
                giving.over = true;
                processes.calls().refuse(call, failure, message.destination());
            } else { // by a host that does not tell before
                giving.over = true;
                home.counts().sent++;
                free(call, message.payload());
                answer(call.listener(), new Answer.Done());
            }
        }));
    }

    /** Whether something of the one process is in the other's mailbox, on another host, and not known to be durable. */
    boolean isUnsure(String application, String source, String destination) {
        return !unsure.isEmpty() && unsure.containsKey(new Way(application, source, destination));
    }

    /** Does the step when that is known, or is on its way anew. */
    void whenSure(String application, String source, String destination, Runnable step) {
        waiting.computeIfAbsent(new Way(application, source, destination), added -> new ArrayList<>(1)).add(step);
    }

    /** The last one's owner holds those before it, too, or has written them. */
    private void hurry(Way way) {
        List<Giving> ofWay = unsure.get(way);
        if (ofWay != null && !ofWay.isEmpty()) { // the last one may be ending just now
            ofWay.forEach(each -> each.isHurried = true);
            ofWay.reversed().stream().filter(each -> !each.isLost).findFirst().ifPresent(Giving::hurry);
        }
    }

    /** A message on its way. */
    private final class Giving {
        final Event by;
        final ProcessHome home;
        final Input.CallProcess call;
        final Outgoing message;
        boolean taken;
        boolean over;
        /** Somebody waits for it to be durable. */
        private boolean isHurried;
        /** Null: it is not held, as far as is known. */
        private Runnable held;
        /** Nobody is known to have it. */
        private boolean isLost;

        Giving(Event by, ProcessHome home, Input.CallProcess call, Outgoing message) {
            this.by = by;
            this.home = home;
            this.call = call;
            this.message = message;
        }

        Way way() {
            return new Way(call.app().application(), message.source(), message.destination());
        }

        ProcessMessage.Name name() {
            return new ProcessMessage.Name(message.sender(), message.ordinal());
        }

        /** Its function goes on, whose end waits for it from now on. @param heldThere has it written; null: it is on its way into the journal */
        void taken(Runnable heldThere) {
            held = heldThere;
            if (isHurried) {
                hurry();
            }
            if (taken || over) {
                return; // by the next owner, too
            }
            taken = true;
            unsure.computeIfAbsent(way(), added -> new ArrayList<>(1)).add(this);
            processes.sends().begin(by.id, hurried());
            home.counts().sent++;
            answer(call.listener(), new Answer.Done());
            if (processes.sends().isAwaited(by.id)) {
                hurry();
            }
        }

        private Hurry hurried() {
            return new Hurry(SendsElsewhere.this, way());
        }

        private void giveLater() {
            processes.sends().hurriedNoMore(by.id, hurried());
            processes.late().send(call.app().application(), message, by.id, true);
        }

        void hurry() {
            isHurried = true;
            if (held != null) {
                context.emit(new Action.Hurry(held));
                held = null;
            }
        }

        /** @param failure null: it is durable; else nobody is known to have it, and it is given until somebody has */
        void ended(Failure failure) {
            List<Giving> ofWay = unsure.get(way());
            if (failure == null) {
                ofWay.remove(this);
                free(call, message.payload());
                processes.sends().done(by.id, hurried());
            } else {
                isLost = true;
            }
            while (!ofWay.isEmpty() && ofWay.getFirst().isLost) { // in their order, whichever was told first
                ofWay.removeFirst().giveLater();
            }
            if (ofWay.isEmpty()) {
                unsure.remove(way());
                waiting.getOrDefault(way(), List.of()).forEach(step -> context.later(FanOut.NEXT_TURN_NS, step));
                waiting.remove(way());
            }
        }
    }

    /** There was no room. Of an attempt that runs no more the message comes with the next one, if at all. */
    private void sendAgain(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, Outgoing message, long untilNs) {
        if (!processes.calls().isLate(by, attempt, call)) {
            sendNow(by, attempt, home, call, message, untilNs);
        }
    }

    /** It counts when its function ends well: that there is such a process is known before. */
    private void later(Event by, Attempt attempt, Input.CallProcess call, Outgoing message) {
        long most = by.grain.application().version().processSpec().mailboxBytes();
        if (message.payload().size() > most) {
            processes.calls().refuse(call, Errors.TOO_LARGE, "a mailbox has a limit of " + most + " bytes, and this message has "
                    + message.payload().size());
            return;
        }
        context.emit(new Action.FindElsewhere(call.app().application(), call.app().version(), message.destination(), (view, failure) -> {
            if (failure != null) {
                processes.calls().refuse(call, failure, message.destination());
            } else if (!processes.calls().isLate(by, attempt, call)) {
                processes.deferred().add(attempt, null, message);
                answer(call.listener(), new Answer.Done());
            }
        }));
    }
}
