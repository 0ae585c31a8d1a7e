package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Functions that have ended, whose writes a cloud process's memory has no room for just now: their ends wait, each for a while. They are
 * not run again: what they did besides would be done twice.
 */
final class RoomLine {
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final CoreContext context;
    private final List<Ended> waiting = new ArrayList<>(0);
    private boolean closed;

    RoomLine(CoreContext context) {
        this.context = context;
    }

    private final class Ended extends Timed {
        private final ProcessRecords.Ending change;
        private final Failure lacking;
        private final Runnable then;
        private final Consumer<Failure> failed;

        Ended(ProcessRecords.Ending change, Failure lacking, Runnable then, Consumer<Failure> failed) {
            this.change = change;
            this.lacking = lacking;
            this.then = then;
            this.failed = failed;
        }

        void goOn() {
            if (closed) {
                change.drop();
            } else {
                then.run();
            }
        }

        @Override
        void onDue() {
            waiting.remove(this);
            change.drop();
            // Whoever asks again does all of it again: that is not said to be harmless, and an Idempotency-Key stays with this end.
            failed.accept(Failure.platform(lacking.error(), lacking.cause() + "; the function has run, and what it wrote is dropped", false));
        }
    }

    /** @param then once there is room; @param failed told why there was none in time: the change is dropped by then */
    void add(ProcessRecords.Ending change, Failure lacking, Runnable then, Consumer<Failure> failed) {
        Ended ended = new Ended(change, lacking, then, failed);
        waiting.add(ended);
        context.timers.arm(ended, context.nowNs + PATIENCE_NS);
    }

    /** There is room again: each has a turn of its own. */
    void onRoom() {
        take().forEach(each -> context.later(FanOut.NEXT_TURN_NS, each::goOn));
    }

    private List<Ended> take() {
        List<Ended> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(context.timers::disarm);
        return all;
    }

    /** The process is here no more: what waits is its execution's next owner's to run, or nobody's, and nobody is told. */
    void close() {
        closed = true;
        take().forEach(Ended::goOn);
    }
}
