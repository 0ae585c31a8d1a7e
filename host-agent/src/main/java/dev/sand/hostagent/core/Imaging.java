package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.hostagent.process.ProcessImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes all of a process to the global data layer (PraaS 3.3): as a checkpoint, or to swap it out, when its functions have ended.
 *
 * <pre>
 * NONE     → DRAINING  to be swapped out: those that run end, no other begins
 * DRAINING → WRITING   none runs
 * DRAINING → NONE      they did not end in time
 * NONE     → WRITING   a checkpoint; what changes meanwhile is behind the image, which waits until nothing is on its way into the journal
 * WRITING  → NONE      written, and then perhaps forgotten here; or not, and all of it is here still
 * </pre>
 * Armed as a timer while it drains, while there are changes that no image has: for the next checkpoint, and while it waits for the
 * journal: under a steady stream of messages there is always one on its way, so that after a while new ones are held back, for a while.
 */
final class Imaging extends Timed {
    private enum State { NONE, DRAINING, WRITING }

    private static final long S = 1_000_000_000L;
    private static final long DRAIN_NS = 60 * S;
    /** The journal is kept for so long, and read by a new owner. */
    private static final long CHECKPOINT_NS = 300 * S;
    private static final long AGAIN_NS = 30 * S;
    private static final long PATIENCE_NS = 2 * S;
    /** The journal may take none at all. */
    private static final long HOLD_NS = 10 * S;
    static final long HOLD_MS = HOLD_NS / 1_000_000;

    private final CoreContext context;
    private final ProcessHome home;
    private final CloudProcess process;
    private final ProcessJournal journal;
    private final List<Consumer<Failure>> waiting = new ArrayList<>(1);
    private final List<Payload> kept = new ArrayList<>(0);
    private State state = State.NONE;
    private boolean swaps;
    /** It is to be swapped out once the checkpoint is written. */
    private boolean swapsNext;
    private boolean snapshot;
    private boolean holds;
    private boolean closed;
    private Runnable onClosed = () -> { };

    Imaging(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
        this.process = home.process();
        this.journal = home.journal();
        if (journal.isDirty()) {
            onDirty();
        }
        journal.onDirty(this::onDirty);
    }

    private void onDirty() {
        if (state == State.NONE) {
            context.timers.arm(this, context.nowNs + CHECKPOINT_NS);
        }
    }

    /** @param then told why it could not be written, or null */
    void checkpoint(Consumer<Failure> then) {
        waiting.add(then);
        if (state == State.NONE) {
            write();
        }
    }

    /** @param then told why it could not be, or null; it may have been brought back by then */
    void swapOut(Consumer<Failure> then) {
        waiting.add(then);
        if (state == State.WRITING && !swaps) {
            swapsNext = true;
        } else if (state == State.NONE) {
            swaps = true;
            state = State.DRAINING;
            home.become(LifeCycle.SWAPPING_OUT);
            context.timers.arm(this, context.nowNs + DRAIN_NS);
            onLeft();
        }
    }

    /** A function has ended. */
    void onLeft() {
        if (state == State.DRAINING && home.occupants().running() == 0) {
            if (isSending()) { // its functions do not wait for long on mailboxes that are full, for these may wait for them
                context.timers.arm(this, Math.min(dueNs, context.nowNs + PATIENCE_NS));
                context.processes.late().whenNone(home.application(), home.id(), this::onLeft);
            } else {
                write();
            }
        }
    }

    /** The journal has messages of it that nobody else has, and lets them go once there is an image. */
    private boolean isSending() {
        return context.processes.late().has(home.application(), home.id());
    }

    private Failure sending() {
        return Failure.platform(Errors.UNAVAILABLE, "messages of process " + home.id() + " are on their way to others still", true);
    }

    @Override
    void onDue() {
        if (state == State.DRAINING) {
            ended(home.occupants().running() == 0 && isSending() ? sending() : Failure.caller(Errors.CONFLICT, "process " + home.id()
                    + " is active: " + home.occupants().running() + " functions run in it still"));
        } else if (state == State.NONE) {
            checkpoint(failure -> { });
        } else {
            holds = !holds;
            context.timers.arm(this, context.nowNs + (holds ? HOLD_NS : AGAIN_NS));
            if (!holds) {
                home.lookAgain();
            }
        }
    }

    /** Whether what would change the process is to wait, for a moment: no message comes, no function begins. */
    boolean holdsBack() {
        return holds;
    }

    private void write() {
        state = State.WRITING;
        context.timers.arm(this, context.nowNs + PATIENCE_NS);
        journal.whenQuiet(() -> {
            if (closed) {
                return;
            }
            boolean held = holds;
            holds = false;
            context.timers.disarm(this);
            writeQuiet();
            if (held) {
                home.lookAgain();
            }
        });
    }

    /** All that has changed is durable. */
    private void writeQuiet() {
        if (isSending()) {
            ended(sending());
            return;
        }
        snapshot = true;
        ProcessImage image = process.image(home.about(swaps), context.epochOffsetNs());
        journal.imageBegins(image.number());
        home.writesImage();
        context.emit(new Action.WriteImage(home.application(), home.id(), journal.place(), journal.epoch(), swaps, image,
                home.view(), failure -> onWritten(image, failure)));
    }

    private void onWritten(ProcessImage image, Failure failure) {
        snapshot = false;
        home.free(List.copyOf(kept));
        kept.clear();
        if (failure == null) {
            home.imaged(image, swaps);
        }
        if (closed) {
            onClosed.run();
            return;
        }
        if (failure == null && !home.process().isDueByItself()) { // else another owner is to find it, without being asked for it
            journal.imaged(image.number());
        }
        ended(failure);
    }

    private void ended(Failure failure) {
        boolean swapped = swaps && failure == null;
        boolean again = swapsNext && failure == null;
        if (swaps) {
            home.become(swapped ? LifeCycle.SWAPPED : LifeCycle.ACTIVE);
        }
        state = State.NONE;
        swaps = false;
        swapsNext = false;
        List<Consumer<Failure>> told = List.copyOf(waiting);
        waiting.clear();
        if (swapped && home.mayLeave()) {
            home.exit().swappedOut();
        } else {
            if (swapped) {
                home.become(LifeCycle.SWAPPING_IN);
                home.become(LifeCycle.ACTIVE);
            }
            if (journal.isDirty()) {
                context.timers.arm(this, context.nowNs + (failure == null ? CHECKPOINT_NS : AGAIN_NS));
            }
        }
        if (again) {
            swapOut(failureOfSwap -> told.forEach(each -> each.accept(failureOfSwap)));
        } else {
            told.forEach(each -> each.accept(failure));
        }
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
        holds = false;
        context.timers.disarm(this);
        List<Consumer<Failure>> told = List.copyOf(waiting);
        waiting.clear();
        told.forEach(each -> each.accept(Failure.platform(Errors.NOT_FOUND, "process " + home.id() + " is here no more", true)));
    }
}
