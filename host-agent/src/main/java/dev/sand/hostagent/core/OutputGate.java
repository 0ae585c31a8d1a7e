package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The one gate between a process and whatever is outside of it (docs/PROCESSES.md): functions of the process may see a change before it is
 * durable ("foretold"), and what may tell of that waits here, at the place of that change, first in first out. {@link ProcessJournal} says
 * what is durable. A record is never taken back: one that is refused is given again in its place, so memory is ahead of the journal and
 * never beside it.
 */
final class OutputGate {
    /** Changes on their way, beyond which nothing more is foretold. What waits is bound by what runs, and by who asks. */
    private static final int MOST_AHEAD = 1_000;
    /** How long somebody outside who asks about the process waits for what it is told to be durable. */
    private static final long ASKED_NS = 5_000_000_000L;

    /** @param late told that the bus refuses what it waits for; it waits no more when that says so; null: it waits in any case */
    private record Step(Runnable then, Predicate<Failure> late) {}

    /** Of a change on its way. */
    static final class Place {
        private final List<Step> behind = new ArrayList<>(0);
        private boolean refused;
    }

    private final CoreContext context;
    private final String process;
    private final ArrayDeque<Place> places = new ArrayDeque<>();
    /** Of the changes that functions of the process see already, the last one that is not durable; null: there is none. */
    private Place lastSeen;
    /** Why the bus has refused one of those that are on their way; null: it has not. */
    private Failure trouble;
    private int refusedOnes;

    OutputGate(CoreContext context, String process) {
        this.context = context;
        this.process = process;
    }

    // --- what the journal says

    /** @param foretold functions of the process see it from now on */
    Place add(boolean foretold) {
        Place added = new Place();
        places.add(added);
        lastSeen = foretold ? added : lastSeen;
        return added;
    }

    /** It is given again. All that may tell of it, and can still come to nothing, does so at once, with the reason. */
    void onRefused(Place place, Failure failure) {
        if (failure.error().equals(Errors.MOVED)) {
            return; // who waits is told so with the slot
        }
        refusedOnes += place.refused ? 0 : 1;
        place.refused = true;
        trouble = notThere(failure.cause());
        for (Place each : List.copyOf(places)) {
            List<Step> waiting = List.copyOf(each.behind);
            each.behind.removeIf(step -> step.late != null);
            for (Step step : waiting) {
                if (step.late != null && !step.late.test(trouble)) {
                    each.behind.add(step);
                }
            }
        }
    }

    /** It is in the journal; perhaps not all before it. */
    void onThere(Place place) {
        if (place.refused && --refusedOnes == 0) {
            trouble = null;
        }
    }

    /** The first one is durable: it is in the journal, as is all before it. @param own of the change itself: goes before what waited */
    void onDurable(Runnable own) {
        Place first = places.pollFirst();
        if (first == lastSeen) {
            lastSeen = null;
        }
        own.run();
        first.behind.forEach(step -> step.then.run());
    }

    // --- who asks

    /** Whether functions of the process may see what is not durable: not beyond a bound, nor while the bus refuses what they see. */
    boolean mayForetell() {
        return trouble == null && places.size() < MOST_AHEAD;
    }

    /**
     * What goes to other processes may tell of ends and beginnings that are foretold: it leaves once those are durable. Messages are told
     * of at once: who sent them has not ended.
     *
     * @param late told, now or later, that the bus refuses one of them; the step waits no more when that says so; null: it waits in any case
     * @return false: they are durable, and the step is done by whoever asks
     */
    boolean delays(Runnable step, Predicate<Failure> late) {
        return delays(lastSeen, step, late);
    }

    /** As above, of what leaves all processes: it waits for all that has changed, messages too. */
    boolean delaysOutside(Runnable step, Predicate<Failure> late) {
        return delays(places.peekLast(), step, late);
    }

    private boolean delays(Place by, Runnable step, Predicate<Failure> late) {
        if (by == null || !context.has(Rule.SEEN_IS_DURABLE_OUTSIDE)) {
            return false;
        }
        if (trouble == null || late == null || !late.test(trouble)) {
            by.behind.add(new Step(step, late));
        }
        return true;
    }

    /** Does the step, an answer as of now, once that is durable. @param late told instead why nobody knows when that is */
    void whenDurable(Runnable step, Consumer<Failure> late) {
        Asking asking = new Asking(step, late);
        if (!delaysOutside(asking::onDurable, asking::onRefused)) {
            step.run();
        } else if (!asking.over) {
            context.timers.arm(asking, context.nowNs + ASKED_NS);
        }
    }

    private Failure notThere(String why) {
        return Failure.platform(Errors.UNAVAILABLE, "what was done in process " + process + " is not in the global bus yet: " + why, true);
    }

    /** Somebody outside who asks. */
    private final class Asking extends Timed {
        private final Runnable step;
        private final Consumer<Failure> late;
        private boolean over;

        Asking(Runnable step, Consumer<Failure> late) {
            this.step = step;
            this.late = late;
        }

        void onDurable() {
            if (!over) {
                over = true;
                context.timers.disarm(this);
                step.run();
            }
        }

        boolean onRefused(Failure failure) {
            if (!over) {
                over = true;
                context.timers.disarm(this);
                late.accept(failure);
            }
            return true;
        }

        @Override
        void onDue() {
            onRefused(notThere("for " + ASKED_NS / 1_000_000_000 + " s"));
        }
    }
}
