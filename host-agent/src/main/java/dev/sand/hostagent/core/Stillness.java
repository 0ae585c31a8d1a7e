package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.function.Consumer;

/**
 * Waits until a cloud process is still, as one of which an image is made: all that has changed is durable, and all that it sent is in its
 * receivers' journals, for until then its own alone has that, and lets it go with the image.
 *
 * <pre>
 * NONE      → FUNCTIONS  what it sends was on its way all the time, and moves: no function begins
 * NONE      → MESSAGES   a change was on its way into the journal all the time: no message comes either
 * FUNCTIONS → MESSAGES   that alone is left
 * MESSAGES  → FUNCTIONS  what it sends is
 * MESSAGES  → NONE       the journal takes none at all, or not in time: whoever waits is told so, and tries again later
 * </pre>
 * Armed as a timer while it waits.
 */
final class Stillness extends Timed {
    /** What is held back, so that nothing else is begun. */
    private enum Held { NONE, FUNCTIONS, MESSAGES }

    private static final long S = 1_000_000_000L;
    private static final long PATIENCE_NS = 2 * S;
    /** The journal may take none at all. */
    static final long HOLD_NS = 10 * S;
    static final long HOLD_MS = HOLD_NS / 1_000_000;

    private final CoreContext context;
    private final ProcessHome home;
    private Held held = Held.NONE;
    private boolean mayHold;
    private long sinceNs;
    /** It is told when nothing that the process sent is on its way. */
    private boolean listens;
    /** Null: nobody waits. */
    private Consumer<Failure> then;

    Stillness(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** @param mayHold false: no function begins in any case; @param then told, in the same turn, that it is still, with null; or why not */
    void await(boolean mayHold, Consumer<Failure> then) {
        this.mayHold = mayHold;
        this.then = then;
        sinceNs = context.nowNs;
        context.timers.arm(this, context.nowNs + PATIENCE_NS);
        look();
    }

    /** An end that becomes durable may have something to send then. */
    private void look() {
        home.journal().whenQuiet(() -> {
            if (then == null) {
                return;
            }
            if (!isSending()) {
                tell(null);
            } else if (!listens) {
                listens = true;
                // Not in the midst of an end that gives its messages one after the other, of which that one was the first.
                context.processes.late().whenNone(home.application(), home.id(), () -> context.later(FanOut.NEXT_TURN_NS, () -> {
                    listens = false;
                    look();
                }));
            }
        });
    }

    private void tell(Failure failure) {
        Consumer<Failure> told = then;
        then = null;
        context.timers.disarm(this);
        boolean wasHeld = holdsFunctions();
        held = Held.NONE;
        told.accept(failure);
        if (wasHeld) {
            home.lookAgain();
        }
    }

    private boolean isSending() {
        return context.processes.late().has(home.application(), home.id());
    }

    @Override
    void onDue() {
        if (!isSending()) {
            boolean isOver = held == Held.MESSAGES;
            context.timers.arm(this, context.nowNs + HOLD_NS);
            hold(isOver ? Held.NONE : Held.MESSAGES);
            askJournal(isOver);
        } else if (!mayHold || held == Held.FUNCTIONS || isStuck()) {
            tell(Failure.platform(Errors.UNAVAILABLE, "messages of process " + home.id() + " are on their way to others still", true));
        } else { // messages come: a receiver may wait so too, for what it sends here
            context.timers.arm(this, context.nowNs + PATIENCE_NS);
            hold(Held.FUNCTIONS);
        }
    }

    /** @param isOver it has had its time */
    private void askJournal(boolean isOver) {
        Consumer<Failure> asking = then;
        home.journal().whyNot(why -> {
            if (then == asking && (why != null || isOver)) {
                tell(why != null ? why : Failure.platform(Errors.UNAVAILABLE, "changes of process " + home.id() + " are not in the journal after "
                        + (PATIENCE_NS + HOLD_NS) / S + " s, in which no more came for " + HOLD_NS / S + " s", true));
            }
        });
    }

    /** A receiver has had no room, or was not reached, all the time: it may wait for functions that would be held back here. */
    private boolean isStuck() {
        return context.processes.late().hasSince(home.application(), home.id(), sinceNs);
    }

    private void hold(Held next) {
        boolean isLess = next.compareTo(held) < 0;
        held = next;
        if (isLess) {
            home.lookAgain();
        }
    }

    boolean holdsFunctions() {
        return held != Held.NONE;
    }

    boolean holdsMessages() {
        return held == Held.MESSAGES;
    }

    void close() {
        then = null;
        held = Held.NONE;
        context.timers.disarm(this);
    }
}
