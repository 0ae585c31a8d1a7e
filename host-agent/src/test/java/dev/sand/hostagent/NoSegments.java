package dev.sand.hostagent;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Large values on the heap, for tests without shared memory: nobody can open data.sock. */
final class NoSegments implements SegmentServer {
    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final AtomicLong names = new AtomicLong();

    @Override
    public Endpoint open(Path directory) {
        return new Endpoint() {
            @Override
            public void bind(String application) {}

            @Override
            public void close() {}
        };
    }

    @Override
    public Payload put(String application, String executionId, Payload large) {
        String name = executionId + "-" + names.incrementAndGet();
        objects.put(name, large.bytes());
        return new Payload(large.contentType(), null, new Payload.Reference(name, large.size()));
    }

    @Override
    public byte[] read(String application, Payload.Reference reference) {
        byte[] bytes = objects.get(reference.object());
        if (bytes == null) {
            throw new StoreException(StoreException.Kind.BAD_VALUE, "no object " + reference.object(), 0, null);
        }
        return bytes;
    }

    @Override
    public void release(String application, String executionId) {
        objects.keySet().removeIf(name -> name.startsWith(executionId));
    }

    @Override
    public void retain(String application, Payload.Reference reference) {}

    @Override
    public void forget(String application, Payload.Reference reference) {}

    @Override
    public void close() {}
}
