package dev.sand.hostagent.triggers;

import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.Failure;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.QueueMessage;
import dev.sand.hostagent.triggers.QueueAction.Bury;
import dev.sand.hostagent.triggers.QueueAction.Deliver;
import dev.sand.hostagent.triggers.QueueAction.Flow;
import dev.sand.hostagent.triggers.QueueAction.Progressed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One queue of an application on one host: the partitions whose slots the host owns. Pure: what happened and the time go in,
 * actions come out. A message goes through
 *
 * <pre>waiting ─▶ under way ─▶ settled
 *    ▲            │ failed ─▶ pausing ─▶ under way …, at the last attempt: buried ─▶ settled
 *    └── refused by the platform: no attempt</pre>
 */
final class QueueRun {
    /** Messages of one partition that are held here and not settled. */
    static final int MOST_HELD = 1_000;
    /** Ranges of settled messages above one that is not: what progress has to name. */
    static final int MOST_RANGES = 1_000;
    /** Ids of messages that came lately, of one partition: a second one with such an id is dropped. */
    static final int REMEMBERED_IDS = 10_000;
    /** Before a refused invocation is tried again. */
    static final long REFUSED_PAUSE_MS = 1_000;

    private record Address(int partition, String group, boolean alone) {}

    private record Pausing(Batch batch, long dueMs) {}

    private static final class Partition {
        final Settled settled;
        /** What was there when this host became the owner: an earlier one may have worked on it. */
        final long takenOverEnd;
        final Map<String, Long> ids = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > REMEMBERED_IDS;
            }
        };
        /** Offsets of what is held, with when it was sent. */
        final Map<Long, Long> held = new HashMap<>();
        boolean stopped;

        Partition(Progress progress, long takenOverEnd) {
            this.settled = new Settled(progress);
            this.takenOverEnd = takenOverEnd;
        }

        boolean isFull() {
            return held.size() >= MOST_HELD || settled.ranges() >= MOST_RANGES;
        }

        boolean hasRoomAgain() {
            return held.size() <= MOST_HELD / 2 && settled.ranges() <= MOST_RANGES / 2;
        }
    }

    private final Map<Integer, Partition> partitions = new HashMap<>();
    private final Map<Address, Group> groups = new HashMap<>();
    /** Groups with something that waits, the one served longest ago first. */
    private final Set<Group> ready = new LinkedHashSet<>();
    private final PriorityQueue<Pausing> pausing = new PriorityQueue<>((a, b) -> Long.compare(a.dueMs, b.dueMs));
    private final List<QueueAction> actions = new ArrayList<>();
    private QueueSpec spec;
    private int underWay;

    QueueRun(QueueSpec spec) {
        this.spec = spec;
    }

    QueueSpec spec() {
        return spec;
    }

    /** A new version of the application says something else of the queue. */
    void onSpec(QueueSpec newSpec) {
        spec = newSpec;
    }

    /** This host owns the partition from now on. @param end where the partition ended then */
    void onOwned(int partition, Progress progress, long end) {
        partitions.put(partition, new Partition(progress, end));
    }

    /** Another host does, or nobody: what is under way counts no more. */
    void onLost(int partition) {
        if (partitions.remove(partition) == null) {
            return;
        }
        // A batch that pauses holds a place in its group, and none in the queue.
        int pausingHere = pausing.size();
        pausing.removeIf(waiting -> waiting.batch.partition() == partition);
        underWay += pausingHere - pausing.size();
        Iterator<Group> all = groups.values().iterator();
        while (all.hasNext()) {
            Group group = all.next();
            if (group.partition == partition) {
                underWay -= group.underWay;
                ready.remove(group);
                all.remove();
            }
        }
    }

    List<QueueAction> onMessages(int partition, List<Batch.Held> messages, long nowMs) {
        Partition owned = partitions.get(partition);
        if (owned == null || messages.isEmpty()) {
            return List.of();
        }
        boolean progressed = owned.held.isEmpty() && messages.getFirst().offset() > owned.settled.low();
        if (progressed) {
            owned.settled.beginsAt(messages.getFirst().offset());
        }
        for (Batch.Held message : messages) {
            progressed |= !take(owned, partition, message, nowMs);
        }
        if (progressed) {
            actions.add(new Progressed(partition));
        }
        if (owned.isFull() && !owned.stopped) {
            owned.stopped = true;
            actions.add(new Flow(partition, false));
        }
        return deliver(nowMs);
    }

    /** @return false when the message needs nothing more */
    private boolean take(Partition owned, int partition, Batch.Held held, long nowMs) {
        long offset = held.offset();
        if (owned.settled.contains(offset) || owned.held.containsKey(offset)) {
            return true;
        }
        QueueMessage message = held.message();
        Long first = message == null ? Long.valueOf(offset) : owned.ids.putIfAbsent(message.id(), offset);
        if (message == null || first != null && first != offset) {
            owned.settled.add(offset);
            return false;
        }
        owned.held.put(offset, message.enqueuedMs());
        boolean alone = message.target() != null;
        Address address = new Address(partition, alone ? null : message.group(), alone);
        Group group = groups.computeIfAbsent(address, a -> new Group(a.partition, a.group, a.alone));
        group.add(held, nowMs);
        ready.add(group);
        return true;
    }

    /** The invocation ended. @param failure null: well */
    List<QueueAction> onEnded(Batch batch, Failure failure, String executionId, long nowMs) {
        if (!partitions.containsKey(batch.partition())) {
            return List.of();
        }
        if (failure == null) {
            settle(batch);
        } else if (batch.attempt() > spec.retries()) {
            actions.add(new Bury(batch, failure, executionId));
            return deliver(nowMs);
        } else {
            Settled settled = partitions.get(batch.partition()).settled;
            batch.messages().forEach(message -> settled.failed(message.offset(), batch.attempt()));
            actions.add(new Progressed(batch.partition()));
            pause(batch.again(batch.attempt() + 1), nowMs + spec.pauseMs(batch.attempt() + 1));
        }
        return deliver(nowMs);
    }

    /** The platform could not take the invocation just now, or not store the dead letter: no attempt was made. */
    List<QueueAction> onRefused(Batch batch, long nowMs) {
        if (!partitions.containsKey(batch.partition())) {
            return List.of();
        }
        pause(batch, nowMs + REFUSED_PAUSE_MS);
        return deliver(nowMs);
    }

    List<QueueAction> onBuried(Batch batch, long nowMs) {
        if (!partitions.containsKey(batch.partition())) {
            return List.of();
        }
        settle(batch);
        return deliver(nowMs);
    }

    List<QueueAction> onTick(long nowMs) {
        return deliver(nowMs);
    }

    /** When the next tick can make a difference. */
    long nextDueMs() {
        long due = pausing.isEmpty() ? Long.MAX_VALUE : pausing.peek().dueMs;
        for (Group group : ready) {
            if (group.hasRoom(spec)) {
                due = Math.min(due, group.lingersUntilMs(spec));
            }
        }
        return due;
    }

    Progress progress(int partition) {
        Partition owned = partitions.get(partition);
        return owned == null ? null : owned.settled.progress();
    }

    /** Messages held and not settled. */
    int held() {
        return partitions.values().stream().mapToInt(owned -> owned.held.size()).sum();
    }

    /** When the first of those that are held was sent; none: the time now. */
    long oldestMs(long nowMs) {
        long oldest = nowMs;
        for (Partition owned : partitions.values()) {
            for (long enqueuedMs : owned.held.values()) {
                oldest = Math.min(oldest, enqueuedMs);
            }
        }
        return oldest;
    }

    /** Whether the partition has more than is held here. */
    boolean isStopped(int partition) {
        Partition owned = partitions.get(partition);
        return owned != null && owned.stopped;
    }

    private void pause(Batch batch, long dueMs) {
        underWay--;
        pausing.add(new Pausing(batch, dueMs));
    }

    private void settle(Batch batch) {
        Partition owned = partitions.get(batch.partition());
        for (Batch.Held message : batch.messages()) {
            owned.held.remove(message.offset());
            owned.settled.add(message.offset());
        }
        underWay--;
        Group group = groupOf(batch);
        group.underWay--;
        if (group.isEmpty() && group.underWay == 0) {
            groups.values().remove(group);
        }
        actions.add(new Progressed(batch.partition()));
        if (owned.stopped && owned.hasRoomAgain()) {
            owned.stopped = false;
            actions.add(new Flow(batch.partition(), true));
        }
    }

    private Group groupOf(Batch batch) {
        return groups.get(new Address(batch.partition(), batch.group(), batch.messages().getFirst().message().target() != null));
    }

    private List<QueueAction> deliver(long nowMs) {
        while (underWay < spec.concurrency() && !pausing.isEmpty() && pausing.peek().dueMs <= nowMs) {
            underWay++;
            actions.add(new Deliver(pausing.poll().batch));
        }
        for (Group group : List.copyOf(ready)) {
            while (underWay < spec.concurrency() && group.hasRoom(spec)) {
                List<Batch.Held> taken = group.take(spec, nowMs);
                if (taken.isEmpty()) {
                    break;
                }
                begin(group, taken);
            }
            if (group.isEmpty()) {
                ready.remove(group);
            }
        }
        partitions.forEach((number, owned) -> {
            if (owned.stopped) {
                unblock(number);
            }
        });
        List<QueueAction> done = List.copyOf(actions);
        actions.clear();
        return done;
    }

    /** No more is read of the partition, and all that is held waits for others, which may be behind it: then one group goes as it is. */
    private void unblock(int partition) {
        Group oldest = null;
        for (Group group : groups.values()) {
            if (group.partition == partition && group.underWay > 0) {
                return;
            }
            if (group.partition == partition && !group.isEmpty() && (oldest == null || group.oldestOffset() < oldest.oldestOffset())) {
                oldest = group;
            }
        }
        if (oldest != null && underWay < spec.concurrency()) {
            begin(oldest, oldest.takeAll());
            if (oldest.isEmpty()) {
                ready.remove(oldest);
            }
        }
    }

    private void begin(Group group, List<Batch.Held> messages) {
        Partition owned = partitions.get(group.partition);
        group.underWay++;
        underWay++;
        // Whoever was served goes behind those who were not.
        ready.remove(group);
        ready.add(group);
        int failures = messages.stream().mapToInt(message -> owned.settled.failures(message.offset())).max().orElse(0);
        boolean recovered = messages.getFirst().offset() < owned.takenOverEnd;
        actions.add(new Deliver(new Batch(group.partition, group.name, messages, failures + 1, recovered)));
    }
}
