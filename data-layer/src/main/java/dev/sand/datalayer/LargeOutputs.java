package dev.sand.datalayer;

import dev.sand.datalayer.InvocationStore.Output;
import dev.sand.datalayer.ObjectStore.Content;
import dev.sand.datalayer.ObjectStore.Info;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.InvocationRecord;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Outputs too large for a record, beside the records and before them: so that the output of an invocation can be fetched
 * after its execution is gone. Large values of executions that failed too, so that these can be redriven. Bounded for each application, the oldest first out. Any thread; calls block.
 */
final class LargeOutputs {
    private static final String TABLE = "kept-outputs";
    private static final int PAGE = 100;
    /** What other hosts keep is learned by counting again. */
    private static final int COUNTED_FOR = 50;
    private static final int WRITERS = 64;

    private static final class Kept {
        long bytes;
        int since;
    }

    private final ObjectStore objects;
    private final long bytesAnApplication;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock[] writers = Stream.generate(ReentrantLock::new).limit(WRITERS).toArray(ReentrantLock[]::new);
    private final Map<String, Kept> kept = new HashMap<>();

    LargeOutputs(GlobalStore store, long bytesAnApplication) {
        this.objects = new ObjectStore(store, TABLE, ObjectStore.MOST_BYTES);
        this.bytesAnApplication = bytesAnApplication;
    }

    static boolean isLarge(Payload output) {
        return output != null && output.bytes() != null && output.bytes().length > Limits.INLINE_BYTES;
    }

    /** Keeps the bytes of a large output. @return the record as it is to be stored */
    InvocationRecord detach(InvocationRecord record) {
        Payload output = record.output();
        if (!isLarge(output)) {
            return record;
        }
        try {
            return record.with(record.input(), keep(record.application(), record.executionId(), output.contentType(),
                    output.size(), out -> out.write(output.bytes())));
        } catch (IOException e) {
            throw new IllegalStateException("bytes are written without I/O", e);
        }
    }

    /**
     * One that is kept already is not written again: it may be read by now, and a record is given again with late figures.
     *
     * @throws StoreException BAD_VALUE when it is more than an application may keep; @throws IOException the content's
     */
    Payload keep(String application, String executionId, String contentType, long size, Content content) throws IOException {
        if (size > Math.min(bytesAnApplication, ObjectStore.MOST_BYTES)) {
            throw new StoreException(Kind.BAD_VALUE, "an output of " + size + " bytes is more than the "
                    + Math.min(bytesAnApplication, ObjectStore.MOST_BYTES) + " bytes that are kept", 0, null);
        }
        String key = executionId + "/" + size; // with the size in it: summed up without the values
        ReentrantLock writer = writers[Math.floorMod(executionId.hashCode(), WRITERS)];
        writer.lock();
        try {
            if (objects.info(application, key).isEmpty()) {
                makeRoom(application, size);
                putOnce(application, key, contentType, content);
            }
        } finally {
            writer.unlock();
        }
        return new Payload(contentType, null, new Payload.Reference(key, size));
    }

    private void putOnce(String application, String key, String contentType, Content content) throws IOException {
        try {
            objects.put(application, key, contentType, content, GlobalStore.ABSENT);
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
            // Another host was faster, which had the slot before or has it now.
        }
    }

    private void makeRoom(String application, long size) {
        lock.lock();
        try {
            Kept known = kept.get(application);
            if (known == null || known.since >= COUNTED_FOR || known.bytes + size > bytesAnApplication) {
                known = new Kept();
                known.bytes = count(application);
                kept.put(application, known);
            }
            known.since++;
            known.bytes += size;
            while (known.bytes > bytesAnApplication) {
                List<String> oldest = objects.keys(application, "", null, PAGE);
                for (String key : oldest) {
                    if (known.bytes > bytesAnApplication) {
                        objects.delete(application, key, GlobalStore.ANY);
                        known.bytes -= size(key);
                    }
                }
                if (oldest.isEmpty()) {
                    known.bytes = size;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private long count(String application) {
        return objects.keys(application, "", null, Integer.MAX_VALUE).stream().mapToLong(LargeOutputs::size).sum();
    }

    private static long size(String key) {
        return Long.parseLong(key.substring(key.indexOf('/') + 1));
    }

    /** Empty: it is kept no more, or never was. */
    Optional<Output> find(InvocationRecord record) {
        return record.output().isNotKept() ? Optional.empty()
                : find(record.application(), record.output().reference().object(), record.output().contentType());
    }

    /** As above, by what it was kept with. */
    Optional<Output> find(String application, String executionId, String contentType, long size) {
        return find(application, executionId + "/" + size, contentType);
    }

    private Optional<Output> find(String application, String key, String contentType) {
        Optional<Info> found = objects.info(application, key);
        return found.map(info -> new Output(contentType, info.size(), out -> objects.transfer(application, key, info.version(), out)));
    }

    void deleteApplication(String application) {
        objects.deleteScope(application);
        lock.lock();
        try {
            kept.remove(application);
        } finally {
            lock.unlock();
        }
    }
}
