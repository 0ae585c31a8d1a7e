package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.event.ApplicationName;
import dev.sand.event.Codec;
import dev.sand.event.Ids;
import dev.sand.event.Limits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who changed what, and what came of it: an entry is there before its change is made, and gets the outcome afterwards. Written by
 * frontends, in the global layer; the newest are kept. All calls block.
 */
public final class AuditLog {
    private static final String TABLE = "audit";
    private static final ScopeParts PARTS = new ScopeParts(8);
    private static final int PAGE = 200;
    private static final int TRIM_EACH = 512;
    private static final long KEPT_MS = 400L * 24 * 60 * 60 * 1000;

    /**
     * @param id ordered by time
     * @param caller what the door knows of him: {@code local} or {@code operator}; @param address that the request came from
     * @param operation of the OpenAPI document; @param application null: of none, or not known yet
     * @param details what else of the request says what was changed: names alone, no contents
     * @param tenant whose it is to see; null: {@code default}, as it was before there were others
     * @param status of the answer, or null: it is under way, or its frontend ended in the middle; @param problem the answer's, or null
     */
    public record Entry(short schema, String id, long atMs, String caller, String address, String operation, String application,
                        Map<String, String> details, Integer status, String problem, Long endedMs, String tenant) {
        public static Entry begun(String id, String tenant, String caller, String address, String operation, String application,
                                  Map<String, String> details) {
            return new Entry(Limits.SCHEMA_VERSION, id, Ids.epochMs(id), caller, address, operation, application, Map.copyOf(details),
                    null, null, null, tenant);
        }

        private String whose() {
            return tenant == null ? ApplicationName.DEFAULT_TENANT : tenant;
        }

        /** @param application null: as it was; @param all details that are known by now */
        public Entry ended(String ofApplication, Map<String, String> all, int withStatus, String ofProblem, long nowMs) {
            return new Entry(schema, id, atMs, caller, address, operation, ofApplication == null ? application : ofApplication,
                    Map.copyOf(all), withStatus, ofProblem, nowMs, tenant);
        }
    }

    /** @param next null: there are no older ones */
    public record Page(List<Entry> entries, String next) {}

    /** Null fits all. */
    public record Filter(String application, String operation) {
        boolean has(Entry entry) {
            return (application == null || application.equals(entry.application)) && (operation == null || operation.equals(entry.operation));
        }
    }

    private final GlobalStore store;
    private final int most;
    private final AtomicInteger begun = new AtomicInteger();

    /** @param most entries that are kept, about */
    public AuditLog(GlobalStore store, int most) {
        this.store = store;
        this.most = most;
    }

    /** It is durable on return. @throws StoreException when it cannot be: then the change is not to be made */
    public void begin(Entry entry) {
        write(row(entry), GlobalStore.ABSENT);
    }

    /** @param entry as it has ended */
    public void end(Entry entry) {
        write(row(entry), GlobalStore.ANY);
        hasEnded(entry);
    }

    private void write(Write row, long expected) {
        store.put(row.table(), row.scope(), row.key(), row.value(), expected);
    }

    /** For whoever writes it together with rows of his own: {@link GlobalStore#addAll} of one that begins. */
    public Write row(Entry entry) {
        return new Write(TABLE, PARTS.of(entry.whose(), entry.id), entry.id, Codec.encode(entry));
    }

    /** Its outcome is written. Now and then that makes room: at a program's first change, and each so many later. */
    public void hasEnded(Entry entry) {
        if (begun.getAndIncrement() % TRIM_EACH == 0) {
            trim(entry.whose(), entry.endedMs);
        }
    }

    private void trim(String tenant, long nowMs) {
        String oldest = Ids.encode(Math.max(0, nowMs - KEPT_MS), 0, 0);
        for (String part : PARTS.all(tenant)) {
            store.keys(TABLE, part, "", null, PAGE).stream().takeWhile(id -> id.compareTo(oldest) < 0)
                    .forEach(id -> store.delete(TABLE, part, id, GlobalStore.ANY));
            store.keepLast(TABLE, part, Math.max(1, most / PARTS.count()));
        }
    }

    /** The newest first. @param before an earlier page's next, or null */
    public Page list(String tenant, Filter filter, String before, int limit) {
        List<Entry> found = new ArrayList<>();
        Iterator<GlobalStore.Entry> entries = PARTS.descending(store, TABLE, tenant, before, Math.min(PAGE, limit + 1));
        while (entries.hasNext()) {
            Entry entry = Codec.decode(entries.next().value(), Entry.class);
            if (filter.has(entry)) {
                if (found.size() == limit) {
                    return new Page(found, found.getLast().id);
                }
                found.add(entry);
            }
        }
        return new Page(found, null);
    }
}
