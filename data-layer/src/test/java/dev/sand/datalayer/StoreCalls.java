package dev.sand.datalayer;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A store in memory, every call of which passes one place, where a test can hold it up or let it fail. */
abstract class StoreCalls extends ForwardingStore {
    StoreCalls() {}

    StoreCalls(MemoryStore store) {
        super(store);
    }

    /** @param name of the method; @param call what it does */
    abstract <T> T call(String name, Supplier<T> call);

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return call("get", () -> super.get(table, scope, key));
    }

    @Override
    public long version(String table, String scope, String key) {
        return call("version", () -> super.version(table, scope, key));
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return call("put", () -> super.put(table, scope, key, value, expected));
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return call("putFenced", () -> super.putFenced(table, scope, key, value, epoch, expected));
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        return call("delete", () -> super.delete(table, scope, key, expected));
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return call("keys", () -> super.keys(table, scope, prefix, after, limit));
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return call("getAll", () -> super.getAll(table, scope, keys));
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        return call("transact", () -> super.transact(table, scope, steps));
    }

    @Override
    public void writeAll(List<Write> writes) {
        call("writeAll", () -> {
            writes.forEach(write -> store.put(write.table(), write.scope(), write.key(), write.value(), ANY));
            return null;
        });
    }
}
