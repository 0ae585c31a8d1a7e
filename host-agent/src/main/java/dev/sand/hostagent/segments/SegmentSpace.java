package dev.sand.hostagent.segments;

import dev.sand.event.Errors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory that large values take: by application and in all, in bytes and in number, with the files that are free to be
 * used again. Memory that a process still maps counts, whoever has released it. Guarded by the pool's lock.
 */
final class SegmentSpace {
    private static final long PAGE = 4096;
    private static final long SMALL = 16 * PAGE;

    /**
     * @param objectBytes one value
     * @param applicationBytes all values of one application
     * @param totalBytes all values of the host
     * @param applicationFiles and {@code totalFiles}: how many, since each costs a descriptor
     * @param grace how long a released value can still be opened while there is room
     * @param idle how long a free file is kept for the application's next value
     */
    record Limits(long objectBytes, long applicationBytes, long totalBytes, int applicationFiles, int totalFiles,
                  Duration grace, Duration idle) {}

    static final class Application {
        private final String name;
        final Map<String, SegmentObject> objects = new HashMap<>();
        final Map<String, List<SegmentObject>> byExecution = new HashMap<>();
        /** Oldest first. */
        final ArrayDeque<SegmentObject> released = new ArrayDeque<>();
        private long bytes;
        private int files;

        Application(String name) {
            this.name = name;
        }
    }

    private final Limits limits;
    private final Map<String, Application> applications = new HashMap<>();
    private List<MemoryFile> unused = new ArrayList<>();
    private long totalBytes;
    private int totalFiles;

    SegmentSpace(Limits limits) {
        this.limits = limits;
    }

    long bytes() {
        return totalBytes;
    }

    /** Null when it has no large values. */
    Application find(String application) {
        return applications.get(application);
    }

    Application of(String application) {
        return applications.computeIfAbsent(application, Application::new);
    }

    /** Takes a free file: the oldest that is large enough, not more than twice too large, and in nobody's hands; or null. */
    MemoryFile takeFree(Application in, long size, long nowNs) {
        long before = nowNs - limits.grace().toNanos();
        for (SegmentObject object : in.released) {
            if (object.releasedNs > before) {
                return null;
            }
            boolean fits = object.file.capacity() >= size && object.file.capacity() / 2 <= Math.max(size, SMALL);
            if (fits && !object.file.isInUse()) {
                in.released.remove(object);
                in.objects.remove(object.id);
                return object.file;
            }
        }
        return null;
    }

    /** Counts a new file, after free ones have made room for it. @throws SegmentException when there is none */
    void reserve(Application in, long size, long capacity) throws SegmentException {
        closeReleased(in, in.bytes + capacity - limits.applicationBytes(), in.files + 1 - limits.applicationFiles());
        if (in.bytes + capacity > limits.applicationBytes() || in.files >= limits.applicationFiles()) {
            throw SegmentException.full(Errors.TOO_LARGE, "a value of " + size + " bytes is over what " + in.name
                    + " may have in large values: it has " + in.bytes + " of " + limits.applicationBytes() + " bytes and "
                    + in.files + " of " + limits.applicationFiles() + " values", in.name);
        }
        for (Application each : applications.values()) {
            closeReleased(each, totalBytes + capacity - limits.totalBytes(), totalFiles + 1 - limits.totalFiles());
        }
        if (totalBytes + capacity > limits.totalBytes() || totalFiles >= limits.totalFiles()) {
            String most = Collections.max(applications.values(), Comparator.comparingLong(each -> each.bytes)).name;
            throw SegmentException.full(Errors.UNAVAILABLE, "this host has no room for a value of " + size + " bytes: "
                    + totalBytes + " of " + limits.totalBytes() + " bytes and " + totalFiles + " of " + limits.totalFiles()
                    + " large values are taken", most);
        }
        account(in, capacity, 1);
    }

    /** The file that was reserved could not be made. */
    void giveBack(Application in, long capacity) {
        account(in, -capacity, -1);
    }

    /** Closes what nobody needed for a while. */
    void closeIdle(long nowNs) {
        long before = nowNs - limits.idle().toNanos();
        for (Application in : applications.values()) {
            for (SegmentObject object : List.copyOf(in.released)) {
                if (object.releasedNs <= before) { // what came back last may stand first
                    closeUnused(in, object);
                }
            }
        }
        applications.values().removeIf(in -> in.files == 0);
    }

    /** What is to be closed now, in nobody's turn. */
    List<MemoryFile> takeUnused() {
        if (unused.isEmpty()) {
            return List.of();
        }
        List<MemoryFile> taken = unused;
        unused = new ArrayList<>();
        return taken;
    }

    /** Closes all that nobody has. */
    void closeFree() {
        applications.values().forEach(in -> closeReleased(in, in.bytes, in.files));
    }

    void closeAll() {
        for (Application in : applications.values()) {
            for (SegmentObject object : in.objects.values()) {
                if (object.uses > 0) {
                    object.file.closeInUse();
                } else {
                    object.file.close();
                }
            }
        }
        applications.clear();
        totalBytes = 0;
        totalFiles = 0;
    }

    /** Oldest first, until that many bytes and files are free. */
    private void closeReleased(Application in, long bytes, int files) {
        if (bytes <= 0 && files <= 0) {
            return;
        }
        long bytesLeft = bytes;
        int filesLeft = files;
        for (SegmentObject object : new ArrayList<>(in.released)) {
            if ((bytesLeft > 0 || filesLeft > 0) && closeUnused(in, object)) {
                bytesLeft -= object.file.capacity();
                filesLeft--;
            }
        }
    }

    /** Memory that somebody still maps would not come back: it stays, and stays counted. */
    private boolean closeUnused(Application in, SegmentObject object) {
        if (object.file.isInUse()) {
            return false;
        }
        in.released.remove(object);
        in.objects.remove(object.id);
        unused.add(object.file);
        account(in, -object.file.capacity(), -1);
        return true;
    }

    private void account(Application in, long bytes, int files) {
        in.bytes += bytes;
        in.files += files;
        totalBytes += bytes;
        totalFiles += files;
    }

    /** Up to the next eighth of a power of two, so that values of nearly the same size fit each other's files. */
    static long capacity(long size) {
        long step = Math.max(PAGE, Long.highestOneBit(size) / 8);
        return (size + step - 1) / step * step;
    }
}
