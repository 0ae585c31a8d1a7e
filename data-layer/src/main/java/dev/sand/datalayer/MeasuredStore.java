package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.DurationCounts;
import dev.sand.event.LatelyFull;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The global store, and what an operator asks of it: how long its calls take, and what fails, and why. It stands where the store
 * is opened, so that whatever uses the store is counted.
 */
public final class MeasuredStore implements GlobalStore {
    /** What was asked of the store. */
    public enum Call { READ, WRITE, SCAN }

    /** @param calls that were answered, a conflict being an answer; @param failures by reason: all of both */
    public record Figures(Map<Call, DurationCounts.Reading> calls, Map<Call, Map<Kind, Long>> failures) {}

    private static final class Counts {
        final DurationCounts durations = new DurationCounts();
        final Map<Kind, LongAdder> failures = new EnumMap<>(Kind.class);

        Counts() {
            for (Kind kind : Kind.values()) {
                if (kind != Kind.CONFLICT) {
                    failures.put(kind, new LongAdder());
                }
            }
        }
    }

    private final GlobalStore store;
    private final LatelyFull room = new LatelyFull();
    private final Map<Call, Counts> counts = new EnumMap<>(Call.class);

    public MeasuredStore(GlobalStore store) {
        this.store = store;
        for (Call call : Call.values()) {
            counts.put(call, new Counts());
        }
    }

    public Figures figures() {
        Map<Call, DurationCounts.Reading> calls = new EnumMap<>(Call.class);
        Map<Call, Map<Kind, Long>> failures = new EnumMap<>(Call.class);
        counts.forEach((call, one) -> {
            calls.put(call, one.durations.read());
            Map<Kind, Long> read = new EnumMap<>(Kind.class);
            one.failures.forEach((kind, count) -> read.put(kind, count.sum()));
            failures.put(call, read);
        });
        return new Figures(calls, failures);
    }

    private <T> T asked(Call call, Supplier<T> question) {
        Counts of = counts.get(call);
        long beganNs = System.nanoTime();
        try {
            T answer = question.get();
            of.durations.add(System.nanoTime() - beganNs);
            return answer;
        } catch (StoreException e) {
            if (e.kind() == Kind.CONFLICT) {
                of.durations.add(System.nanoTime() - beganNs);
            } else {
                of.failures.get(e.kind()).increment();
            }
            if (e.kind() == Kind.FULL) {
                room.refused(e.getMessage());
            }
            throw e;
        }
    }

    private void asked(Call call, Runnable question) {
        asked(call, () -> {
            question.run();
            return null;
        });
    }

    @Override
    public boolean isOfOneProgram() {
        return store.isOfOneProgram();
    }

    @Override
    public String full() {
        return room.why();
    }

    @Override
    public Optional<Versioned> get(String table, String scope, String key) {
        return asked(Call.READ, () -> store.get(table, scope, key));
    }

    @Override
    public long version(String table, String scope, String key) {
        return asked(Call.READ, () -> store.version(table, scope, key));
    }

    @Override
    public List<Entry> getAll(String table, String scope, List<String> keys) {
        return asked(Call.READ, () -> store.getAll(table, scope, keys));
    }

    @Override
    public long put(String table, String scope, String key, byte[] value, long expected) {
        return asked(Call.WRITE, () -> store.put(table, scope, key, value, expected));
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch, long expected) {
        return asked(Call.WRITE, () -> store.putFenced(table, scope, key, value, epoch, expected));
    }

    @Override
    public boolean putFenced(String table, String scope, String key, byte[] value, long epoch) {
        return asked(Call.WRITE, () -> store.putFenced(table, scope, key, value, epoch));
    }

    @Override
    public boolean delete(String table, String scope, String key, long expected) {
        return asked(Call.WRITE, () -> store.delete(table, scope, key, expected));
    }

    @Override
    public long add(String table, String scope, String key, long delta) {
        return asked(Call.WRITE, () -> store.add(table, scope, key, delta));
    }

    @Override
    public void deleteAll(String table, String scope, String prefix) {
        asked(Call.WRITE, () -> store.deleteAll(table, scope, prefix));
    }

    @Override
    public void writeAll(List<Write> writes) {
        asked(Call.WRITE, () -> store.writeAll(writes));
    }

    @Override
    public void writeAll(List<Lent> lent, List<Write> behind) {
        asked(Call.WRITE, () -> store.writeAll(lent, behind));
    }

    @Override
    public void addAll(List<Write> writes) {
        asked(Call.WRITE, () -> store.addAll(writes));
    }

    @Override
    public List<Long> transact(String table, String scope, List<Step> steps) {
        return asked(Call.WRITE, () -> store.transact(table, scope, steps));
    }

    @Override
    public void deleteScope(String table, String scope) {
        asked(Call.WRITE, () -> store.deleteScope(table, scope));
    }

    @Override
    public List<String> keepLast(String table, String scope, int keep) {
        return asked(Call.WRITE, () -> store.keepLast(table, scope, keep));
    }

    @Override
    public void deleteBefore(String table, String scope, String key) {
        asked(Call.WRITE, () -> store.deleteBefore(table, scope, key));
    }

    @Override
    public List<Entry> scan(String table, String scope, String prefix, String after, int limit) {
        return asked(Call.SCAN, () -> store.scan(table, scope, prefix, after, limit));
    }

    @Override
    public List<Entry> scanDescending(String table, String scope, String prefix, String before, int limit) {
        return asked(Call.SCAN, () -> store.scanDescending(table, scope, prefix, before, limit));
    }

    @Override
    public List<String> keys(String table, String scope, String prefix, String after, int limit) {
        return asked(Call.SCAN, () -> store.keys(table, scope, prefix, after, limit));
    }

    @Override
    public long bytes(String table, String scope) {
        return asked(Call.SCAN, () -> store.bytes(table, scope));
    }

    @Override
    public List<String> unnamed(int part) {
        return asked(Call.SCAN, () -> store.unnamed(part));
    }

    @Override
    public void deleteUnnamed(String id) {
        asked(Call.WRITE, () -> store.deleteUnnamed(id));
    }

    @Override
    public void close() {
        store.close();
    }
}
