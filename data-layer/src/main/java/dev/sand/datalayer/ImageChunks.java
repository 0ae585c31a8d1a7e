package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.ProcessImage.Chunk;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The chunks of one process in the store, under {@code c/<process>/<epoch>-<hash>-<stored>}: the name says all that is to be
 * known of what is there, without reading it. Hashing, compressing and the store's calls go on beside each other, a few chunks
 * ahead of whoever gives or takes them.
 */
final class ImageChunks {
    private static final String PREFIX = "c/";
    private static final int PREPARED_AHEAD = 4;
    private static final int READ_AHEAD = 8;
    /** While one is written, the next one waits; more would keep others from the store. */
    private static final int BATCHES_UNDER_WAY = 2;
    private static final int BATCH_BYTES = 4 << 20;
    private static final int BATCH_CHUNKS = 64;

    private final GlobalStore store;
    private final String scope;
    private final String process;

    ImageChunks(GlobalStore store, String scope, String process) {
        this.store = store;
        this.scope = scope;
        this.process = process;
    }

    String key(Chunk chunk) {
        return PREFIX + process + "/" + Long.toHexString(chunk.epoch()) + "-" + chunk.hash() + "-" + Integer.toHexString(chunk.stored());
    }

    /** Of all chunks that an image names. */
    Set<String> keys(ImageManifest image, List<Chunk> values) {
        return Stream.concat(image.indexChunks().stream(), values.stream()).map(this::key).collect(Collectors.toSet());
    }

    /** Keys of all chunks in a scope, by process. */
    static Map<String, Set<String>> byProcess(GlobalStore store, String scope) {
        return store.keys(ImageRows.TABLE, scope, PREFIX, null, Integer.MAX_VALUE).stream()
                .collect(Collectors.groupingBy(key -> key.substring(PREFIX.length(), key.lastIndexOf('/')), Collectors.toSet()));
    }

    private Chunk parse(String key) {
        String[] parts = key.substring(PREFIX.length() + process.length() + 1).split("-");
        return new Chunk(Long.parseLong(parts[0], 16), parts[1], 0, Integer.parseInt(parts[2], 16));
    }

    /** What is stored of owners up to this epoch, their lengths unknown. */
    List<Chunk> there(long epoch) {
        return there().stream().map(this::parse).filter(chunk -> chunk.epoch() <= epoch).toList();
    }

    /** Keys of all that is stored. */
    List<String> there() {
        return store.keys(ImageRows.TABLE, scope, PREFIX + process + "/", null, Integer.MAX_VALUE);
    }

    /** What was done: chunks and their bytes that were written, and that were there already. */
    record Counts(int chunks, long bytes, long storedBytes, int chunksThere, long bytesThere) {}

    private record Prepared(Chunk chunk, byte[] stored) {}

    /** Stores chunks in order, those that are not there yet. Used by one thread. */
    final class Writer {
        private final ExecutorService workers;
        private final long epoch;
        private final Map<String, Chunk> there = new HashMap<>();
        private final Set<String> written = new HashSet<>();
        private final Deque<Future<Prepared>> preparing = new ArrayDeque<>();
        private final Deque<Future<?>> writing = new ArrayDeque<>();
        private List<Chunk> chunks = new ArrayList<>();
        private List<Write> batch = new ArrayList<>();
        private int batchBytes;
        private Counts counts = new Counts(0, 0, 0, 0, 0);

        Writer(ExecutorService workers, long epoch, List<Chunk> there) {
            this.workers = workers;
            this.epoch = epoch;
            there.forEach(chunk -> this.there.put(chunk.hash(), chunk));
        }

        /** @param bytes not changed from here on */
        void add(byte[] bytes) {
            if (preparing.size() == PREPARED_AHEAD) {
                collect();
            }
            preparing.add(workers.submit(() -> prepare(bytes)));
        }

        /** One that an earlier image has: it is not looked at. @throws StoreException BROKEN: it is not there */
        void keep(Chunk chunk) {
            Chunk found = there.get(chunk.hash());
            if (found == null) {
                throw broken(chunk, "is not in the store");
            }
            if (preparing.size() == PREPARED_AHEAD) {
                collect();
            }
            Prepared kept = new Prepared(new Chunk(found.epoch(), chunk.hash(), chunk.length(), found.stored()), null);
            preparing.add(CompletableFuture.completedFuture(kept));
        }

        private Prepared prepare(byte[] bytes) {
            String hash = ChunkCodec.hash(bytes);
            Chunk found = there.get(hash);
            if (found != null) {
                return new Prepared(new Chunk(found.epoch(), hash, bytes.length, found.stored()), null);
            }
            byte[] stored = ChunkCodec.pack(bytes);
            return new Prepared(new Chunk(epoch, hash, bytes.length, stored.length), stored);
        }

        private void collect() {
            Prepared next = await(preparing.remove());
            Chunk chunk = next.chunk();
            chunks.add(chunk);
            boolean isNew = next.stored() != null && written.add(chunk.hash());
            counts = new Counts(counts.chunks() + (isNew ? 1 : 0), counts.bytes() + (isNew ? chunk.length() : 0),
                    counts.storedBytes() + (isNew ? chunk.stored() : 0), counts.chunksThere() + (isNew ? 0 : 1),
                    counts.bytesThere() + (isNew ? 0 : chunk.length()));
            if (isNew) {
                batch.add(new Write(ImageRows.TABLE, scope, key(chunk), next.stored()));
                batchBytes += chunk.stored();
                if (batchBytes >= BATCH_BYTES || batch.size() == BATCH_CHUNKS) {
                    store();
                }
            }
        }

        private void store() {
            if (writing.size() == BATCHES_UNDER_WAY) {
                await(writing.remove());
            }
            List<Write> full = batch;
            writing.add(workers.submit(() -> store.writeAll(full)));
            batch = new ArrayList<>();
            batchBytes = 0;
        }

        /** All that was given since the last call, and is stored. */
        List<Chunk> end() {
            while (!preparing.isEmpty()) {
                collect();
            }
            if (!batch.isEmpty()) {
                store();
            }
            while (!writing.isEmpty()) {
                await(writing.remove());
            }
            List<Chunk> all = chunks;
            chunks = new ArrayList<>();
            return all;
        }

        Counts counts() {
            return counts;
        }

        /** Nothing of it goes on when this returns, whatever failed. */
        void settle() {
            ImageChunks.settle(preparing);
            ImageChunks.settle(writing);
        }
    }

    /** Gives the bytes of chunks in order. Used by one thread. */
    final class Reader {
        private final ExecutorService workers;
        private final List<Chunk> chunks;
        private final Deque<Future<byte[]>> reading = new ArrayDeque<>();
        private int asked;

        Reader(ExecutorService workers, List<Chunk> chunks) {
            this.workers = workers;
            this.chunks = chunks;
        }

        /** @throws StoreException BROKEN: the next one is not there, or not what was written */
        byte[] next() {
            while (asked < chunks.size() && reading.size() < READ_AHEAD) {
                Chunk chunk = chunks.get(asked++);
                reading.add(workers.submit((Callable<byte[]>) () -> read(chunk)));
            }
            return await(reading.remove());
        }

        /** Nothing of it goes on when this returns. */
        void settle() {
            ImageChunks.settle(reading);
        }
    }

    /** @throws StoreException BROKEN */
    byte[] together(List<Chunk> chunks) {
        ByteBuffer all = ByteBuffer.allocate(chunks.stream().mapToInt(Chunk::length).sum());
        chunks.forEach(chunk -> all.put(read(chunk)));
        return all.array();
    }

    /** @throws StoreException BROKEN */
    byte[] read(Chunk chunk) {
        byte[] stored = store.get(ImageRows.TABLE, scope, key(chunk)).map(Versioned::value)
                .orElseThrow(() -> broken(chunk, "is not in the store"));
        byte[] bytes = ChunkCodec.unpack(stored, chunk.hash(), chunk.length());
        if (bytes == null) {
            throw broken(chunk, "does not have the hash that it was written with");
        }
        return bytes;
    }

    private StoreException broken(Chunk chunk, String how) {
        return new StoreException(Kind.BROKEN, "the image of process \"" + process + "\" is damaged: chunk " + key(chunk) + " of "
                + chunk.length() + " bytes " + how, 0, null);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException failure) {
                throw new StoreException(failure.kind(), failure.getMessage(), failure.actualVersion(), failure);
            }
            throw new IllegalStateException("a chunk was not prepared", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.AWAY, "interrupted while waiting for the store", 0, e);
        }
    }

    private static void settle(Deque<? extends Future<?>> futures) {
        for (Future<?> future : futures) {
            try {
                future.get();
            } catch (ExecutionException e) {
                // the first failure is the one that is told
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        futures.clear();
    }
}
