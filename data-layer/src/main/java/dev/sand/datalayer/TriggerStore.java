package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.TriggerSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What is remembered of triggers and queues: which schedules are armed and when they fired, how far each queue's partitions
 * are worked off, and the dead letters. In the global layer, so that any host can take over. All calls block.
 */
public final class TriggerStore {
    private static final String SCHEDULES = "schedules";
    private static final String PROGRESS = "queues";
    private static final String DEAD = "dead-letters";
    private static final String CHANGES = "changes";
    private static final int TRIES = 20;

    /**
     * @param text the schedule's, as it was when this was written: another one starts anew
     * @param sinceMs from when on it counts: when it was armed, or its schedule changed
     * @param firedMs the last scheduled time that it fired for, 0 before the first
     * @param pending a fire that may not be in its queue yet, or null
     */
    public record ScheduleState(short schema, String text, boolean armed, long sinceMs, long firedMs, Pending pending) {
        /** Before anything was written. */
        public static ScheduleState first(TriggerSpec trigger, long nowMs) {
            String text = trigger.isScheduled() ? trigger.schedule().text() : trigger.prefix();
            return new ScheduleState(Limits.SCHEMA_VERSION, text, trigger.armed(), nowMs, 0, null);
        }

        public ScheduleState arm(boolean value, long nowMs) {
            return value == armed ? this : new ScheduleState(schema, text, value, nowMs, firedMs, pending);
        }
    }

    /** @param timeMs the scheduled time; @param offset of the partition's end before the fire was appended */
    public record Pending(long timeMs, long offset) {}

    public record VersionedSchedule(long version, ScheduleState state) {}

    /**
     * How far a partition of a queue is worked off.
     *
     * @param low every message below this offset is settled
     * @param settled ranges above it that are settled too: the first and the last offset of each, in order
     * @param attempts that failed so far, of messages that are not settled, by offset
     */
    public record Progress(short schema, long low, List<Long> settled, Map<Long, Integer> attempts) {
        public static final Progress NONE = new Progress(Limits.SCHEMA_VERSION, 0, List.of(), Map.of());

        public boolean isSettled(long offset) {
            for (int i = 0; i + 1 < settled.size(); i += 2) {
                if (settled.get(i) <= offset && offset <= settled.get(i + 1)) {
                    return true;
                }
            }
            return offset < low;
        }

        /** Messages that are not settled, of those from {@code begin} on and below {@code end}. */
        public long unsettled(long begin, long end) {
            // Of a topic that was made again this tells nothing: it begins anew.
            if (low > end) {
                return end - begin;
            }
            long left = end - Math.max(low, begin);
            for (int i = 0; i + 1 < settled.size(); i += 2) {
                left -= Math.max(0, Math.min(settled.get(i + 1) + 1, end) - Math.max(settled.get(i), begin));
            }
            return Math.max(0, left);
        }
    }

    public record VersionedProgress(long version, Progress progress) {}

    /** A message that was given up on. @param attempts how often it was tried; */
    public record DeadLetter(short schema, String id, String queue, String group, Payload payload, long enqueuedMs, long diedMs,
                             int attempts, Failure failure, String executionId) {}

    private final GlobalStore store;

    public TriggerStore(GlobalStore store) {
        this.store = store;
    }

    // --- schedules

    public Optional<VersionedSchedule> schedule(String application, String trigger) {
        return store.get(SCHEDULES, application, trigger).map(found ->
                new VersionedSchedule(found.version(), Codec.decode(found.value(), ScheduleState.class)));
    }

    /** @return the new version; @throws StoreException CONFLICT when somebody else wrote meanwhile */
    public long putSchedule(String application, String trigger, ScheduleState state, long expected) {
        return store.put(SCHEDULES, application, trigger, Codec.encode(state), expected);
    }

    /** Changes what is there, again when somebody else was faster. @param first what is there before anything is */
    public ScheduleState changeSchedule(String application, String trigger, ScheduleState first, UnaryOperator<ScheduleState> change) {
        for (int i = 0; ; i++) {
            Optional<VersionedSchedule> found = schedule(application, trigger);
            ScheduleState changed = change.apply(found.map(VersionedSchedule::state).orElse(first));
            try {
                putSchedule(application, trigger, changed, found.map(VersionedSchedule::version).orElse(GlobalStore.ABSENT));
                return changed;
            } catch (StoreException e) {
                if (e.kind() != Kind.CONFLICT || i == TRIES) {
                    throw e;
                }
            }
        }
    }

    // --- progress of queues

    public VersionedProgress progress(String application, String queue, int partition) {
        Optional<Versioned> found = store.get(PROGRESS, application, partitionKey(queue, partition));
        return found.map(v -> new VersionedProgress(v.version(), Codec.decode(v.value(), Progress.class)))
                .orElse(new VersionedProgress(GlobalStore.ABSENT, Progress.NONE));
    }

    /** Of all partitions, by number; those of which nothing was ever settled are not there. */
    public Map<Integer, Progress> progress(String application, String queue) {
        Map<Integer, Progress> found = new TreeMap<>();
        String prefix = queue + "/";
        store.scan(PROGRESS, application, prefix, null, Integer.MAX_VALUE).forEach(entry ->
                found.put(Integer.parseInt(entry.key().substring(prefix.length())), Codec.decode(entry.value(), Progress.class)));
        return found;
    }

    /** @return the new version; @throws StoreException CONFLICT when another host works on the partition */
    public long putProgress(String application, String queue, int partition, Progress progress, long expected) {
        return store.put(PROGRESS, application, partitionKey(queue, partition), Codec.encode(progress), expected);
    }

    private static String partitionKey(String queue, int partition) {
        return String.format("%s/%05d", queue, partition);
    }

    // --- dead letters

    /** The same letter twice is one. */
    public void bury(String application, DeadLetter letter) {
        store.put(DEAD, application, letter.queue() + "/" + letter.id(), Codec.encode(letter), GlobalStore.ANY);
    }

    public Optional<DeadLetter> deadLetter(String application, String queue, String id) {
        return store.get(DEAD, application, queue + "/" + id).map(found -> Codec.decode(found.value(), DeadLetter.class));
    }

    /** In byte order of their ids, which for most is the order of sending. @param after an id, or null */
    public List<DeadLetter> deadLetters(String application, String queue, String after, int limit) {
        String prefix = queue + "/";
        return store.scan(DEAD, application, prefix, after == null ? null : prefix + after, limit).stream()
                .map(entry -> Codec.decode(entry.value(), DeadLetter.class)).toList();
    }

    public boolean forgetDeadLetter(String application, String queue, String id) {
        return store.delete(DEAD, application, queue + "/" + id, GlobalStore.ANY);
    }

    // --- changes of data that may not be in their queues yet

    /** @param key a name for the mark; its value says what may have changed */
    public void markChange(String application, String key, byte[] value) {
        store.put(CHANGES, application, key, value, GlobalStore.ANY);
    }

    public void forgetChange(String application, String key) {
        store.delete(CHANGES, application, key, GlobalStore.ANY);
    }

    public Map<String, byte[]> changes(String application, int limit) {
        Map<String, byte[]> found = new TreeMap<>();
        store.scan(CHANGES, application, "", null, limit).forEach(entry -> found.put(entry.key(), entry.value()));
        return found;
    }

    public void deleteApplication(String application) {
        for (String table : List.of(SCHEDULES, PROGRESS, DEAD, CHANGES)) {
            store.deleteScope(table, application);
        }
    }
}
