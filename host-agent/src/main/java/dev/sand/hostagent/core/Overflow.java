package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps a process's state within its memory (PraaS 8): what is over that, and was not used lately, is in the global data layer alone,
 * and comes back for whoever reads it. Only what the last image has leaves; so when more than the memory is in no image, one is written:
 *
 * <pre>
 * WITHIN  → WRITING  there is more than may be, and an image would let it leave: no function begins
 * WRITING → WITHIN   it is written, and values have left
 * WRITING → STUCK    it cannot be: functions begin again, but none of them makes the state larger
 * STUCK   → WRITING  after a pause
 * </pre>
 * A function that has ended with more than there is room for then has its end wait ({@link RoomLine}). Armed as a timer while STUCK.
 */
final class Overflow extends Timed {
    private enum State { WITHIN, WRITING, STUCK }

    private static final long S = 1_000_000_000L;
    private static final long AGAIN_NS = 2 * S;
    /** For a value to come, and more for a large one. */
    private static final long LOAD_NS = 10 * S;
    private static final long BYTES_A_SECOND = 4 << 20;
    private final CoreContext context;
    private final ProcessHome home;
    private final CloudProcess process;
    private final Map<String, Loading> loading = new LinkedHashMap<>(0);
    private final RoomLine line;
    private State state = State.WITHIN;
    private Failure failure;
    private boolean closed;

    Overflow(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
        this.process = home.process();
        this.line = new RoomLine(context);
    }

    RoomLine line() {
        return line;
    }

    // --- out

    /** There may be more in memory than before, or more that may leave. */
    void check() {
        if (closed) {
            return;
        }
        List<Payload> left = process.evict();
        if (!left.isEmpty()) {
            home.free(left);
        }
        if (state == State.WITHIN && process.needsImage()) {
            write();
        } else if (state == State.STUCK && !process.needsImage()) {
            goesOn();
        }
    }

    private void write() {
        context.timers.disarm(this);
        state = State.WRITING;
        home.imaging().checkpoint(this::onWritten);
    }

    private void goesOn() {
        context.timers.disarm(this);
        state = State.WITHIN;
        failure = null;
        line.onRoom();
    }

    private void onWritten(Failure why) {
        if (closed) {
            return;
        }
        if (why == null || !why.retryable()) { // or it was to be swapped out, and its functions did not end
            goesOn();
            check();
        } else {
            state = State.STUCK;
            failure = why;
            context.timers.arm(this, context.nowNs + AGAIN_NS);
        }
    }

    @Override
    void onDue() {
        if (process.needsImage()) {
            write();
        } else {
            goesOn();
        }
    }

    /** Whether functions wait until some of it has left. */
    boolean holdsUp() {
        return state == State.WRITING && failure == null;
    }

    /** Why what an attempt wrote cannot be taken now, though the state has room for it; null: it can. */
    Failure refusal(Attempt attempt, List<StateWrite> writes) {
        if (failure == null) {
            return null;
        }
        Refusal refusal = process.refusal(attempt, writes, home.spec().memoryBytes() + process.stateBytes() - process.residentBytes());
        return refusal == null ? null : Failure.platform(Errors.UNAVAILABLE, "process " + home.id() + " has " + process.residentBytes()
                + " bytes of state in memory, whose limit is " + home.spec().memoryBytes() + ", and none of it can leave: " + failure.cause(), true);
    }

    // --- in

    /** Answers with the value as the attempt sees it, at once when it is in memory. */
    void get(Attempt attempt, String key, ProcessCall.Listener listener) {
        Payload value = process.get(attempt, key);
        if (InImage.is(value)) {
            loading.computeIfAbsent(key, Loading::new).add(new Waiter(attempt, key, listener, value.size()));
        } else {
            process.reads(attempt, key);
            answer(listener, new Answer.Value(value));
        }
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }

    /** A value on its way. */
    private final class Loading {
        final String key;
        final List<Waiter> waiters = new ArrayList<>(1);
        Payload asked;
        String cause = "no answer";

        Loading(String key) {
            this.key = key;
        }

        void add(Waiter waiter) {
            context.timers.arm(waiter, context.nowNs + waiter.patienceNs);
            waiters.add(waiter);
            if (waiters.size() == 1 && asked == null) {
                begin();
            }
        }

        void begin() {
            asked = process.stored(key);
            if (closed || waiters.isEmpty() || !InImage.is(asked)) {
                done();
            } else {
                context.emit(new Action.LoadValue(home.application(), home.id(), key, this::onLoaded));
            }
        }

        void onLoaded(Payload value, Failure why) {
            if (value != null) {
                if (closed || !process.loaded(key, asked, value)) {
                    context.processes.free(home.application(), List.of(value));
                }
                done();
            } else if (why.retryable()) {
                cause = why.cause();
                context.later(this::begin);
            } else {
                loading.remove(key);
                List.copyOf(waiters).forEach(waiter -> waiter.refuse(why.error(), why.cause()));
            }
        }

        /** Whoever waits looks again: it may have been written to meanwhile. */
        void done() {
            loading.remove(key);
            List.copyOf(waiters).forEach(Waiter::look);
            check();
        }
    }

    /** An attempt that waits for a value. */
    private final class Waiter extends Timed {
        private final Attempt attempt;
        private final String key;
        private final ProcessCall.Listener listener;
        private final long patienceNs;

        Waiter(Attempt attempt, String key, ProcessCall.Listener listener, long bytes) {
            this.attempt = attempt;
            this.key = key;
            this.listener = listener;
            this.patienceNs = LOAD_NS + bytes / BYTES_A_SECOND * S;
        }

        void look() {
            context.timers.disarm(this);
            get(attempt, key, listener);
        }

        void refuse(String error, String message) {
            context.timers.disarm(this);
            answer(listener, new Answer.Refused(error, message));
        }

        @Override
        void onDue() {
            Loading of = loading.get(key);
            of.waiters.remove(this);
            refuse(Errors.UNAVAILABLE, "state \"" + key + "\" of process " + home.id()
                    + " is in the global data layer, which has not given it within " + patienceNs / S + " s: " + of.cause);
        }
    }

    /** The attempt has looked at what it was told of last, or has ended. */
    void hasRead(Attempt attempt) {
        process.hasRead(attempt);
        check();
    }

    /** It has ended. */
    void forget(Attempt attempt) {
        for (Loading each : loading.values()) {
            for (Waiter waiter : List.copyOf(each.waiters)) {
                if (waiter.attempt.equals(attempt)) {
                    each.waiters.remove(waiter);
                    waiter.refuse(Errors.CONFLICT, "attempt " + attempt.number() + " of " + attempt.eventId() + " does not run any more");
                }
            }
        }
        hasRead(attempt);
    }

    /** The process is here no more. */
    void close() {
        closed = true;
        context.timers.disarm(this);
        line.close();
        List<Loading> open = List.copyOf(loading.values());
        loading.clear();
        for (Loading each : open) {
            List<Waiter> waited = List.copyOf(each.waiters);
            each.waiters.clear(); // its value may come yet
            waited.forEach(waiter -> waiter.refuse(Errors.UNAVAILABLE, "process " + home.id() + " is here no more"));
        }
    }
}
