package dev.sand.datalayer;

import dev.sand.datalayer.ImageManifest.Index;
import dev.sand.datalayer.ImageRows.Row;
import dev.sand.datalayer.ProcessImage.Chunk;
import dev.sand.datalayer.ProcessImage.Part;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ProcessPlace;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where cloud processes are while they are swapped out (PraaS 3.3): a manifest a process, and the chunks that it names, all in
 * one table. A write is seen whole or not at all, stores what is not there yet, and can be repeated whatever became of it; who
 * may write is said in {@link ImageRows}. All calls block; the writes of one owner and process are made one after the other.
 */
public final class ProcessImages {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessImages.class);
    public static final int MOST_HEAD_BYTES = 16 << 20;
    /** As many unread messages as a mailbox may have, and as many values of the state. */
    public static final int MOST_PARTS = 2_000_000;
    public static final int MOST_NAME_BYTES = 4096;
    /** With the content types. */
    public static final int MOST_NAMES_BYTES = 256 << 20;
    private static final int LEAST_WORKERS = 8;

    /** A value to be kept: of the state, or a message. */
    public interface Source {
        String name();

        String contentType();

        long size();

        /** Writes just {@link #size} bytes; called once, by the thread that asked for the image to be written. */
        void writeTo(OutputStream out) throws IOException;

        /** It is as the last image has it, and nowhere else: its chunks are taken over, and {@link #writeTo} is not called. */
        default boolean isInImage() {
            return false;
        }
    }

    /** Takes the values of an image, in order. */
    public interface Sink {
        /** @param bytes to be written to where they belong, or not at all; each is checked before it is written */
        void take(Part part, ObjectStore.Content bytes) throws IOException;
    }

    /** @param chunks that were stored, of so many bytes before they were compressed; @param chunksThere that needed not be */
    public record Written(ProcessImage image, int chunks, long bytes, int chunksThere, long bytesThere) {}

    /** An image without its values. */
    public record Listed(String process, long epoch, long number, byte[] head, int parts, long bytes, long storedBytes, long writtenMs,
                         boolean swapped, ProcessPlace place) {}

    private final GlobalStore store;
    private final LongSupplier nowMs;
    private final ImageRows rows;
    private final ExecutorService workers = workers();
    private final Executor afterwards;

    public ProcessImages(GlobalStore store, LongSupplier nowMs) {
        this(store, nowMs, null);
    }

    /** @param afterwards does what nobody waits for; null: threads of its own */
    ProcessImages(GlobalStore store, LongSupplier nowMs, Executor afterwards) {
        this.store = store;
        this.nowMs = nowMs;
        this.rows = new ImageRows(store);
        this.afterwards = afterwards == null ? workers : afterwards;
        ChunkCodec.load();
    }

    /** Of all images that are written and read; threads end when there has been nothing to do for a while. */
    private static ExecutorService workers() {
        int count = Math.max(LEAST_WORKERS, 2 * Runtime.getRuntime().availableProcessors());
        ThreadPoolExecutor workers = new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("process-images-", 0).daemon().factory());
        workers.allowCoreThreadTimeOut(true);
        return workers;
    }

    /**
     * Replaces the image of a process; takes up to 16 MiB of memory while it does. Unless it returns, the old image is there or
     * the new one, and a repetition goes on from what is stored.
     *
     * @param sources in an order that changes little from one image to the next, as by name
     * @return empty: a later owner has begun to write or delete, or the application was deleted
     * @throws IOException a value's
     */
    public Optional<Written> write(String application, String process, long epoch, long number, boolean swapped, byte[] head,
            List<? extends Source> sources) throws IOException {
        return write(application, process, null, epoch, number, swapped, head, sources);
    }

    /** @param place of a process that was moved by hand, or null; {@code epoch} is its fence then */
    public Optional<Written> write(String application, String process, ProcessPlace place, long epoch, long number, boolean swapped,
            byte[] head, List<? extends Source> sources) throws IOException {
        List<Part> parts = checked(head, sources);
        String scope = ImageRows.scope(application, process);
        long claimed = rows.claim(scope, process, place, epoch, true);
        if (claimed == 0) {
            return Optional.empty();
        }
        ImageChunks chunks = new ImageChunks(store, scope, process);
        List<Chunk> there = chunks.there(epoch);
        ImageChunks.Writer writer = chunks.new Writer(workers, epoch, there);
        List<Chunk> values;
        ImageManifest image;
        try {
            values = cut(parts, sources, writer, lastImage(scope, process, parts, sources, chunks));
            image = manifest(new ProcessImage(process, epoch, number, 0, head, parts, values, 0, 0, nowMs.getAsLong(), swapped), writer);
        } finally {
            writer.settle();
        }
        long version = rows.commit(scope, process, image, place, claimed);
        if (version == 0) {
            return Optional.empty();
        }
        Set<String> named = chunks.keys(image, values);
        List<String> unnamed = there.stream().map(chunks::key).filter(key -> !named.contains(key)).toList();
        if (!unnamed.isEmpty()) { // as long as this is the image: whoever writes the next one finds what is left of them
            afterwards.execute(() -> rows.tryToDeleteUnnamed(scope, process, version, unnamed));
        }
        ImageChunks.Counts counts = writer.counts();
        return Optional.of(new Written(whole(process, version, image, new Index(parts, values, head)), counts.chunks(), counts.bytes(),
                counts.chunksThere(), counts.bytesThere()));
    }

    private static List<Part> checked(byte[] head, List<? extends Source> sources) {
        if (head.length > MOST_HEAD_BYTES || sources.size() > MOST_PARTS) {
            throw new StoreException(Kind.BAD_VALUE, "an image with a head of " + head.length + " bytes and " + sources.size()
                    + " values is over the limits of " + MOST_HEAD_BYTES + " and " + MOST_PARTS, 0, null);
        }
        List<Part> parts = new ArrayList<>(sources.size());
        long names = 0;
        for (Source source : sources) {
            Part part = new Part(source.name(), source.contentType(), source.size());
            names += Key.utf8(part.name(), MOST_NAME_BYTES).length + Key.utf8(part.contentType(), MOST_NAME_BYTES).length;
            if (part.size() < 0 || names > MOST_NAMES_BYTES) {
                throw new StoreException(Kind.BAD_VALUE, "value \"" + part.name() + "\" has a size of " + part.size() + ", and names and"
                        + " content types so far have " + names + " bytes: the limit is " + MOST_NAMES_BYTES, 0, null);
            }
            parts.add(part);
        }
        return List.copyOf(parts);
    }

    /** @return null: nothing is to be had of it */
    private ImageReuse lastImage(String scope, String process, List<Part> parts, List<? extends Source> sources, ImageChunks chunks) {
        BitSet kept = new BitSet();
        for (int i = 0; i < sources.size(); i++) {
            kept.set(i, sources.get(i).isInImage());
        }
        if (kept.isEmpty()) {
            return null;
        }
        ProcessImage last = rows.withIndex(scope, rows.get(scope, process),
                (found, index) -> whole(process, found.version(), found.image(), index));
        return new ImageReuse(last, parts, kept, chunks::read);
    }

    private static List<Chunk> cut(List<Part> parts, List<? extends Source> sources, ImageChunks.Writer writer, ImageReuse last)
            throws IOException {
        List<Integer> cuts = ImageCuts.of(parts);
        List<Chunk> same = last == null ? null : last.chunks(cuts);
        ImageCutter cutter = new ImageCutter(cuts, (number, bytes) -> {
            if (bytes == null) {
                writer.keep(same.get(number));
            } else {
                writer.add(bytes);
            }
        }, number -> same != null && same.get(number) != null);
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            cutter.begin(part.name(), part.size());
            if (last != null && last.has(i)) {
                last.write(part, cutter);
            } else {
                sources.get(i).writeTo(cutter);
            }
            cutter.end();
        }
        return writer.end();
    }

    private static ImageManifest manifest(ProcessImage of, ImageChunks.Writer writer) {
        byte[] head = of.head().length <= ImageManifest.INLINE_HEAD_BYTES ? of.head() : null;
        byte[] index = ImageManifest.encode(new Index(of.parts(), of.chunks(), head == null ? of.head() : null));
        List<Chunk> indexChunks = List.of();
        if (index.length > ImageManifest.INLINE_INDEX_BYTES) {
            ImageCuts.ofIndex(index).forEach(writer::add);
            indexChunks = writer.end();
            index = null;
        }
        long bytes = of.parts().stream().mapToLong(Part::size).sum();
        Map<String, Integer> stored = Stream.concat(of.chunks().stream(), indexChunks.stream())
                .collect(Collectors.toMap(Chunk::hash, Chunk::stored, (one, same) -> one));
        return new ImageManifest(of.epoch(), of.number(), of.swapped(), of.writtenMs(), bytes,
                stored.values().stream().mapToLong(Integer::longValue).sum(), of.parts().size(), head, index, indexChunks);
    }

    /**
     * Keeps earlier owners from replacing or deleting the image from here on: before an owner looks what there is. A process
     * that has no image gets a row for it.
     *
     * @return false: a later owner was here
     */
    public boolean claim(String application, String process, long epoch) {
        return rows.claim(ImageRows.scope(application, process), process, null, epoch, true) != 0;
    }

    /** The image without the values. @throws StoreException BROKEN */
    public Optional<ProcessImage> find(String application, String process) {
        String scope = ImageRows.scope(application, process);
        Row row = rows.get(scope, process);
        return Optional.ofNullable(rows.withIndex(scope, row, (found, index) -> whole(process, found.version(), found.image(), index)));
    }

    /** @param image null: there is none; @param place null: it was never moved by hand, as far as is known */
    public record Found(ProcessImage image, ProcessPlace place) {}

    /** Whether a process may have the id at all. */
    public static boolean isId(String process) {
        return ImageRows.isId(process);
    }

    /** The image without the values, and where the process lives; of one that was deleted, where it did. @throws StoreException BROKEN */
    public Found look(String application, String process) {
        String scope = ImageRows.scope(application, process);
        Row row = rows.get(scope, process);
        Found found = rows.withIndex(scope, row, (now, index) -> new Found(whole(process, now.version(), now.image(), index), now.place()));
        return found != null ? found : new Found(null, row.place());
    }

    /**
     * The process lives elsewhere from now on: in one step, which can be repeated. Nothing is done when it was moved on since, or deleted.
     *
     * @param fence of the owner that gives it away; @param number of its last change, which says so; @return false: a later owner of the same place has written
     */
    public boolean move(String application, String process, long fence, long number, ProcessPlace to) {
        return rows.move(ImageRows.scope(application, process), process, fence, number, to);
    }

    private static ProcessImage whole(String process, long version, ImageManifest image, Index index) {
        return new ProcessImage(process, image.epoch(), image.number(), version, image.head() == null ? index.head() : image.head(),
                index.parts(), index.chunks(), image.bytes(), image.storedBytes(), image.writtenMs(), image.swapped());
    }

    /** Gives all values of an image. @throws StoreException and IOException as the other */
    public void read(String application, ProcessImage image, Sink sink) throws IOException {
        read(application, image, part -> true, sink);
    }

    /**
     * Gives some values of an image, and reads no chunk that none of them is in.
     *
     * @throws StoreException BROKEN when one is damaged, CONFLICT when the image was replaced or deleted meanwhile
     * @throws IOException the sink's
     */
    public void read(String application, ProcessImage image, Predicate<Part> wanted, Sink sink) throws IOException {
        String scope = ImageRows.scope(application, image.process());
        ImagePlaces places = new ImagePlaces(image);
        ImageChunks.Reader reader = new ImageChunks(store, scope, image.process()).new Reader(workers, places.chunksOf(wanted));
        ImageStream stream = new ImageStream(reader::next);
        try {
            for (Part part : image.parts()) {
                if (wanted.test(part)) {
                    ImagePlaces.Place place = places.of(part.name());
                    stream.begin(place.chunk(), place.offset(), part.size());
                    sink.take(part, stream::transfer);
                    stream.skip();
                }
            }
        } catch (StoreException e) {
            if (e.kind() == Kind.BROKEN && rows.version(scope, image.process()) != image.version()) {
                throw new StoreException(Kind.CONFLICT, "the image of process \"" + image.process()
                        + "\" was replaced while it was read; read it again", 0, e);
            }
            throw e;
        } finally {
            reader.settle();
        }
    }

    /** Deletes the image and whatever crashes left of others. Can be repeated. @return false: a later owner has begun to write */
    public boolean delete(String application, String process, long epoch) {
        return delete(application, process, null, epoch);
    }

    /** @param place of a process that was moved by hand, or null; {@code epoch} is its fence then */
    public boolean delete(String application, String process, ProcessPlace place, long epoch) {
        String scope = ImageRows.scope(application, process);
        long version = rows.claim(scope, process, place, epoch, false);
        if (version == 0) {
            return false;
        }
        ImageChunks chunks = new ImageChunks(store, scope, process);
        rows.tryToDeleteUnnamed(scope, process, version, chunks.there(epoch).stream().map(chunks::key).toList());
        return true;
    }

    /** Images of an application, by process id, behind {@code after} (or null). */
    public List<Listed> list(String application, String after, int limit) {
        List<Listed> listed = new ArrayList<>();
        List<Row> page = List.of();
        for (String from = after; listed.size() < limit; from = page.getLast().process()) {
            page = rows.list(application, from, limit - listed.size());
            if (page.isEmpty()) {
                break;
            }
            for (Row row : page) {
                if (row.damage() != null) {
                    LOG.warn("an image is left out of a list: {}", row.damage().getMessage());
                    continue;
                }
                Listed image = row.image() == null || row.image().head() != null ? listed(row, null)
                        : rows.withIndex(ImageRows.scope(application, row.process()), row, ProcessImages::listed);
                if (image != null) {
                    listed.add(image);
                }
            }
        }
        return listed;
    }

    private static Listed listed(Row row, Index index) {
        ImageManifest image = row.image();
        return image == null ? null : new Listed(row.process(), image.epoch(), image.number(),
                image.head() == null ? index.head() : image.head(), image.parts(), image.bytes(), image.storedBytes(), image.writtenMs(),
                image.swapped(), row.place());
    }

    public void deleteApplication(String application) {
        deleteApplication(store, application);
    }

    /** Of all images of an application, and what belongs to them. */
    static long bytes(GlobalStore store, String application) {
        return ImageRows.PARTS.bytes(store, ImageRows.TABLE, application);
    }

    /** All images of an application, when it is deleted. */
    public static void deleteApplication(GlobalStore store, String application) {
        ImageRows.PARTS.delete(store, ImageRows.TABLE, application);
    }
}
