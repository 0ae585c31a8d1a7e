package dev.sand.hostagent.segments;

import dev.sand.event.Errors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * All large values of the host: who may see them, how long they live, how much memory they take. A file is used again only
 * within its application, and only when nobody has it any more. Memory that a process of the application still maps counts
 * against its bound, whoever has released it.
 */
final class SegmentPool {
    /** Executions that have ended, remembered so that a straggler's value does not stay for ever. */
    private static final int REMEMBERED_ENDS = 20_000;
    private static final long PAGE = 4096;

    /**
     * @param objectBytes one value
     * @param applicationBytes all values of one application
     * @param totalBytes all values of the host
     * @param applicationFiles and {@code totalFiles}: how many, since each costs a descriptor
     * @param grace how long a released value can still be opened while there is room
     * @param idle how long a free file is kept for the application's next value
     */
    record Limits(long objectBytes, long applicationBytes, long totalBytes, int applicationFiles, int totalFiles, Duration grace, Duration idle) {}

    private static final class Application {
        final Map<String, SegmentObject> objects = new HashMap<>();
        final Map<String, List<SegmentObject>> byExecution = new HashMap<>();
        /** Oldest first. */
        final ArrayDeque<SegmentObject> released = new ArrayDeque<>();
        long bytes;
        int files;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Application> applications = new HashMap<>();
    private final LinkedHashMap<String, Boolean> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_ENDS;
        }
    };
    private final Limits limits;
    private final String prefix;
    private final LongSupplier clockNs;
    private long totalBytes;
    private int totalFiles;
    private long made;

    /** @param prefix of object ids: different in each run, so that an old reference never means a new value */
    SegmentPool(Limits limits, String prefix, LongSupplier clockNs) {
        this.limits = limits;
        this.prefix = prefix;
        this.clockNs = clockNs;
    }

    /**
     * Makes an object that belongs to the execution; null: to none, its first key is counted already. It is held for the
     * caller until {@link #endUse}.
     */
    SegmentObject allocate(String application, String executionId, long size) throws SegmentException {
        if (size < 1 || size > limits.objectBytes()) {
            throw new SegmentException(size < 1 ? Errors.BAD_REQUEST : Errors.TOO_LARGE, "a value of " + size
                    + " bytes; the limit of one value is " + limits.objectBytes(), null);
        }
        long capacity = capacity(size);
        MemoryFile file = reserve(application, executionId, size, capacity);
        return register(application, executionId, size, file == null ? create(application, capacity) : file);
    }

    /** A free file that fits, or null and its bytes reserved for a new one. */
    private MemoryFile reserve(String application, String executionId, long size, long capacity) throws SegmentException {
        lock.lock();
        try {
            checkRuns(application, executionId);
            Application in = applications.computeIfAbsent(application, name -> new Application());
            SegmentObject free = findFree(in, size);
            if (free != null) {
                in.released.remove(free);
                in.objects.remove(free.id);
                return free.file;
            }
            roomInApplication(application, in, size, capacity);
            roomOnHost(size, capacity);
            account(in, capacity, 1);
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void roomInApplication(String application, Application in, long size, long capacity) throws SegmentException {
        closeReleased(in, in.bytes + capacity - limits.applicationBytes(), in.files + 1 - limits.applicationFiles());
        if (in.bytes + capacity > limits.applicationBytes() || in.files >= limits.applicationFiles()) {
            throw new SegmentException(Errors.TOO_LARGE, "a value of " + size + " bytes is over what " + application
                    + " may have in large values: it has " + in.bytes + " of " + limits.applicationBytes() + " bytes and "
                    + in.files + " of " + limits.applicationFiles() + " values", null);
        }
    }

    private void roomOnHost(long size, long capacity) throws SegmentException {
        for (Application each : applications.values()) {
            closeReleased(each, totalBytes + capacity - limits.totalBytes(), totalFiles + 1 - limits.totalFiles());
        }
        if (totalBytes + capacity > limits.totalBytes() || totalFiles >= limits.totalFiles()) {
            throw new SegmentException(Errors.UNAVAILABLE, "this host has no room for a value of " + size + " bytes: "
                    + totalBytes + " of " + limits.totalBytes() + " bytes and " + totalFiles + " of " + limits.totalFiles()
                    + " large values are taken", null);
        }
    }

    private void checkRuns(String application, String executionId) throws SegmentException {
        if (executionId != null && ended.containsKey(application + "/" + executionId)) {
            throw new SegmentException(Errors.NOT_FOUND, "execution " + executionId + " has ended", null);
        }
    }

    /** Takes a while: pages are made. */
    private MemoryFile create(String application, long capacity) throws SegmentException {
        try {
            return MemoryFile.create(capacity);
        } catch (KernelException e) {
            lock.lock();
            try {
                account(applications.get(application), -capacity, -1);
            } finally {
                lock.unlock();
            }
            throw new SegmentException(Errors.UNAVAILABLE, "this host has no memory for a value: " + e.getMessage(), e);
        }
    }

    private SegmentObject register(String application, String executionId, long size, MemoryFile file) {
        lock.lock();
        try {
            SegmentObject object = new SegmentObject(application, prefix + "-" + Long.toString(++made, 36), size, file);
            Application in = applications.get(application);
            in.objects.put(object.id, object);
            object.uses = 1;
            if (executionId == null) {
                object.keys = 1;
            } else if (!ended.containsKey(application + "/" + executionId)) {
                object.executionRuns = true;
                in.byExecution.computeIfAbsent(executionId, id -> new ArrayList<>()).add(object);
            }
            return object;
        } finally {
            lock.unlock();
        }
    }

    /** @return a read-only descriptor, to be closed once it is sent */
    Opened open(String application, String id) throws SegmentException {
        lock.lock();
        try {
            SegmentObject object = find(application, id);
            return new Opened(object, object.file.openReadOnly());
        } catch (KernelException e) {
            throw new SegmentException(Errors.UNAVAILABLE, "the object cannot be opened: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    record Opened(SegmentObject object, int fd) {}

    /** Holds the object while the host agent works on it; {@link #endUse} lets it go. */
    SegmentObject beginUse(String application, String id) throws SegmentException {
        lock.lock();
        try {
            SegmentObject object = find(application, id);
            hold(object);
            object.uses++;
            return object;
        } finally {
            lock.unlock();
        }
    }

    void endUse(SegmentObject object) {
        lock.lock();
        try {
            object.uses--;
            letGo(object);
        } finally {
            lock.unlock();
        }
    }

    void retain(String application, String id) throws SegmentException {
        lock.lock();
        try {
            SegmentObject object = find(application, id);
            hold(object);
            object.keys++;
        } finally {
            lock.unlock();
        }
    }

    void forget(String application, String id) {
        lock.lock();
        try {
            Application in = applications.get(application);
            SegmentObject object = in == null ? null : in.objects.get(id);
            if (object != null && object.keys > 0) {
                object.keys--;
                letGo(object);
            }
        } finally {
            lock.unlock();
        }
    }

    void endExecution(String application, String executionId) {
        lock.lock();
        try {
            ended.put(application + "/" + executionId, true);
            Application in = applications.get(application);
            List<SegmentObject> objects = in == null ? null : in.byExecution.remove(executionId);
            if (objects != null) {
                objects.forEach(object -> {
                    object.executionRuns = false;
                    letGo(object);
                });
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives back files that nobody needed for a while. */
    void sweep() {
        lock.lock();
        try {
            long before = clockNs.getAsLong() - limits.idle().toNanos();
            applications.values().forEach(in -> closeIdle(in, before));
            applications.values().removeIf(in -> in.files == 0);
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            applications.values().forEach(in -> in.objects.values().forEach(object -> object.file.close()));
            applications.clear();
            totalBytes = 0;
        } finally {
            lock.unlock();
        }
    }

    long bytes() {
        lock.lock();
        try {
            return totalBytes;
        } finally {
            lock.unlock();
        }
    }

    private SegmentObject find(String application, String id) throws SegmentException {
        Application in = applications.get(application);
        SegmentObject object = in == null ? null : in.objects.get(id);
        if (object == null) {
            throw new SegmentException(Errors.NOT_FOUND, application + " has no object " + id
                    + "; an object lives as long as its execution", null);
        }
        return object;
    }

    private void hold(SegmentObject object) {
        if (!object.isHeld()) {
            applications.get(object.application).released.remove(object);
        }
    }

    private void letGo(SegmentObject object) {
        Application in = applications.get(object.application);
        if (!object.isHeld() && in != null && in.objects.get(object.id) == object) {
            released(in, object);
        }
    }

    private void released(Application in, SegmentObject object) {
        object.releasedNs = clockNs.getAsLong();
        in.released.addLast(object);
    }

    /** The oldest that is large enough, not more than twice too large, and in nobody's hands. */
    private SegmentObject findFree(Application in, long size) {
        long before = clockNs.getAsLong() - limits.grace().toNanos();
        for (SegmentObject object : in.released) {
            if (object.releasedNs > before) {
                return null;
            }
            boolean fits = object.file.capacity() >= size && object.file.capacity() / 2 <= Math.max(size, PAGE * 16);
            if (fits && !object.file.isInUse()) {
                return object;
            }
        }
        return null;
    }

    /** Oldest first, until that many bytes and files are free. */
    private void closeReleased(Application in, long bytes, int files) {
        long bytesLeft = bytes;
        int filesLeft = files;
        for (SegmentObject object : List.copyOf(bytes > 0 || files > 0 ? in.released : List.of())) {
            if ((bytesLeft > 0 || filesLeft > 0) && closeUnused(in, object)) {
                bytesLeft -= object.file.capacity();
                filesLeft--;
            }
        }
    }

    private void closeIdle(Application in, long before) {
        for (SegmentObject object : List.copyOf(in.released)) {
            if (object.releasedNs <= before) {
                closeUnused(in, object);
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
        object.file.close();
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
