package dev.sand.datalayer;

import java.util.List;
import java.util.Optional;

/** A store, in memory unless told otherwise, whose calls a test can change. */
class ForwardingStore implements GlobalStore {
    final GlobalStore store;

    ForwardingStore() {
        this(new MemoryStore());
    }

    ForwardingStore(GlobalStore store) {
        this.store = store;
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return store.get(table, scope, key);
    }

    @Override
    public long version(String table, String scope, String key) {
        return store.version(table, scope, key);
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return store.put(table, scope, key, value, expected);
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return store.putFenced(table, scope, key, value, epoch, expected);
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        return store.delete(table, scope, key, expected);
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return store.scan(table, scope, prefix, after, limit);
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return store.scanDescending(table, scope, prefix, before, limit);
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return store.getAll(table, scope, keys);
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        return store.transact(table, scope, steps);
    }

    @Override
    public long bytes(String table, String scope) {
        return store.bytes(table, scope);
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        return store.add(table, scope, key, delta);
    }

    @Override
    public void deleteScope(String table, String scope) {
        store.deleteScope(table, scope);
    }

    @Override
    public void close() {
        store.close();
    }
}
