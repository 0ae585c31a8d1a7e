package dev.sand.hostagent.core;

import dev.sand.hostagent.process.Change.Outgoing;

/** Who has a message for a mailbox, and waits while there is no room for it. */
abstract class MailboxSender extends Timed {
    private final Outgoing message;
    private MailboxLine line;

    MailboxSender(Outgoing message) {
        this.message = message;
    }

    final Outgoing message() {
        return message;
    }

    final void waitsIn(MailboxLine waitedIn) {
        line = waitedIn;
    }

    /** For room, now or before. */
    final boolean hasWaited() {
        return line != null;
    }

    /** Nobody waits there any more: what it would send, the next attempt sends. */
    abstract boolean isGone();

    /** It is in the mailbox, or its room is kept. @param again it was there before */
    abstract void taken(boolean again);

    /** It is not, and its payload is free. */
    abstract void refused(String error, String why);

    /** The process is going to another host. @return whether it waits for room there, and not here any more */
    boolean goesElsewhere(long leftMs) {
        return false;
    }

    @Override
    final void onDue() {
        line.gaveUp(this);
    }
}
