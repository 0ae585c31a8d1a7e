package dev.sand.hostagent.journal;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Large objects in a map. */
final class FakeSegments implements SegmentServer {
    final Map<String, byte[]> objects = new ConcurrentHashMap<>();

    @Override
    public Endpoint open(Path directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Payload put(String application, String executionId, Payload large) {
        String object = application + "-" + executionId + "-" + objects.size();
        objects.put(object, large.bytes());
        return new Payload(large.contentType(), null, new Payload.Reference(object, large.size()));
    }

    @Override
    public Payload put(String application, String executionId, String contentType, long size, Filling filling) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            filling.fill(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return put(application, executionId, new Payload(contentType, bytes.toByteArray(), null));
    }

    @Override
    public byte[] read(String application, Payload.Reference reference) {
        if (!objects.containsKey(reference.object())) {
            throw new StoreException(StoreException.Kind.BAD_VALUE, "no object " + reference.object(), 0, null);
        }
        return objects.get(reference.object());
    }

    @Override
    public void release(String application, String executionId) {}

    @Override
    public void retain(String application, Payload.Reference reference) {}

    @Override
    public void forget(String application, Payload.Reference reference) {}

    @Override
    public void close() {}
}
