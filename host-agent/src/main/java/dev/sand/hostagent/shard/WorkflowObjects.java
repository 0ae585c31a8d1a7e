package dev.sand.hostagent.shard;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.StoreException;
import dev.sand.workflow.objects.ApplicationObjects;
import dev.sand.workflow.objects.ItemFault;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** One application's objects in the data layer, as its workflows read and write them. Blocks; off the shards. */
final class WorkflowObjects implements ApplicationObjects {
    private final ObjectStore objects;
    private final String application;

    WorkflowObjects(ObjectStore objects, String application) {
        this.objects = objects;
        this.application = application;
    }

    @Override
    public Info info(String key) throws IOException {
        return told(key, () -> objects.info(application, key)
                .map(info -> new Info(info.version(), info.size(), info.sha256())).orElse(null));
    }

    @Override
    public byte[] read(String key, long version, long offset, int length) throws IOException {
        return told(key, () -> objects.read(application, key, offset, length, version)
                .map(ObjectStore.Range::bytes).orElse(new byte[0]));
    }

    @Override
    public List<String> keys(String prefix, String after, int limit) throws IOException {
        return told(prefix, () -> objects.keys(application, prefix, after, limit));
    }

    @Override
    public void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) throws IOException {
        told(key, () -> {
            long version = objects.write(application, key, contentType, offset, bytes, GlobalStore.ANY);
            long end = offset + bytes.length;
            boolean isLonger = isLast && objects.info(application, key).map(ObjectStore.Info::size).orElse(0L) > end;
            return isLonger ? objects.resize(application, key, end, GlobalStore.ANY) : version;
        });
    }

    private static <T> T told(String key, Supplier<T> work) throws IOException {
        try {
            return work.get();
        } catch (StoreException e) {
            String why = "The object " + key + " cannot be used: " + e.getMessage();
            throw e.kind() == StoreException.Kind.BAD_VALUE ? new ItemFault(why) : new IOException(why, e);
        }
    }
}
