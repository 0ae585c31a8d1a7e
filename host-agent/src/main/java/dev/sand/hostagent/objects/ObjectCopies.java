package dev.sand.hostagent.objects;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.hostagent.objects.GlobalObjects.Source;
import dev.sand.hostagent.objects.GlobalObjects.Stored;
import dev.sand.hostagent.segments.SegmentServer;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large values between this host's memory and the global data layer (SAND 4.3): each is copied once, whoever asks, and goes
 * with its execution. All calls but {@link #ended} block and are made off the shards.
 */
public final class ObjectCopies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectCopies.class);
    /** Who was just told of a value may still read it. */
    private static final Duration KEEP_AFTER_END = Duration.ofSeconds(10);

    private static final long LOOK_AGAIN_MS = 1000;
    private static final CompletableFuture<Void> NONE = CompletableFuture.completedFuture(null);

    private record Execution(String application, String id) {}

    /** What was copied of one execution: out by the object here, in by the name there. */
    private static final class Copies {
        final Map<String, CompletableFuture<Stored>> described = new ConcurrentHashMap<>();
        final Map<String, CompletableFuture<Payload>> out = new ConcurrentHashMap<>();
        final Map<String, CompletableFuture<Payload.Reference>> in = new ConcurrentHashMap<>();
    }

    private final GlobalObjects objects;
    private final SegmentServer segments;
    private final Duration keepAfterEnd;
    private final Map<Execution, Copies> executions = new ConcurrentHashMap<>();
    /** Values of these are being deleted: one that is redriven puts none before that is over. */
    private final Map<Execution, CompletableFuture<Void>> deleting = new ConcurrentHashMap<>();
    private final ScheduledExecutorService cleaner = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("objects-cleaner").daemon().factory());

    public ObjectCopies(GlobalObjects objects, SegmentServer segments) {
        this(objects, segments, KEEP_AFTER_END);
    }

    /** @param keepAfterEnd how long the values of an execution that has ended stay */
    public ObjectCopies(GlobalObjects objects, SegmentServer segments, Duration keepAfterEnd) {
        this.keepAfterEnd = keepAfterEnd;
        this.objects = objects;
        this.segments = segments;
    }

    public GlobalObjects objects() {
        return objects;
    }

    /** What the value will be in the global data layer; {@code object} names one that is given with its bytes. */
    public Stored describe(String application, String executionId, String object, Payload payload) {
        String key = key(object, payload);
        return once(copies(application, executionId).described, key, () -> {
            try {
                return GlobalObjects.describe(GlobalObjects.name(executionId, key), payload.size(), source(application, payload));
            } catch (IOException e) {
                throw unreadable(key, e);
            }
        });
    }

    /** The same value by its name in the global data layer, there when this returns. */
    public Payload toGlobal(String application, String executionId, String object, Payload payload) {
        String key = key(object, payload);
        Copies copies = copies(application, executionId);
        deleting.getOrDefault(new Execution(application, executionId), NONE).join();
        CompletableFuture<Stored> described = copies.described.get(key);
        Payload named = named(executionId, object, payload);
        once(copies.out, key, () -> {
            try {
                if (described == null && payload.reference() != null && objects.takesMemory()) {
                    try (SegmentServer.Mapped mapped = segments.map(application, payload.reference())) {
                        objects.put(application, named.reference().object(), mapped.memory());
                    }
                } else if (described == null) {
                    objects.put(application, named.reference().object(), payload.size(), source(application, payload));
                } else {
                    objects.put(application, described.join(), source(application, payload));
                }
                return named;
            } catch (IOException e) {
                throw unreadable(key, e);
            }
        });
        return named;
    }

    /** The value as {@link #toGlobal} will give it. */
    public static Payload named(String executionId, String object, Payload payload) {
        return new Payload(payload.contentType(), null,
                new Payload.Reference(GlobalObjects.name(executionId, key(object, payload)), payload.size()));
    }

    /** As toGlobal for a value over the inline limit or by reference; any other as it is. */
    public Payload portable(String application, String executionId, String object, Payload payload) {
        boolean large = payload.reference() != null || payload.bytes().length > Limits.INLINE_BYTES;
        return large && !GlobalObjects.isGlobal(payload) ? toGlobal(application, executionId, object, payload) : payload;
    }

    /** The same value in this host's memory, for as long as the execution runs. */
    public Payload toLocal(String application, String executionId, Payload global) {
        String name = global.reference().object();
        Payload.Reference local = once(copies(application, executionId).in, name, () ->
                segments.put(application, executionId, global.contentType(), global.reference().size(), to -> {
                    objects.read(application, name, to);
                }).reference());
        return new Payload(global.contentType(), null, local);
    }

    /** The value's bytes, wherever they are. */
    public byte[] bytes(String application, Payload.Reference reference) {
        if (!GlobalObjects.isGlobal(reference)) {
            return segments.read(application, reference);
        }
        FixedBytes bytes = new FixedBytes(reference.size());
        try {
            objects.read(application, reference.object(), bytes);
        } catch (IOException e) {
            throw unreadable(reference.object(), e);
        }
        return bytes.all();
    }

    /** Writes the value's bytes, wherever they are, without holding all of them. */
    public void transfer(String application, Payload.Reference reference, OutputStream to) throws IOException {
        if (GlobalObjects.isGlobal(reference)) {
            objects.read(application, reference.object(), to);
        } else {
            segments.transfer(application, reference, to);
        }
    }

    /** The execution is known to have values in the global data layer: they go at its end. */
    public void expect(String application, String executionId) {
        copies(application, executionId);
    }

    /** Whether values of the execution were copied, or are in the global data layer. */
    public boolean has(String application, String executionId) {
        return executions.containsKey(new Execution(application, executionId));
    }

    /** Once what cannot be known yet may be known. */
    public void later(Runnable task) {
        if (!cleaner.isShutdown()) {
            cleaner.schedule(task, LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * The execution has ended, and that is in the journal: its values go soon. Only enqueues.
     *
     * @param gone told when they are gone, once the store can be reached; @return false: there are none, and nothing is told
     */
    public boolean ended(String application, String executionId, Runnable gone) {
        if (executions.remove(new Execution(application, executionId)) == null) {
            return false;
        }
        deleteSoon(application, executionId, gone);
        return true;
    }

    private void deleteSoon(String application, String executionId, Runnable gone) {
        if (!cleaner.isShutdown()) {
            cleaner.schedule(() -> delete(application, executionId, gone), keepAfterEnd.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** No event of the execution runs here any more, and it is another host's: what was copied stays that host's. Only enqueues. */
    public void leave(String application, String executionId) {
        executions.remove(new Execution(application, executionId));
        segments.release(application, executionId);
    }

    private void delete(String application, String executionId, Runnable gone) {
        Execution execution = new Execution(application, executionId);
        CompletableFuture<Void> over = new CompletableFuture<>();
        deleting.put(execution, over);
        try {
            if (!executions.containsKey(execution)) { // else it was redriven: all of its values go at its end
                objects.deleteExecution(application, executionId);
            }
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.EXECUTION_ID, executionId)
                    .log("objects of execution {} of {} are deleted later: {}", executionId, application, e.getMessage());
            deleteSoon(application, executionId, gone);
            return;
        } finally {
            deleting.remove(execution);
            over.complete(null);
        }
        gone.run();
    }

    private Copies copies(String application, String executionId) {
        return executions.computeIfAbsent(new Execution(application, executionId), each -> new Copies());
    }

    private static String key(String object, Payload payload) {
        return payload.reference() == null ? object : payload.reference().object();
    }

    private Source source(String application, Payload payload) {
        return payload.reference() == null ? to -> to.write(payload.bytes())
                : to -> segments.transfer(application, payload.reference(), to);
    }

    /** The first one does it, the others wait for it; a failure is everybody's, and the next one tries again. */
    private static <T> T once(Map<String, CompletableFuture<T>> done, String key, Supplier<T> work) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<T> first = done.putIfAbsent(key, mine);
        if (first != null) {
            try {
                return first.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
        }
        try {
            mine.complete(work.get());
            return mine.join();
        } catch (RuntimeException e) {
            done.remove(key, mine);
            mine.completeExceptionally(e);
            throw e;
        }
    }

    private static StoreException unreadable(String object, IOException e) {
        return new StoreException(Kind.BROKEN, "object " + object + " cannot be copied: " + e.getMessage(), 0, e);
    }

    @Override
    public void close() {
        cleaner.shutdownNow();
    }
}
