package dev.sand.datalayer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The global store in memory, for tests and the simulator. */
public final class MemoryStore implements GlobalStore {
    private record ScopeName(String table, String scope) {}

    private static final class Scope {
        final TreeMap<byte[], Versioned> entries = new TreeMap<>(Arrays::compareUnsigned);
        final TreeMap<byte[], Long> fences = new TreeMap<>(Arrays::compareUnsigned);
        long floor;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ScopeName, Scope> scopes = new HashMap<>();

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return locked(() -> Optional.ofNullable(scope(table, scope).entries.get(Key.of(key))));
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return locked(() -> put(scope(table, scope), key, value, expected));
    }

    private static long put(Scope in, String key, byte[] value, long expected) {
        Versioned found = in.entries.get(Key.of(key));
        long version = Versions.next(key, found == null ? 0 : found.version(), in.floor, expected);
        in.entries.put(Key.of(key), new Versioned(version, value));
        return version;
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return locked(() -> {
            Scope in = scope(table, scope);
            if (in.fences.getOrDefault(Key.of(key), 0L) > epoch) {
                return false;
            }
            put(in, key, value, expected);
            in.fences.put(Key.of(key), epoch);
            return true;
        });
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        return locked(() -> {
            Scope in = scope(table, scope);
            Versioned found = in.entries.get(Key.of(key));
            Versions.next(key, found == null ? 0 : found.version(), in.floor, expected);
            if (found == null) {
                return false;
            }
            delete(in, key);
            return true;
        });
    }

    private static void delete(Scope in, String key) {
        Versioned found = in.entries.remove(Key.of(key));
        in.fences.remove(Key.of(key));
        in.floor = Math.max(in.floor, found == null ? 0 : found.version() + 1);
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return locked(() -> {
            List<Entry> entries = new ArrayList<>();
            for (String key : keys) {
                Versioned found = scope(table, scope).entries.get(Key.of(key));
                if (found != null) {
                    entries.add(new Entry(key, found.version(), found.value()));
                }
            }
            return entries;
        });
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        return locked(() -> {
            Scope in = scope(table, scope);
            for (Step step : steps) {
                Versioned found = in.entries.get(Key.of(step.key()));
                Versions.next(step.key(), found == null ? 0 : found.version(), 0, step.expected());
            }
            List<Long> versions = new ArrayList<>();
            for (Step step : steps) {
                if (step.value() != null) {
                    versions.add(put(in, step.key(), step.value(), ANY));
                    continue;
                }
                if (!step.checked()) {
                    delete(in, step.key());
                }
                versions.add(0L);
            }
            return versions;
        });
    }

    @Override
    public long bytes(String table, String scope) {
        return locked(() -> scope(table, scope).entries.values().stream().mapToLong(value -> value.value().length).sum());
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return locked(() -> {
            NavigableMap<byte[], Versioned> all = scope(table, scope).entries;
            return entries(after == null ? all : all.tailMap(Key.of(after), false), prefix, limit);
        });
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return locked(() -> {
            NavigableMap<byte[], Versioned> all = scope(table, scope).entries;
            return entries((before == null ? all : all.headMap(Key.of(before), false)).descendingMap(), prefix, limit);
        });
    }

    private static List<Entry> entries(Map<byte[], Versioned> from, String prefix, int limit) {
        byte[] start = Key.prefix(prefix);
        List<Entry> entries = new ArrayList<>();
        for (Map.Entry<byte[], Versioned> entry : from.entrySet()) {
            if (entries.size() >= limit) {
                break;
            }
            if (Key.startsWith(entry.getKey(), start)) {
                entries.add(new Entry(Key.text(entry.getKey()), entry.getValue().version(), entry.getValue().value()));
            }
        }
        return entries;
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        return locked(() -> {
            Scope in = scope(table, scope);
            Versioned found = in.entries.get(Key.of(key));
            long sum = Versions.sum(key, found == null ? null : found.value(), delta);
            put(in, key, Versions.counter(sum), ANY);
            return sum;
        });
    }

    @Override
    public void deleteScope(String table, String scope) {
        locked(() -> {
            Scope in = scope(table, scope);
            in.entries.values().forEach(value -> in.floor = Math.max(in.floor, value.version() + 1));
            in.entries.clear();
            in.fences.clear();
            return null;
        });
    }

    @Override
    public void close() {}

    private Scope scope(String table, String scope) {
        return scopes.computeIfAbsent(new ScopeName(table, scope), name -> new Scope());
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
