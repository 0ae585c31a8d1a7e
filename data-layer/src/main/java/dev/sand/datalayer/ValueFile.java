package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.FullDisk;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values that are large, beside the SQLite file whose rows name their places. A row's transaction writes a value twice, with a
 * checksum of each page; here it is written once, by whoever has it, over room that other values had: no file grows for it, so
 * that nothing of the file system's waits for the disk too.
 *
 * <p>A place is named by a row only after {@link #sync}, and used again only after the row that named it is gone for good. Who reads
 * without a lock may find another value there: the checksum tells. Nothing is used again while another process holds a shared
 * lock on the file: who copies the database and then this file has all that the former names.
 */
final class ValueFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ValueFile.class);
    private static final int HANDLES = 8;
    /** A longer gap is several: sizes are those of values. */
    private static final long GAP_BYTES = 1L << 30;
    /** Room behind the last value that stays in the file for the next ones. */
    private static final long SPARE_BYTES = 64L << 20;

    /** @param crc CRC-32 of the value */
    record Place(long at, int size, long crc) {}

    private final Path file;
    private final long maxBytes;
    private final BlockingQueue<ValueHandle> handles = new ArrayBlockingQueue<>(HANDLES);
    private final RandomAccessFile own;
    private final ReentrantLock writing = new ReentrantLock();
    private final Extents extents;
    /** Guarded by extents, as that is. */
    private final List<Place> held = new ArrayList<>();
    private final AtomicBoolean written = new AtomicBoolean();

    /**
     * @param taken places that rows name
     * @param maxBytes 0: as much as the disk has
     */
    ValueFile(Path file, Collection<Place> taken, long maxBytes) {
        this.file = file;
        this.maxBytes = maxBytes;
        try {
            own = new RandomAccessFile(file.toFile(), "rw");
            for (int i = 0; i < HANDLES; i++) {
                handles.add(new ValueHandle(file, writing));
            }
            long end = Math.max(own.length(), taken.stream().mapToLong(place -> place.at + place.size).max().orElse(0));
            extents = new Extents(end);
            free(gaps(taken, extents.end()));
        } catch (IOException e) {
            throw new StoreException(Kind.BROKEN, "cannot open " + file + ": " + e.getMessage(), 0, e);
        }
    }

    private static List<Place> gaps(Collection<Place> taken, long end) {
        List<Place> gaps = new ArrayList<>();
        long at = 0;
        for (Place place : taken.stream().sorted((a, b) -> Long.compare(a.at, b.at)).toList()) {
            addGap(gaps, at, place.at);
            at = place.at + Extents.up(place.size);
        }
        addGap(gaps, at, end);
        return gaps;
    }

    private static void addGap(List<Place> gaps, long from, long to) {
        for (long at = from; at < to; at += GAP_BYTES) {
            gaps.add(new Place(at, (int) Math.min(GAP_BYTES, to - at), 0));
        }
    }

    /**
     * Writes the value where there is room.
     *
     * @param crc its CRC-32; null: nobody has reckoned it yet
     * @throws StoreException when it could not be written
     */
    Place write(ByteBuffer value, Integer crc) {
        int size = value.remaining();
        long at;
        synchronized (extents) {
            at = extents.take(size);
            if (maxBytes > 0 && extents.end() > maxBytes) {
                extents.give(at, size);
                throw new StoreException(Kind.FULL, file + " has no room", 0, null);
            }
        }
        Place place = new Place(at, size, Integer.toUnsignedLong(crc == null ? sum(value) : crc));
        try {
            with(handle -> {
                handle.write(value, at);
                return null;
            });
        } catch (IOException e) {
            free(List.of(place));
            throw failure("cannot write", e);
        }
        written.set(true);
        return place;
    }

    private static int sum(ByteBuffer value) {
        CRC32 crc = new CRC32();
        crc.update(value.duplicate());
        return (int) crc.getValue();
    }

    /** @return null: another value is there by now */
    byte[] read(Place place) {
        byte[] value = new byte[place.size];
        try {
            with(handle -> {
                handle.read(value, place.at);
                return null;
            });
            return Integer.toUnsignedLong(sum(ByteBuffer.wrap(value))) == place.crc ? value : null;
        } catch (EOFException e) {
            return null; // the file has become shorter
        } catch (IOException e) {
            throw failure("cannot read", e);
        }
    }

    /** What was written is on the disk. */
    void sync() throws IOException {
        if (written.getAndSet(false)) {
            try {
                own.getChannel().force(false);
            } catch (IOException e) {
                written.set(true);
                throw e;
            }
        }
    }

    /** No row names these, now and after a crash. */
    void free(Collection<Place> places) {
        synchronized (extents) {
            held.addAll(places);
            if (held.isEmpty() || isCopied()) {
                return;
            }
            List<Place> now = List.copyOf(held);
            held.clear();
            now.forEach(place -> extents.give(place.at, place.size));
            giveBackMoreThan(SPARE_BYTES);
        }
    }

    /** The disk is full: what is free at the end goes back to it. */
    void giveRoomBack() {
        synchronized (extents) {
            if (!isCopied()) {
                giveBackMoreThan(0);
            }
        }
    }

    private void giveBackMoreThan(long spare) {
        try {
            if (own.length() > extents.end() + 2 * spare) {
                own.setLength(extents.end() + spare);
            }
        } catch (IOException e) {
            LOG.warn("{} keeps its room: {}", file, e.getMessage());
        }
    }

    private boolean isCopied() {
        try (FileLock lock = own.getChannel().tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException | IOException e) {
            return true;
        }
    }

    private StoreException failure(String what, IOException e) {
        return FullDisk.is(e)
                ? new StoreException(Kind.FULL, what + ": no room for " + file + "; free space on its disk", 0, e)
                : new StoreException(Kind.BROKEN, what + " (" + file + "): " + e.getMessage(), 0, e);
    }

    private interface Work<T> {
        T run(ValueHandle handle) throws IOException;
    }

    private <T> T with(Work<T> work) throws IOException {
        ValueHandle handle = takeHandle();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.run(handle);
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted(); // and the handle is closed, which nobody else has
                    handle.close();
                    handle = new ValueHandle(file, writing);
                }
            }
        } finally {
            handles.add(handle);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whoever is interrupted has his value all the same: a read or write takes no longer than the disk. */
    private ValueHandle takeHandle() {
        boolean interrupted = false;
        while (true) {
            try {
                ValueHandle handle = handles.take();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return handle;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    @Override
    public void close() {
        try {
            List<ValueHandle> all = new ArrayList<>();
            for (int i = 0; i < HANDLES; i++) {
                all.add(takeHandle());
                all.getLast().close();
            }
            handles.addAll(all); // whoever comes late is told that they are closed
            own.close();
        } catch (IOException e) {
            throw failure("cannot close", e);
        }
    }
}
