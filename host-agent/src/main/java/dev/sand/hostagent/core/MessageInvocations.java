package dev.sand.hostagent.core;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.CloudProcess.Due;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Invocations that a process's messages make (PraaS 4.3, table 3), as soon as its functions have room for them. Armed as a timer while
 * one becomes due with what is there.
 */
final class MessageInvocations extends Timed {
    private final CoreContext context;
    private final ProcessHome home;
    private boolean closed;
    private boolean firing;
    /** In the order in which they were due. */
    private final List<Joining> joining = new ArrayList<>();

    /** An invocation whose messages are taken, and become one value. */
    private static final class Joining {
        private final Due due;
        private final List<Payload> values;
        /** Null: not yet. */
        private Payload joined;

        Joining(Due due, List<Payload> values) {
            this.due = due;
            this.values = values;
        }

        boolean isBehind(Joining other) {
            return other.due.function().equals(due.function()) && other.due.key().equals(due.key());
        }
    }

    MessageInvocations(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** Messages came, time has passed, or there is room again. */
    void fire() {
        if (firing) {
            return; // by an invocation that has ended at once
        }
        firing = true;
        while (!closed && home.hasRoom()) {
            Due due = home.process().pollDue(context.nowNs, home.version().grains()::containsKey);
            if (due == null) {
                break;
            }
            begin(due);
            home.mailbox().onRoom();
        }
        firing = false;
        long next = closed ? Long.MAX_VALUE : home.process().nextDueNs();
        if (next == Long.MAX_VALUE) {
            context.timers.disarm(this);
        } else {
            context.timers.arm(this, Math.max(next, context.nowNs + (home.hasRoom() ? 0 : context.configuration.retryNs())));
        }
    }

    @Override
    void onDue() {
        fire();
    }

    void close() {
        closed = true;
        context.timers.disarm(this);
    }

    private void begin(Due due) {
        List<Payload> values = due.messages().stream().map(Message::payload).toList();
        if (due.alone()) {
            begin(due, values.getFirst(), List.of());
            return;
        }
        Joining added = new Joining(due, values);
        joining.add(added);
        context.emit(new Action.Join(home.application(), values, joined -> {
            added.joined = joined;
            beginJoined();
        }));
    }

    /** Values are joined off the shard, and one may be before those that were due before it: it waits for those of its key. */
    private void beginJoined() {
        for (Joining next = nextJoined(); next != null; next = nextJoined()) {
            joining.remove(next);
            begin(next.due, next.joined, next.values);
        }
    }

    private Joining nextJoined() {
        for (int i = 0; i < joining.size(); i++) {
            Joining each = joining.get(i);
            if (each.joined != null && joining.subList(0, i).stream().noneMatch(each::isBehind)) {
                return each;
            }
        }
        return null;
    }

    int joining() {
        return joining.size();
    }

    /**
     * @param input kept for the process, until the invocation has ended
     * @param joined what it was made of, kept until its request is durable
     */
    private void begin(Due due, Payload input, List<Payload> joined) {
        if (closed) {
            if (!joined.isEmpty()) {
                home.free(List.of(input)); // the others go with the process
            }
            return;
        }
        String application = home.application();
        int slot = home.slot();
        String id = ChildIds.of(application + "/" + home.id(), home.createdMs() + "/" + (home.process().number() + 1), context.epochMs(), slot,
                context.slots.count());
        InvocationRequest request = new InvocationRequest(id, application, home.version().version(), due.function(), input,
                Limits.PROCESS_WAIT_MS + home.version().grains().get(due.function()).timeoutMs(), false, null).inProcess(home.id() + "/" + due.key());
        Made made = new Made(input, joined, slot);
        ProcessRecords.Firing firing = home.records().firing(due, made::onDurable);
        made.execution = context.intake.start(request, slot, made, firing);
    }

    /** An invocation that was made: its input is needed until it has ended, and is in the journal. */
    private final class Made implements Audience.Parent {
        private final Payload input;
        private final List<Payload> joined;
        private final int slot;
        private RunningExecution execution;
        private boolean durable;
        private boolean ended;

        Made(Payload input, List<Payload> joined, int slot) {
            this.input = input;
            this.joined = joined;
            this.slot = slot;
        }

        @Override
        public void onAccepted() {
            // Its result is in its record.
        }

        @Override
        public void onEnded(InvocationResult result) {
            ended = true;
            if (!durable && context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
                durable = true; // or never, here
                home.free(joined);
            }
            release();
        }

        void onDurable() {
            durable = true;
            home.free(joined);
            if (!ended) {
                execution.admission().onJournaled(null);
            }
            release();
        }

        private void release() {
            if (durable && ended) {
                home.free(List.of(input));
            }
        }
    }
}
