package dev.sand.datalayer;

import dev.sand.datalayer.SharedData.Value;
import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * The host's memory of shared/: for each application its latest used values, bounded in bytes, least recently used first
 * out; and the least recently used application first out of all. Values by reference count with their full size.
 */
final class SharedCache {
    private static final int ENTRY_BYTES = 200;

    /** @param asOfNs when the store was last known to have it */
    record Cached(Value value, long asOfNs) {}

    private static final class Application {
        final LinkedHashMap<String, Cached> values = new LinkedHashMap<>(16, 0.75f, true);
        long bytes;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<String, Application> applications = new LinkedHashMap<>(16, 0.75f, true);
    private final long perApplicationBytes;
    private final long totalBytes;
    private final BiConsumer<String, Payload.Reference> dropped;
    private long bytes;

    /** @param dropped told of each reference that the cache held and holds no more */
    SharedCache(long perApplicationBytes, long totalBytes, BiConsumer<String, Payload.Reference> dropped) {
        this.perApplicationBytes = perApplicationBytes;
        this.totalBytes = totalBytes;
        this.dropped = dropped;
    }

    /** @return null when there is none, however old */
    Cached get(String application, String key) {
        lock.lock();
        try {
            Application in = applications.get(application);
            return in == null ? null : in.values.get(key);
        } finally {
            lock.unlock();
        }
    }

    /** The store had it still: notes that, unless it has been replaced meanwhile. */
    void confirm(String application, String key, Cached known, long asOfNs) {
        lock.lock();
        try {
            Application in = applications.get(application);
            if (in != null) {
                in.values.replace(key, known, new Cached(known.value(), asOfNs));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes over the reference that the value holds; one that is larger than the cache is dropped at once. */
    void put(String application, String key, Value value, long asOfNs) {
        List<Payload.Reference> gone = new ArrayList<>();
        lock.lock();
        try {
            Application in = applications.computeIfAbsent(application, name -> new Application());
            remove(in, key, gone);
            if (size(key, value) > perApplicationBytes) {
                note(value, gone);
            } else {
                in.values.put(key, new Cached(value, asOfNs));
                account(in, size(key, value));
                shrink(in, perApplicationBytes, gone);
            }
        } finally {
            lock.unlock();
        }
        gone.forEach(reference -> dropped.accept(application, reference));
        shrinkAll();
    }

    void remove(String application, String key) {
        List<Payload.Reference> gone = new ArrayList<>();
        lock.lock();
        try {
            Application in = applications.get(application);
            if (in != null) {
                remove(in, key, gone);
            }
        } finally {
            lock.unlock();
        }
        gone.forEach(reference -> dropped.accept(application, reference));
    }

    void removeApplication(String application) {
        List<Payload.Reference> gone = new ArrayList<>();
        lock.lock();
        try {
            Application in = applications.remove(application);
            if (in != null) {
                shrink(in, 0, gone);
            }
        } finally {
            lock.unlock();
        }
        gone.forEach(reference -> dropped.accept(application, reference));
    }

    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    private void shrinkAll() {
        while (true) {
            String oldest;
            lock.lock();
            try {
                if (bytes <= totalBytes) {
                    return;
                }
                oldest = applications.firstEntry().getKey();
            } finally {
                lock.unlock();
            }
            removeApplication(oldest);
        }
    }

    private void shrink(Application in, long limit, List<Payload.Reference> gone) {
        Iterator<Map.Entry<String, Cached>> oldest = in.values.entrySet().iterator();
        while (in.bytes > limit && oldest.hasNext()) {
            Map.Entry<String, Cached> entry = oldest.next();
            oldest.remove();
            account(in, -size(entry.getKey(), entry.getValue().value()));
            note(entry.getValue().value(), gone);
        }
    }

    private void remove(Application in, String key, List<Payload.Reference> gone) {
        Cached before = in.values.remove(key);
        if (before != null) {
            account(in, -size(key, before.value()));
            note(before.value(), gone);
        }
    }

    private void account(Application in, long size) {
        in.bytes += size;
        bytes += size;
    }

    private static void note(Value value, List<Payload.Reference> gone) {
        if (value.payload().reference() != null) {
            gone.add(value.payload().reference());
        }
    }

    private static long size(String key, Value value) {
        return ENTRY_BYTES + 2L * key.length() + value.payload().size();
    }
}
