package dev.sand.hostagent.core;

import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.InvokingMessages;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Messages of functions on their way into a process's journal: held for a moment (docs/decisions/0018). Who receives one mostly ends soon, and
 * the record of that end then says that it was there: its own, which costs more than all else of its way, is written nowhere. Nobody
 * is promised anything of it before: until it is durable, as the one or the other, the function that sent it has not ended, and whoever
 * waits for that has it written at once.
 */
final class HeldMessages extends Timed {
    /** How much a function that ends may have to wait for at most. */
    static final long MOST_BYTES = 64L << 20;
    /** So many of a process are written in one turn at most. */
    static final int MOST = 256;

    private final CoreContext context;
    private final Consumer<PendingChange> write;
    private final ArrayDeque<PendingChange> held = new ArrayDeque<>(0);
    private long bytes;

    /** @param write given each that is held no longer, in their order */
    HeldMessages(CoreContext context, Consumer<PendingChange> write) {
        this.context = context;
        this.write = write;
    }

    /** Whether it is to be held; when it is not, those before it are no longer. */
    boolean takes(Change.Arrived arrived) {
        return context.configuration.messageHoldNs() > 0 && held.size() < MOST && !InvokingMessages.isOne(arrived.key())
                && bytes + arrived.payload().size() <= MOST_BYTES;
    }

    void add(PendingChange message) {
        if (held.isEmpty()) {
            context.timers.arm(this, context.nowNs + context.configuration.messageHoldNs());
        }
        held.add(message);
        bytes += size(message);
    }

    private static long size(PendingChange message) {
        return ((Change.Arrived) message.change.change()).payload().size();
    }

    @Override
    void onDue() {
        release();
    }

    /** All are written now. */
    void release() {
        if (!held.isEmpty()) {
            context.timers.disarm(this);
            bytes = 0;
            List<PendingChange> all = List.copyOf(held);
            held.clear();
            all.forEach(write);
        }
    }

    /** Those among them of these numbers, if they are the first ones; none otherwise, for what is behind one that is to be written is so, too. */
    List<PendingChange> first(List<Long> received) {
        if (held.isEmpty() || received.isEmpty()) {
            return List.of();
        }
        Set<Long> numbers = new HashSet<>(received);
        List<PendingChange> first = new ArrayList<>();
        boolean isBehindOther = false;
        for (PendingChange each : held) {
            if (!numbers.contains(each.change.number())) {
                isBehindOther = true;
            } else if (isBehindOther) {
                return List.of();
            } else {
                first.add(each);
            }
        }
        return first;
    }

    /** So many of the first need no record of their own. */
    List<PendingChange> take(int count) {
        List<PendingChange> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(held.poll());
            bytes -= size(taken.getLast());
        }
        if (held.isEmpty()) {
            context.timers.disarm(this);
        }
        return taken;
    }

    int count() {
        return held.size();
    }

    /** They are not to be written, and nobody has to wait for them. */
    void drop() {
        context.timers.disarm(this);
        bytes = 0;
        List<PendingChange> all = List.copyOf(held);
        held.clear();
        all.forEach(each -> each.then.run());
    }
}
