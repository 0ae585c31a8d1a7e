package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.event.Slots;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * A scope in so many parts, by key. A scope is one partition of the global store, whose writes take turns (in Cassandra each
 * is a lightweight transaction of the partition): what many write at once under keys of their own is spread, so that they
 * seldom meet. With as many parts as slots, what is kept by execution id has one writer a part: the slot's owner.
 */
public record ScopeParts(int count) {
    public String of(String scope, String key) {
        return name(scope, Slots.of(key, count));
    }

    public List<String> all(String scope) {
        return IntStream.range(0, count).mapToObj(part -> name(scope, part)).toList();
    }

    private String name(String scope, int part) {
        return count == 1 ? scope : scope + "/" + part;
    }

    /** As {@link GlobalStore#keys}, over all parts. */
    List<String> keys(GlobalStore store, String table, String scope, String prefix, String after, int limit) {
        return all(scope).stream().flatMap(part -> store.keys(table, part, prefix, after, limit).stream())
                .sorted(Comparator.comparing(Key::of, Arrays::compareUnsigned)).limit(limit).toList();
    }

    /** As {@link GlobalStore#bytes}, of all parts. */
    long bytes(GlobalStore store, String table, String scope) {
        return all(scope).stream().mapToLong(part -> store.bytes(table, part)).sum();
    }

    public void delete(GlobalStore store, String table, String scope) {
        all(scope).forEach(part -> store.deleteScope(table, part));
    }

    /** All entries of the scope from {@code before} (or the last) down, read a part's page at a time as they are asked for. */
    Iterator<Entry> descending(GlobalStore store, String table, String scope, String before, int page) {
        PriorityQueue<Cursor> heads = new PriorityQueue<>(Comparator.comparing((Cursor cursor) -> cursor.page.getFirst().key()).reversed());
        for (String part : all(scope)) {
            Cursor cursor = new Cursor(store, table, part, page);
            if (cursor.read(before)) {
                heads.add(cursor);
            }
        }
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !heads.isEmpty();
            }

            @Override
            public Entry next() {
                Cursor newest = heads.poll();
                if (newest == null) {
                    throw new NoSuchElementException();
                }
                Entry entry = newest.page.removeFirst();
                if (!newest.page.isEmpty() || newest.more && newest.read(entry.key())) {
                    heads.add(newest);
                }
                return entry;
            }
        };
    }

    private static final class Cursor {
        private final GlobalStore store;
        private final String table;
        private final String scope;
        private final int limit;
        private final Deque<Entry> page = new ArrayDeque<>();
        private boolean more;

        Cursor(GlobalStore store, String table, String scope, int limit) {
            this.store = store;
            this.table = table;
            this.scope = scope;
            this.limit = limit;
        }

        /** @return whether there is anything */
        boolean read(String before) {
            page.addAll(store.scanDescending(table, scope, "", before, limit));
            more = page.size() == limit;
            return !page.isEmpty();
        }
    }
}
