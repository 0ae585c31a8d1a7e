package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A process goes to another slot, whose owner has it from then on (PraaS 3.3): by hand. What comes to it meanwhile waits, and is told
 * where it went; what it has begun ends here.
 *
 * <pre>
 * NONE     → DRAINING  asked for: what was accepted runs to its end, nothing else is taken
 * DRAINING → IMAGING   nothing runs or waits
 * IMAGING  → DRAINING  something came, or it became due
 * IMAGING  → LEAVING   its image has all of it: from here on nobody finds it
 * LEAVING  → gone      that it left is in the journal, and then with its image
 * DRAINING, IMAGING → NONE  not in time, or the image cannot be written: it stays
 * </pre>
 * The record in the journal decides: who owns the slot next brings to its end what that says. Armed as a timer until then.
 */
final class Migration extends Timed {
    private enum State { NONE, DRAINING, IMAGING, LEAVING }

    private static final long DRAIN_NS = 60_000_000_000L;

    private final CoreContext context;
    private final ProcessHome home;
    private final List<Consumer<Failure>> told = new ArrayList<>(0);
    private final List<Runnable> held = new ArrayList<>(0);
    private State state = State.NONE;
    private ProcessPlace to;
    private boolean late;
    /** A step is on its way. */
    private boolean looks;

    Migration(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    boolean isUnderWay() {
        return state != State.NONE;
    }

    boolean isLeaving() {
        return state == State.LEAVING;
    }

    /** What comes to the process, and is to wait until it has gone, or stays. */
    void hold(Runnable step) {
        held.add(step);
    }

    /** @param then told why it stays, or null: it lives there */
    void begin(int slot, Consumer<Failure> then) {
        if (state != State.NONE && to.slot() != slot) {
            then.accept(conflict("is being moved to slot " + to.slot() + " already"));
            return;
        }
        told.add(then);
        if (state == State.NONE) {
            to = new ProcessPlace(slot, home.journal().place().moves() + 1);
            late = false;
            state = State.DRAINING;
            context.timers.arm(this, context.nowNs + DRAIN_NS);
            step();
        }
    }

    /** An execution has ended, others may in the same turn: by the next one it is known whether its record is awaited. */
    void onEnded() {
        if (state == State.DRAINING) {
            look(FanOut.NEXT_TURN_NS);
        }
    }

    private void look(long pauseNs) {
        if (!looks) {
            looks = true;
            context.later(pauseNs, () -> {
                looks = false;
                step();
            });
        }
    }

    private void step() {
        if (state != State.DRAINING || home.isBusy()) {
            return;
        }
        if (context.executions.hasUnrecorded(home.application(), home.id())) {
            look(context.configuration.retryNs()); // who has the slot next would run them again, where the process is not
            return;
        }
        if (context.processes.late().has(home.application(), home.id())) {
            context.processes.late().whenNone(home.application(), home.id(), this::step);
            return;
        }
        state = State.IMAGING;
        home.imaging().checkpoint(this::imaged);
    }

    private void imaged(Failure failure) {
        if (state != State.IMAGING) {
            return;
        }
        if (failure != null || late) {
            stay(failure != null ? failure : tooLate());
        } else if (home.mayGo()) {
            leave();
        } else {
            state = State.DRAINING;
            look(context.configuration.retryNs());
        }
    }

    /** It has not come to rest in time. */
    @Override
    void onDue() {
        if (state == State.IMAGING) {
            late = true; // its image is being written, and told of
        } else if (state == State.DRAINING) {
            stay(tooLate());
        }
    }

    private Failure tooLate() {
        return conflict(home.occupants().running() > 0 ? "is active: " + home.occupants().running() + " functions run in it still"
                : "is " + home.process().status().shown() + ", and was not at rest within " + DRAIN_NS / 1_000_000_000 + " s");
    }

    private Failure conflict(String why) {
        return new Failure(Errors.CONFLICT, "process " + home.id() + " of application " + home.application() + " " + why
                + ": it cannot be migrated", Failure.Source.CALLER, false, null, Map.of("state", home.process().status().shown()));
    }

    private void stay(Failure why) {
        context.timers.disarm(this);
        state = State.NONE;
        goOn(why);
        home.onImaged();
    }

    private void leave() {
        context.timers.disarm(this);
        state = State.LEAVING;
        home.exit().leaves(to, () -> context.processes.hands().over(home.application(), home.id(), home.journal(), home.process().number(), to, this::left));
    }

    private void left(Failure failure) {
        state = State.NONE;
        home.exit().hasLeft();
        goOn(failure);
    }

    /** It is killed, swapped out, or its slot is another host's: whether it has gone, that one knows. */
    void close(Failure why) {
        context.timers.disarm(this);
        state = State.NONE;
        goOn(why);
    }

    private void goOn(Failure failure) {
        List<Runnable> waited = List.copyOf(held);
        List<Consumer<Failure>> tell = List.copyOf(told);
        held.clear();
        told.clear();
        waited.forEach(Runnable::run);
        tell.forEach(each -> each.accept(failure));
    }
}
