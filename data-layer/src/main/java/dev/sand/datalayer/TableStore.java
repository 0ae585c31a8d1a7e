package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.GlobalStore.Step;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.TableOperation.Result;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.event.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The {@code table/} namespace of grains: small values by partition and key, linearizable. A transaction is a list of
 * operations on keys of one partition, all of them or none: what they find is read, what comes of it is computed, and written
 * on condition that nothing of it has changed; else once more. Not cached; calls block.
 */
public final class TableStore {
    static final String TABLE = "table";
    private static final String PARTITIONS = "table-partitions";
    private static final String VALUE = "v";
    /** Operations of one transaction. */
    public static final int MOST_OPERATIONS = 100;
    /** Of these, those that give a value: their answer is one frame. */
    public static final int MOST_VALUES = 12;
    public static final int MOST_SCANNED = 1000;
    private static final int SCANNED_BYTES = 512 * 1024;
    private static final int PAGE = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MOST_PAUSE = Duration.ofMillis(20);
    private static final int STRIPES = 256;

    /** @param version of the value */
    public record Item(String key, long version, Payload value) {}

    private static final class Row {
        final long version;
        Payload value;
        boolean changed;

        Row(long version, Payload value) {
            this.version = version;
            this.value = value;
        }
    }

    private final GlobalStore store;
    private final Room room;
    private final Set<String> knownPartitions = ConcurrentHashMap.newKeySet();
    /** Own threads take turns in a partition rather than undo each other's work. */
    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    public TableStore(GlobalStore store) {
        this(store, Room.ENDLESS);
    }

    TableStore(GlobalStore store, Room room) {
        this.store = store;
        this.room = room;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock();
        }
    }

    /** An application's name has no slash, so that no partition's scope is another application's. */
    static String scope(String application, String partition) {
        return application + "/" + partition;
    }

    /**
     * @return a result for each operation
     * @throws StoreException CONFLICT when a check, or a version that was given, does not hold; BAD_VALUE when an operation does
     *     not suit the value that is there, or a limit is passed. Nothing was written then. AWAY when it is not known
     */
    public List<Result> transact(String application, String partition, List<TableOperation> operations) {
        if (operations.isEmpty() || operations.size() > MOST_OPERATIONS) {
            throw new StoreException(Kind.BAD_VALUE, "a transaction has 1 to " + MOST_OPERATIONS + " operations, not " + operations.size(), 0, null);
        }
        long values = operations.stream().filter(operation -> operation.what() == What.GET || operation.what() == What.POP_FIRST
                || operation.what() == What.POP_LAST).count();
        if (values > MOST_VALUES) {
            throw new StoreException(Kind.BAD_VALUE, "a transaction gives at most " + MOST_VALUES + " values, not " + values, 0, null);
        }
        Set<String> keys = new LinkedHashSet<>();
        operations.forEach(operation -> keys.add(name(operation)));
        String scope = scope(application, partition);
        Deadline deadline = Deadline.in(TIMEOUT.multipliedBy(2)); // its turn may come late
        ReentrantLock stripe = stripes[Math.floorMod(scope.hashCode(), STRIPES)];
        try {
            if (!stripe.tryLock(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreException(Kind.AWAY, "too many changes of partition \"" + partition + "\" wait; try again", 0, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.AWAY, "interrupted while waiting for partition \"" + partition + "\"", 0, e);
        }
        try {
            while (true) {
                Map<String, Row> rows = read(scope, keys);
                List<Result> results = new ArrayList<>();
                operations.forEach(operation -> results.add(apply(operation, rows.get(name(operation)))));
                if (rows.values().stream().noneMatch(row -> row.changed)) {
                    return results;
                }
                remember(application, partition);
                try {
                    return withVersions(operations, results, write(application, scope, rows));
                } catch (StoreException e) {
                    if (e.kind() != Kind.CONFLICT) {
                        throw e;
                    }
                    deadline.pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(MOST_PAUSE.toNanos())),
                            new StoreException(Kind.AWAY, "others kept changing partition \"" + partition + "\"; try again", 0, e));
                }
            }
        } finally {
            stripe.unlock();
        }
    }

    private static String name(TableOperation operation) {
        if (operation.key().isEmpty()) {
            throw new StoreException(Kind.BAD_VALUE, "a key must not be empty", 0, null);
        }
        return (operation.what() == What.CHECK_LOCK ? TimedLocks.LOCK : VALUE) + operation.key();
    }

    private Map<String, Row> read(String scope, Set<String> keys) {
        Map<String, Row> rows = new LinkedHashMap<>();
        keys.forEach(key -> rows.put(key, new Row(0, null)));
        for (Entry entry : store.getAll(TABLE, scope, List.copyOf(keys))) {
            boolean lock = entry.key().startsWith(TimedLocks.LOCK);
            rows.put(entry.key(), new Row(entry.version(), lock ? Payload.json(entry.value()) : SharedValue.decode(entry.key(), entry.value())));
        }
        return rows;
    }

    private static Result apply(TableOperation operation, Row row) {
        switch (operation.what()) {
            case CHECK -> Versions.next(operation.key(), row.version, 0, operation.number() == null ? 0 : operation.number());
            case CHECK_LOCK -> TimedLocks.check(operation.key(), row.value, operation.number() == null ? 0 : operation.number());
            case PUT, DELETE -> Versions.next(operation.key(), row.version, 0, operation.number() == null ? GlobalStore.ANY : operation.number());
            default -> {
                // No condition on what is there.
            }
        }
        TableValue.Outcome outcome = TableValue.apply(operation, row.value);
        row.changed |= outcome.value() != row.value;
        row.value = outcome.value();
        return new Result(row.version, outcome.given(), outcome.number());
    }

    /** @return new versions by stored key */
    private Map<String, Long> write(String application, String scope, Map<String, Row> rows) {
        List<Step> steps = new ArrayList<>();
        rows.forEach((key, row) -> {
            boolean nothing = row.value == null && row.version == 0;
            if (!row.changed || nothing) {
                steps.add(Step.check(key, row.version));
            } else if (row.value == null) {
                steps.add(Step.delete(key, row.version));
            } else {
                steps.add(Step.put(key, SharedValue.encode(row.value.contentType(), row.value.bytes()), row.version));
            }
        });
        room.take(application, steps.stream().mapToLong(step -> step.value() == null ? 0 : step.value().length).sum());
        List<Long> versions = store.transact(TABLE, scope, steps);
        Map<String, Long> written = new LinkedHashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            written.put(steps.get(i).key(), steps.get(i).checked() ? Long.valueOf(steps.get(i).expected()) : versions.get(i));
        }
        return written;
    }

    private static List<Result> withVersions(List<TableOperation> operations, List<Result> results, Map<String, Long> versions) {
        List<Result> all = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Result result = results.get(i);
            What what = operations.get(i).what();
            boolean reads = what == What.GET || what == What.CHECK || what == What.CHECK_LOCK;
            all.add(reads ? result : new Result(versions.get(name(operations.get(i))), result.value(), result.number()));
        }
        return all;
    }

    /** So that the application's deletion finds the partition. */
    void remember(String application, String partition) {
        if (!knownPartitions.contains(scope(application, partition))) {
            if (store.get(PARTITIONS, application, partition).isEmpty()) {
                store.put(PARTITIONS, application, partition, new byte[0], GlobalStore.ANY);
            }
            knownPartitions.add(scope(application, partition));
        }
    }

    /** @param more whether there are others behind the last one */
    public record Page(List<Item> items, boolean more) {}

    /** In byte order of the keys, which start with the prefix and come after {@code after} (or null); as many as fit a frame. */
    public Page scan(String application, String partition, String prefix, String after, int limit) {
        int most = Math.clamp(limit, 1, MOST_SCANNED);
        List<Item> items = new ArrayList<>();
        String from = after == null ? null : VALUE + after;
        long bytes = 0;
        while (true) {
            List<Entry> page = store.scan(TABLE, scope(application, partition), VALUE + prefix, from, PAGE);
            for (Entry entry : page) {
                if (items.size() == most || bytes >= SCANNED_BYTES) {
                    return new Page(items, true);
                }
                items.add(new Item(entry.key().substring(VALUE.length()), entry.version(), SharedValue.decode(entry.key(), entry.value())));
                bytes += entry.value().length + entry.key().length();
                from = entry.key();
            }
            if (page.size() < PAGE) {
                return new Page(items, false);
            }
        }
    }

    /** That an application has stored. */
    static long bytes(GlobalStore store, String application) {
        return store.keys(PARTITIONS, application, "", null, Integer.MAX_VALUE).stream()
                .mapToLong(partition -> store.bytes(TABLE, scope(application, partition))).sum();
    }

    public void deleteApplication(String application) {
        for (String partition : store.keys(PARTITIONS, application, "", null, Integer.MAX_VALUE)) {
            store.deleteScope(TABLE, scope(application, partition));
        }
        store.deleteScope(PARTITIONS, application);
        knownPartitions.removeIf(scope -> scope.startsWith(application + "/"));
    }
}
