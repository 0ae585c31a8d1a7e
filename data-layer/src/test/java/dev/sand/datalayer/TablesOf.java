package dev.sand.datalayer;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Tables of its own in a store that others use too: what a test leaves behind, the next one does not see. */
record TablesOf(GlobalStore store, String prefix) implements GlobalStore {
    private static int made;

    static TablesOf next(GlobalStore store) {
        made++;
        return new TablesOf(store, "t" + made + "-");
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return store.get(prefix + table, scope, key);
    }

    @Override
    public long version(String table, String scope, String key) {
        return store.version(prefix + table, scope, key);
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return store.put(prefix + table, scope, key, value, expected);
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return store.putFenced(prefix + table, scope, key, value, epoch, expected);
    }

    @Override
    public long bytes(String table, String scope) {
        return store.bytes(prefix + table, scope);
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        return store.delete(prefix + table, scope, key, expected);
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return store.scan(this.prefix + table, scope, prefix, after, limit);
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return store.scanDescending(this.prefix + table, scope, prefix, before, limit);
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return store.keys(this.prefix + table, scope, prefix, after, limit);
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return store.getAll(prefix + table, scope, keys);
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        return store.transact(prefix + table, scope, steps);
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        return store.add(prefix + table, scope, key, delta);
    }

    @Override
    public void deleteScope(String table, String scope) {
        store.deleteScope(prefix + table, scope);
    }

    @Override
    public void deleteBefore(String table, String scope, String key) {
        store.deleteBefore(prefix + table, scope, key);
    }

    @Override
    public List<String> keepLast(String table, String scope, int keep) {
        return store.keepLast(prefix + table, scope, keep);
    }

    @Override
    public void writeAll(List<Write> writes) {
        store.writeAll(writes.stream().map(write -> new Write(prefix + write.table(), write.scope(), write.key(), write.value(),
                write.epoch())).collect(Collectors.toList()));
    }

    @Override
    public List<String> unnamed(int part) {
        return store.unnamed(part);
    }

    @Override
    public void deleteUnnamed(String id) {
        store.deleteUnnamed(id);
    }

    @Override
    public void close() {}
}
