package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Payload;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Large values of the local data layer in memfds (DESIGN, decision 9): the objects, and the data.sock of each sandbox. */
public final class MemfdSegments implements SegmentServer, LargeValues {
    /** What is copied is hashed or sent next, from the processor's own memory. */
    private static final int COPY_BYTES = 32 * 1024;
    private static final Duration GRACE = Duration.ofMillis(500);
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final int SWEEP_MS = 250;
    /** Each costs a descriptor, and a map of which Linux grants 65,530. */
    private static final int MOST_FILES = 24_000;
    private static final UnixOperatingSystemMXBean SYSTEM = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * @param objectBytes one value
     * @param applicationBytes all large values of one application at once
     * @param totalBytes all large values of this host at once: memory that sandboxes' own limits do not count
     * @param maxConnections of one sandbox: instances at once that have to do with large values
     */
    public record Options(long objectBytes, long applicationBytes, long totalBytes, int maxConnections) {
        public static final Options DEFAULT = new Options(1L << 30, 2L << 30, 4L << 30, 4096);

        /** Half of the memory that this program may use, and half of that for one application, where that is more. */
        public static Options ofThisMachine() {
            long total = Math.max(DEFAULT.totalBytes, SYSTEM.getTotalMemorySize() / 2);
            return new Options(DEFAULT.objectBytes, total / 2, total, DEFAULT.maxConnections);
        }
    }

    private final SegmentPool pool;
    private final SegmentCalls calls;
    private final int maxConnections;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> daemon(work, "segments"));
    private final ScheduledExecutorService sweeper =
            Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "segments-sweep"));

    public MemfdSegments(Options options) {
        String prefix = Long.toString(new SecureRandom().nextLong() >>> 24, 36);
        int files = (int) Math.min(MOST_FILES, SYSTEM.getMaxFileDescriptorCount() / 2);
        this.pool = new SegmentPool(new SegmentSpace.Limits(options.objectBytes(), options.applicationBytes(),
                options.totalBytes(), files / 2, files, GRACE, IDLE), prefix, System::nanoTime);
        this.calls = new SegmentCalls(pool);
        this.maxConnections = options.maxConnections();
        sweeper.scheduleWithFixedDelay(pool::sweep, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public Endpoint open(Path directory) throws IOException {
        return new SegmentEndpoint(directory, calls, threads, maxConnections);
    }

    @Override
    public Payload put(String application, String executionId, Payload large) {
        return new Payload(large.contentType(), null, store(application, executionId, large.bytes()));
    }

    @Override
    public Payload.Reference putRetained(String application, String contentType, byte[] bytes) {
        return store(application, null, bytes);
    }

    @Override
    public Payload put(String application, String executionId, String contentType, long size, Filling filling) {
        SegmentObject object = allocate(application, executionId, size);
        Payload.Reference reference = use(object, map -> {
            MappedOutput to = new MappedOutput(map);
            try {
                filling.fill(to);
            } catch (IOException e) {
                throw new StoreException(Kind.BROKEN, "object " + object.id + " cannot be filled: " + e.getMessage(), 0, e);
            }
            if (!to.isFull()) {
                throw new StoreException(Kind.BAD_VALUE, "object " + object.id + " got fewer bytes than its " + size, 0, null);
            }
            return new Payload.Reference(object.id, object.size);
        });
        return new Payload(contentType, null, reference);
    }

    private SegmentObject allocate(String application, String executionId, long size) {
        try {
            return pool.allocate(application, executionId, size);
        } catch (SegmentException e) {
            throw failure(e);
        }
    }

    private Payload.Reference store(String application, String executionId, byte[] bytes) {
        SegmentObject object = allocate(application, executionId, bytes.length);
        return use(object, map -> {
            MemorySegment.copy(bytes, 0, map, JAVA_BYTE, 0, bytes.length);
            return new Payload.Reference(object.id, object.size);
        });
    }

    @Override
    public byte[] read(String application, Payload.Reference reference) {
        return whileMapped(application, reference, map -> map.toArray(JAVA_BYTE));
    }

    @Override
    public void transfer(String application, Payload.Reference reference, OutputStream to) throws IOException {
        whileMapped(application, reference, map -> {
            byte[] buffer = new byte[COPY_BYTES];
            for (long at = 0; at < map.byteSize(); at += COPY_BYTES) {
                int count = (int) Math.min(COPY_BYTES, map.byteSize() - at);
                MemorySegment.copy(map, JAVA_BYTE, at, buffer, 0, count);
                to.write(buffer, 0, count);
            }
            return null;
        });
    }

    /** What is done with a value's bytes while its object is held. */
    private interface Use<T, E extends Exception> {
        T with(MemorySegment bytes) throws E;
    }

    private <T, E extends Exception> T whileMapped(String application, Payload.Reference reference, Use<T, E> work) throws E {
        return use(held(application, reference), work);
    }

    private SegmentObject held(String application, Payload.Reference reference) {
        try {
            return pool.beginUse(application, reference.object());
        } catch (SegmentException e) {
            throw failure(e);
        }
    }

    private <T, E extends Exception> T use(SegmentObject object, Use<T, E> work) throws E {
        try {
            return work.with(object.file.bytes(object.size));
        } finally {
            pool.endUse(object);
        }
    }

    @Override
    public Incoming receive(String application, String executionId, long size) {
        return incoming(allocate(application, executionId, size), executionId);
    }

    @Override
    public Incoming receiveAtOnce(String application, String executionId, long size) {
        SegmentObject object = pool.allocateFree(application, executionId, size);
        return object == null ? null : incoming(object, executionId);
    }

    private Incoming incoming(SegmentObject object, String executionId) {
        return new Incoming() {
            private final ByteBuffer memory = object.file.bytes(object.size).asByteBuffer();

            @Override
            public ByteBuffer memory() {
                return memory;
            }

            @Override
            public Payload.Reference whole() {
                pool.endUse(object);
                return new Payload.Reference(object.id, object.size);
            }

            @Override
            public void abandon() {
                pool.discard(object, executionId);
            }
        };
    }

    @Override
    public Mapped map(String application, Payload.Reference reference) {
        SegmentObject object = held(application, reference);
        return new Mapped() {
            private final ByteBuffer memory = object.file.bytes(object.size).asByteBuffer();

            @Override
            public ByteBuffer memory() {
                return memory;
            }

            @Override
            public void close() {
                pool.endUse(object);
            }
        };
    }

    @Override
    public void release(String application, String executionId) {
        pool.endExecution(application, executionId, false);
    }

    @Override
    public void releaseAtOnce(String application, String executionId) {
        pool.endExecution(application, executionId, true);
    }

    @Override
    public void reopen(String application, String executionId) {
        try {
            pool.reopen(application, executionId);
        } catch (SegmentException e) {
            throw failure(e);
        }
    }

    @Override
    public void retain(String application, Payload.Reference reference) {
        try {
            pool.retain(application, reference.object());
        } catch (SegmentException e) {
            throw failure(e);
        }
    }

    @Override
    public boolean retainAtOnce(String application, Collection<Payload.Reference> references, boolean isMessage) {
        return pool.retainAtOnce(application, references, isMessage);
    }

    @Override
    public boolean forgetAtOnce(String application, Collection<Payload.Reference> references) {
        return pool.forgetAtOnce(application, references);
    }

    @Override
    public void forget(String application, Payload.Reference reference) {
        pool.forget(application, reference.object());
    }

    @Override
    public void growsInto(MemoryRoom room) {
        pool.growsInto(room);
    }

    @Override
    public void shrink() {
        pool.shrink();
    }

    /** Bytes of memory in all objects and free files. */
    public long bytes() {
        return pool.bytes();
    }

    private static StoreException failure(SegmentException e) {
        Kind kind = switch (e.error()) {
            case Errors.UNAVAILABLE -> Kind.FULL;
            default -> Kind.BAD_VALUE;
        };
        return new StoreException(kind, e.getMessage(), 0, e);
    }

    /** After the endpoints are closed. */
    @Override
    public void close() {
        sweeper.shutdownNow();
        threads.shutdown();
        pool.close();
    }
}
