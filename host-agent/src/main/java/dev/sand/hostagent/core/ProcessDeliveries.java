package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessMessage;
import dev.sand.hostagent.process.Change.Outgoing;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Messages that other hosts bring to mailboxes of processes here. Each is answered once it is in the journal, or with why it cannot
 * be. Who asked for that is told before when it is in the mailbox, and whether it is held there for a moment. What is brought again is known by its sender and number.
 */
final class ProcessDeliveries {
    /** Of an application at once. */
    private static final int MOST = 10_000;

    private final CoreContext context;
    private final Set<Delivery> underWay = new LinkedHashSet<>();

    ProcessDeliveries(CoreContext context) {
        this.context = context;
    }

    /** Another host that waits. */
    private final class Delivery extends MailboxSender {
        private final ProcessMessage brought;
        private final HostAgentPort.Early early;
        private final Consumer<Failure> listener;
        /** Of its receiver. */
        private int slot;
        /** Null: not found yet. */
        private MailboxLine mailbox;

        Delivery(ProcessMessage brought, HostAgentPort.Early early, Consumer<Failure> listener) {
            super(new Outgoing(brought.sender(), brought.ordinal(), brought.source(), brought.destination(), brought.key(),
                    brought.payload()));
            this.brought = brought;
            this.early = early;
            this.listener = listener;
        }

        /** Its slot is lost: it was answered. */
        @Override
        boolean isGone() {
            return !underWay.contains(this);
        }

        /**
         * Perhaps an earlier time: then that is waited for. Not for what else its sender has sent: that may be behind this one. Of a process
         * that a next owner may not know, nothing is told before.
         */
        @Override
        void taken(boolean again) {
            if (early != null && mailbox.isMade()) {
                context.emit(new Action.TellTaken(early.taken(), mailbox.holdsAny() ? mailbox::hurry : null));
            } else {
                mailbox.hurry(); // who has brought it waits for that, or waited the first time
            }
            mailbox.whenSure(message(), () -> answer(null));
        }

        @Override
        void refused(String error, String why) {
            boolean again = error.equals(Errors.OVERLOADED) || error.equals(Errors.UNAVAILABLE);
            String told = error.equals(Errors.UNAVAILABLE) && waitsForRoom() ? Errors.OVERLOADED : error;
            answer(new Failure(told, why, Failure.Source.PLATFORM, again, null, Map.of()));
        }

        /** Here it has found none, or what it found is not durable: who has time left goes on waiting where the process lives then. */
        private boolean waitsForRoom() {
            return hasWaited() && brought.waitMs() > 0;
        }

        /** What it is behind was taken by an earlier owner, and is to come again first. */
        boolean isTooEarly(ProcessHome home) {
            ProcessMessage.Name behind = early == null ? null : early.behind();
            return behind != null && context.has(Rule.BROUGHT_IN_THEIR_ORDER)
                    && !home.process().mailbox().hasTaken(behind.sender(), behind.ordinal());
        }

        /** The slot of its receiver is another host's. */
        void lost() {
            Failure failure = notOurs(brought.destination(), slot);
            answer(waitsForRoom() ? new Failure(Errors.OVERLOADED, failure.cause(), Failure.Source.PLATFORM, true, null, Map.of()) : failure);
        }

        void answer(Failure failure) {
            if (underWay.remove(this)) {
                context.emit(new Action.AnswerDelivery(listener, failure));
            }
        }
    }

    void on(Input.Deliver deliver) {
        ProcessMessage message = deliver.message();
        Delivery delivery = new Delivery(message, deliver.early(), deliver.listener());
        int slot = slotOf(message);
        Failure refusal = context.slots.state(slot) != SlotTable.State.RECOVERING ? full() : notOurs(message.destination(), slot);
        delivery.slot = slot;
        underWay.add(delivery);
        if (refusal != null) {
            refuse(delivery, refusal);
            return;
        }
        context.processes.table().findHere(message.application(), message.destination(), message.version(), (home, failure) -> {
            if (delivery.isGone()) {
                context.processes.free(message.application(), List.of(message.payload()));
            } else if (home == null) {
                refuse(delivery, failure != null ? failure : Failure.caller(Errors.NOT_FOUND, "application " + message.application()
                        + " has no process " + message.destination()));
            } else if (delivery.isTooEarly(home)) {
                refuse(delivery, Failure.platform(Errors.UNAVAILABLE, "what was sent to process " + message.destination()
                        + " before is on its way here still", true));
            } else {
                home.meets(message.version());
                delivery.slot = home.slot();
                delivery.mailbox = home.mailbox();
                home.mailbox().send(delivery, message.waitMs());
            }
        });
    }

    private int slotOf(ProcessMessage message) {
        return context.processes.table().slotOf(message.application(), message.destination());
    }

    private void refuse(Delivery delivery, Failure failure) {
        context.processes.free(delivery.brought.application(), List.of(delivery.brought.payload()));
        delivery.answer(failure);
    }

    private Failure notOurs(String process, int slot) {
        boolean elsewhere = context.slots.state(slot) == SlotTable.State.ELSEWHERE;
        return Failure.platform(elsewhere ? Errors.MOVED : Errors.UNAVAILABLE, "process " + process + " is in slot " + slot
                + (elsewhere ? ", which is another host's" : ", whose journals are being read"), true);
    }

    private Failure full() {
        return underWay.size() < MOST ? null : new Failure(Errors.OVERLOADED, "this host has a limit of " + MOST
                + " messages of other hosts that wait for their mailboxes", Failure.Source.PLATFORM, true, null,
                Map.of("limit", MOST, "actual", underWay.size() + 1));
    }

    /** Whoever brings them is to go to its next owner. What was journaled is known there. */
    void lost(int slot) {
        for (Delivery delivery : List.copyOf(underWay)) {
            if (delivery.slot == slot) {
                delivery.lost();
            }
        }
    }
}
