package dev.sand.hostagent.triggers;

import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.SharedData.Change;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Codec;
import dev.sand.event.Ids;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.QueueSpec;
import dev.sand.event.TriggerSpec;
import dev.sand.event.TriggerSpec.Operation;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes messages of changes of shared data that a trigger watches. A mark is stored before the write and taken away when the
 * message is in the queue: a mark that stays says that a write may have happened that nobody was told of. Called on the
 * threads that write data; {@link #recover} by the owner of the application's marks.
 */
final class DataChanges implements SharedData.ChangeListener {
    private static final Logger LOG = LoggerFactory.getLogger(DataChanges.class);
    private static final int MARKS_AT_ONCE = 1000;

    /** @param id of the message, the same whoever sends it */
    private record Mark(short schema, String id, String trigger, String key, Operation operation) {}

    private final Registry registry;
    private final Queues queues;
    private final TriggerStore store;
    private final BiPredicate<String, String> isArmed;
    /** Marks that were there at the last look, by application: those that still are belong to nobody who lives. */
    private final Map<String, Set<String>> seen = new HashMap<>();

    /** @param isArmed application and trigger */
    DataChanges(Registry registry, Queues queues, TriggerStore store, BiPredicate<String, String> isArmed) {
        this.registry = registry;
        this.queues = queues;
        this.store = store;
        this.isArmed = isArmed;
    }

    @Override
    public Change begin(String application, String key, Operation operation) {
        ApplicationVersion live = registry.resolve(application, null).orElse(null);
        if (live == null || live.triggers().isEmpty()) {
            return null;
        }
        List<TriggerSpec> watching = live.triggers().values().stream()
                .filter(trigger -> trigger.watches(key, operation) && isArmed.test(application, trigger.name())).toList();
        if (watching.isEmpty()) {
            return null;
        }
        Map<TriggerSpec, Mark> marks = new HashMap<>();
        for (TriggerSpec trigger : watching) {
            String id = Ids.next(System.currentTimeMillis(), ThreadLocalRandom.current());
            Mark mark = new Mark(Limits.SCHEMA_VERSION, id, trigger.name(), key, operation);
            store.markChange(application, id, Codec.encode(mark));
            marks.put(trigger, mark);
        }
        return new Change() {
            @Override
            public void done(long version) {
                marks.forEach((trigger, mark) -> {
                    if (version != SharedData.UNCHANGED && !send(application, trigger, mark, version)) {
                        return;
                    }
                    forget(application, mark);
                });
            }

            @Override
            public void failed(boolean certainly) {
                if (certainly) {
                    marks.values().forEach(mark -> forget(application, mark));
                }
            }
        };
    }

    /** @return false: it is not in the queue, the mark stays */
    private boolean send(String application, TriggerSpec trigger, Mark mark, long version) {
        QueueMessage message = QueueMessage.of(mark.id(), group(mark.key()), Deliveries.change(mark.key(),
                mark.operation().name().toLowerCase(Locale.ROOT), version), Ids.epochMs(mark.id()));
        CompletableFuture<Long> offset = new CompletableFuture<>();
        queues.append(application, trigger.name(), queues.partitionOf(application, message.group()), message,
                AppendFuture.completing(offset));
        try {
            offset.join();
            return true;
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.TRIGGER, trigger.name())
                    .log("trigger {} of {} is told later of the change of a key: {}", trigger.name(), application, e.getMessage());
            return false;
        }
    }

    /** A key may be longer than a group's name; long ones share a group by their beginning. */
    private static String group(String key) {
        return key.length() <= QueueSpec.GROUP_CHARS ? key : key.substring(0, QueueSpec.GROUP_CHARS);
    }

    private void forget(String application, Mark mark) {
        try {
            store.forgetChange(application, mark.id());
        } catch (RuntimeException e) {
            LOG.debug("the mark {} stays for now: {}", mark.id(), e.toString());
        }
    }

    /** Sends what marks are left that were there at the last call too. Blocks; called by one thread at a time, now and then. */
    void recover(ApplicationVersion live) {
        String application = live.application();
        Map<String, byte[]> marks = store.changes(application, MARKS_AT_ONCE);
        Set<String> before = seen.getOrDefault(application, Set.of());
        marks.forEach((id, value) -> {
            if (before.contains(id)) {
                Mark mark = Codec.decode(value, Mark.class);
                TriggerSpec trigger = live.triggers().get(mark.trigger());
                if (trigger == null || send(application, trigger, mark, 0)) {
                    forget(application, mark);
                }
            }
        });
        seen.put(application, new HashSet<>(marks.keySet()));
    }
}
