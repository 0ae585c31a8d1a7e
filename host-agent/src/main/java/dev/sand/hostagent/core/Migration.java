package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A process goes to another slot, whose owner has it from then on (PraaS 3.3): by hand. Requests that come to it meanwhile wait, and are
 * told where it went; what it has begun ends here. Messages come, until they alone are what keeps it: then they wait too, for a moment.
 *
 * <pre>
 * NONE     → DRAINING  asked for: what was accepted runs to its end, nothing else is taken
 * DRAINING → IMAGING   nothing runs or waits, nor is due
 * IMAGING  → DRAINING  something came: from here on no message does ({@link MessageHold}), so the next image has all, and little to write
 * IMAGING  → LEAVING   its image has all of it: from here on nobody finds it
 * LEAVING  → gone      that it left is in the journal, and then with its image
 * DRAINING, IMAGING → NONE  not in time, or the image cannot be written: it stays
 * </pre>
 * While it drains messages are held too when nothing but what they have begun since runs, or is due, in it. The record in the journal
 * decides: who owns the slot next brings to its end what that says. Armed as a timer until then.
 */
final class Migration extends Timed {
    private enum State { NONE, DRAINING, IMAGING, LEAVING }

    private static final long S = 1_000_000_000L;
    private static final long DRAIN_NS = 60 * S;
    /** After so long it is looked whether the journal takes anything. */
    private static final long PATIENCE_NS = 2 * S;
    /** Time-outs of triggers within it come while messages are held, and so do the ends of what they begin. */
    private static final long REACH_NS = 8 * S;

    private final CoreContext context;
    private final ProcessHome home;
    private final MessageHold hold;
    private final List<Consumer<Failure>> told = new ArrayList<>(0);
    private final List<Runnable> held = new ArrayList<>(0);
    /** What ran in it or waited to when it was asked for, and has not ended. */
    private final List<RunningExecution> accepted = new ArrayList<>(0);
    private State state = State.NONE;
    private ProcessPlace to;
    private long untilNs;
    /** Of images: one that was given up is told of all the same. */
    private int round;
    /** A step is on its way. */
    private boolean looks;

    Migration(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
        this.hold = new MessageHold(context, home, this::onHeldForLong);
    }

    boolean isUnderWay() {
        return state != State.NONE;
    }

    boolean isLeaving() {
        return state == State.LEAVING;
    }

    boolean holdsMessages() {
        return hold.isOn();
    }

    /** A request that comes to the process, and is to wait until it has gone, or stays. */
    void hold(Runnable step) {
        held.add(step);
    }

    /** @param then told why it stays, or null: it lives there */
    void begin(int slot, Consumer<Failure> then) {
        if (state != State.NONE && to.slot() != slot) {
            then.accept(conflict("being moved to slot " + to.slot() + " already"));
            return;
        }
        told.add(then);
        if (state == State.NONE) {
            to = new ProcessPlace(slot, home.journal().place().moves() + 1);
            untilNs = context.nowNs + DRAIN_NS;
            accepted.addAll(home.occupants().all());
            accepted.addAll(context.processes.arrivals().of(home));
            state = State.DRAINING;
            arm();
            step();
        }
    }

    private void arm() {
        context.timers.arm(this, Math.min(untilNs, context.nowNs + PATIENCE_NS));
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
        if (state != State.DRAINING) {
            return;
        }
        accepted.removeIf(RunningExecution::isEnded);
        if (home.isBusy()) {
            if (accepted.isEmpty() && !home.mailbox().hasReceivers()) {
                hold.begin(); // messages have begun what runs, and would go on to
            }
            return;
        }
        if (home.process().isDueByItself()) {
            if (home.process().lastDueNs() - context.nowNs < REACH_NS) {
                hold.begin();
            }
            look(context.configuration.retryNs());
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
        int imaged = ++round;
        home.imaging().checkpoint(failure -> imaged(imaged, failure));
    }

    private void imaged(int imaged, Failure failure) {
        if (state != State.IMAGING || imaged != round) {
            return;
        }
        if (failure != null) {
            stay(failure);
        } else if (home.mayGo()) {
            leave();
        } else {
            state = State.DRAINING;
            if (!home.isBusy()) {
                hold.begin();
            }
            step();
        }
    }

    /** Messages come again, and its image is behind them again. */
    private void onHeldForLong() {
        if (state == State.IMAGING || state == State.DRAINING && !home.isBusy() && !home.process().isDueByItself()) {
            stay(conflict(shown() + ", and messages come to it all the time: its image was not written within the "
                    + Stillness.HOLD_NS / S + " s for which they were held back"));
        }
    }

    @Override
    void onDue() {
        if (state == State.LEAVING || context.nowNs < untilNs) {
            home.journal().whyNot(this::onJournalAway);
            context.timers.arm(this, context.nowNs + PATIENCE_NS);
            step();
        } else {
            stay(tooLate());
        }
    }

    /** What runs in it cannot end, and no image of it be made; that it leaves may be in the journal all the same. @param why null: it is not */
    private void onJournalAway(Failure why) {
        if (why != null && state == State.LEAVING) {
            tell(Failure.platform(why.error(), "process " + home.id() + " goes once that is in the journal: " + why.cause(), false));
        } else if (why != null && state != State.NONE) {
            stay(why);
        }
    }

    private String shown() {
        return home.process().shown();
    }

    private Failure tooLate() {
        int running = home.occupants().running();
        String why = running > 0 ? ": " + running + " functions run in it still"
                : home.isBusy() ? ", and invocations wait in it still"
                : home.process().isDueByItself() ? ", and a trigger's time-out is to come in it"
                : state == State.IMAGING ? ", and its image is not written yet"
                : ", and what its functions have sent, or their records, is on its way still";
        return conflict((running > 0 ? "active" : shown()) + why + ", after " + DRAIN_NS / S + " s");
    }

    /** @param why behind "it is" */
    private Failure conflict(String why) {
        return new Failure(Errors.CONFLICT, "process " + home.id() + " of application " + home.application() + " is " + why
                + ": it cannot be migrated", Failure.Source.CALLER, false, null, Map.of("state", shown()));
    }

    private void stay(Failure why) {
        ends();
        goOn(why);
        hold.end();
        home.onImaged();
    }

    private void ends() {
        context.timers.disarm(this);
        accepted.clear();
        state = State.NONE;
    }

    private void leave() {
        state = State.LEAVING;
        accepted.clear();
        hold.close();
        arm();
        home.exit().leaves(to, () -> context.processes.hands().over(home.application(), home.id(), home.journal(), home.process().number(), to, this::left));
    }

    private void left(Failure failure) {
        ends();
        home.exit().hasLeft();
        goOn(failure);
    }

    /** It is killed, swapped out, or its slot is another host's: whether it has gone, that one knows. */
    void close(Failure why) {
        ends();
        hold.close();
        goOn(why);
    }

    private void goOn(Failure failure) {
        List<Runnable> waited = List.copyOf(held);
        held.clear();
        waited.forEach(Runnable::run);
        tell(failure);
    }

    private void tell(Failure failure) {
        List<Consumer<Failure>> tell = List.copyOf(told);
        told.clear();
        tell.forEach(each -> each.accept(failure));
    }
}
