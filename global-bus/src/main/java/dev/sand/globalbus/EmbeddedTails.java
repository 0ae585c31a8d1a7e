package dev.sand.globalbus;

import dev.sand.globalbus.GlobalBus.Tail;
import dev.sand.globalbus.GlobalBus.TailListener;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The open tails of an embedded bus, by partition; the bus says when one has something new. */
final class EmbeddedTails {
    private record Key(String topic, int partition) {}

    private final EmbeddedTail.Source source;
    private final Executor executor;
    private final Map<Key, Set<EmbeddedTail>> tails = new ConcurrentHashMap<>();

    /** @param executor runs one task after the other; given at most one task a tail */
    EmbeddedTails(EmbeddedTail.Source source, Executor executor) {
        this.source = source;
        this.executor = executor;
    }

    Tail open(String topic, int partition, long offset, TailListener listener) {
        Key key = new Key(topic, partition);
        EmbeddedTail tail = new EmbeddedTail(source, topic, partition, offset, listener, executor, closed -> forget(key, closed));
        tails.computeIfAbsent(key, k -> ConcurrentHashMap.newKeySet()).add(tail);
        tail.wake();
        return tail;
    }

    private void forget(Key key, EmbeddedTail closed) {
        tails.computeIfPresent(key, (k, open) -> {
            open.remove(closed);
            return open.isEmpty() ? null : open;
        });
    }

    void onAppended(String topic, int partition) {
        Set<EmbeddedTail> open = tails.get(new Key(topic, partition));
        if (open != null) {
            open.forEach(EmbeddedTail::wake);
        }
    }

    void close() {
        tails.values().stream().flatMap(Collection::stream).toList().forEach(EmbeddedTail::close);
    }
}
