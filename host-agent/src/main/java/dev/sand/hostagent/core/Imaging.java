package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.hostagent.process.ProcessImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes all of a process to the global data layer (PraaS 3.3): as a checkpoint, or to swap it out, when its functions have ended.
 *
 * <pre>
 * NONE     → DRAINING  to be swapped out: those that run end, no other begins
 * DRAINING → WRITING   none runs
 * DRAINING → NONE      they did not end in time, or cannot: the journal takes nothing
 * NONE     → WRITING   a checkpoint; what changes meanwhile is behind the image, which waits for its {@link Stillness}
 * WRITING  → NONE      written, and then perhaps forgotten here; or not, and all of it is here still
 * </pre>
 * Armed as a timer while it drains, and while there are changes that no image has: for the next checkpoint, which comes sooner when
 * there are many ({@link JournalBytes}).
 */
final class Imaging extends Timed {
    private enum State { NONE, DRAINING, WRITING }

    private static final long S = 1_000_000_000L;
    private static final long DRAIN_NS = 60 * S;
    /** After so long it is looked whether the journal takes anything: ends of functions wait for that. */
    private static final long PATIENCE_NS = 2 * S;
    /** The journal is kept for so long, and read by a new owner. */
    private static final long CHECKPOINT_NS = 300 * S;
    private static final long AGAIN_NS = 30 * S;

    private final CoreContext context;
    private final ProcessHome home;
    private final CloudProcess process;
    private final ProcessJournal journal;
    private final Stillness stillness;
    private final JournalBytes.Share journaled;
    private final List<Consumer<Failure>> waiting = new ArrayList<>(1);
    /** Who wants it swapped out once the checkpoint is written. */
    private final List<Consumer<Failure>> next = new ArrayList<>(0);
    private final List<Payload> kept = new ArrayList<>(0);
    private State state = State.NONE;
    private boolean swaps;
    private boolean snapshot;
    private boolean closed;
    private long drainUntilNs;
    /** The journal has let nothing go lately. */
    private long notBeforeNs = Long.MIN_VALUE;
    private Runnable onClosed = () -> { };

    Imaging(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
        this.process = home.process();
        this.journal = home.journal();
        this.stillness = new Stillness(context, home);
        this.journaled = context.processes.journals().new Share();
        if (journal.isDirty()) {
            context.timers.arm(this, context.nowNs + CHECKPOINT_NS);
        }
        journal.onWrite(this::isJournaled);
    }

    /** The journal has a change more that no image has. */
    void isJournaled(Change change) {
        if (closed) {
            return;
        }
        journaled.add(change);
        if (state == State.NONE && context.nowNs >= notBeforeNs && journaled.isTooMuch(process.stateBytes(), process.mailbox().besideBytes())) {
            context.timers.arm(this, context.nowNs);
        } else if (state == State.NONE && !isArmed()) {
            context.timers.arm(this, context.nowNs + CHECKPOINT_NS);
        }
    }

    /** Its large messages are read, and none has come yet that an image would have to have. */
    void areRead() {
        if (!closed && state == State.NONE && context.nowNs >= notBeforeNs && journaled.isWorthIt(process.stateBytes())) {
            context.timers.arm(this, context.nowNs);
        }
    }

    /** @param then told why it could not be written, or null */
    void checkpoint(Consumer<Failure> then) {
        if (closed) {
            then.accept(gone());
            return;
        }
        waiting.add(then);
        if (state == State.NONE) {
            write();
        }
    }

    /** @param then told why it could not be, or null; it may have been brought back by then, or be here still, for what came meanwhile */
    void swapOut(Consumer<Failure> then) {
        if (closed) {
            then.accept(gone());
            return;
        }
        if (state == State.WRITING && !swaps) {
            next.add(then);
            return;
        }
        if (state == State.NONE && process.isDueByItself()) {
            then.accept(due());
            home.occupants().restOn();
            return;
        }
        waiting.add(then);
        if (state == State.NONE) {
            swaps = true;
            state = State.DRAINING;
            home.become(LifeCycle.SWAPPING_OUT);
            drainUntilNs = context.nowNs + DRAIN_NS;
            context.timers.arm(this, context.nowNs + PATIENCE_NS);
            onLeft();
        }
    }

    /** A function has ended. */
    void onLeft() {
        if (state == State.DRAINING && home.occupants().running() == 0) {
            write();
        }
    }

    private Failure due() {
        return conflict("a trigger's time-out is to come in it");
    }

    private Failure conflict(String why) {
        String shown = process.shown();
        return new Failure(Errors.CONFLICT, "process " + home.id() + " of application " + home.application() + " is " + shown
                + ": it cannot be swapped out, for " + why, Failure.Source.CALLER, false, null, Map.of("state", shown));
    }

    @Override
    void onDue() {
        if (state == State.DRAINING && context.nowNs >= drainUntilNs) {
            ended(conflict("functions run in it still: " + home.occupants().running()));
        } else if (state == State.DRAINING) {
            context.timers.arm(this, Math.min(drainUntilNs, context.nowNs + PATIENCE_NS));
            journal.whyNot(why -> {
                if (why != null && state == State.DRAINING) {
                    ended(why);
                }
            });
        } else if (state == State.NONE) {
            checkpoint(failure -> { });
        }
    }

    Stillness stillness() {
        return stillness;
    }

    private void write() {
        state = State.WRITING;
        context.timers.disarm(this);
        stillness.await(!swaps, failure -> {
            if (failure == null && swaps && process.isDueByItself()) { // by a message that came while it drained
                ended(due());
            } else if (failure == null) {
                writeStill();
            } else {
                ended(failure);
            }
        });
    }

    private void writeStill() {
        snapshot = true;
        ProcessImage image = process.image(home.about(swaps), context.epochOffsetNs());
        journal.imageBegins(image.number());
        journaled.imageBegins();
        home.writesImage();
        context.emit(new Action.WriteImage(home.application(), home.id(), journal.place(), journal.epoch(), swaps, image,
                home.view(), failure -> onWritten(image, failure)));
    }

    private void onWritten(ProcessImage image, Failure failure) {
        snapshot = false;
        home.free(List.copyOf(kept));
        kept.clear();
        if (failure == null) {
            process.imaged(image);
        }
        if (closed) {
            onClosed.run();
            return;
        }
        if (failure == null && !home.process().isDueByItself()) { // else another owner is to find it, without being asked for it
            journal.imaged(image.number());
            journaled.imageIsThere();
        } else {
            notBeforeNs = context.nowNs + AGAIN_NS;
        }
        ended(failure);
    }

    private void ended(Failure failure) {
        boolean leaves = swaps && failure == null && home.mayLeave();
        if (failure == null) {
            home.counts().imaged(leaves);
        }
        if (swaps) {
            home.become(leaves ? LifeCycle.SWAPPED : process.wasIdle() && home.occupants().restsOn() ? LifeCycle.IDLE : LifeCycle.ACTIVE);
        }
        state = State.NONE;
        swaps = false;
        List<Consumer<Failure>> told = List.copyOf(waiting);
        List<Consumer<Failure>> swappers = List.copyOf(next);
        waiting.clear();
        next.clear();
        if (leaves) {
            home.exit().swappedOut();
        } else {
            if (journal.isDirty()) {
                context.timers.arm(this, context.nowNs + (failure == null ? CHECKPOINT_NS : AGAIN_NS));
            }
            notBeforeNs = failure == null ? notBeforeNs : context.nowNs + AGAIN_NS;
        }
        told.forEach(each -> each.accept(failure));
        swappers.forEach(failure == null ? this::swapOut : each -> each.accept(failure));
        home.onImaged();
    }

    /** Values that the process has no more. @return whether they are kept until an image is written that has them */
    boolean keeps(List<Payload> values) {
        return snapshot && kept.addAll(values);
    }

    /** Does the step when none is being written, which is so once one that is written now is. */
    void afterwards(Runnable step) {
        if (snapshot) {
            onClosed = step;
        } else {
            step.run();
        }
    }

    void close() {
        closed = true;
        journaled.close();
        stillness.close();
        context.timers.disarm(this);
        List<Consumer<Failure>> told = new ArrayList<>(waiting);
        told.addAll(next);
        waiting.clear();
        next.clear();
        told.forEach(each -> each.accept(gone()));
    }

    /** What is here of it is not it any more: no image is made of that. */
    private Failure gone() {
        return Failure.platform(Errors.NOT_FOUND, "process " + home.id() + " is here no more", true);
    }
}
