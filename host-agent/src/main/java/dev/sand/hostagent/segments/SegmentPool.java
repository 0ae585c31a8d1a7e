package dev.sand.hostagent.segments;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentSpace.Application;
import dev.sand.hostagent.segments.SegmentSpace.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * All large values of the host: who may see them and how long they live. A file is used again only within its application,
 * and only when nobody has it any more.
 */
final class SegmentPool {
    /** Executions that have ended, remembered so that a straggler's value does not stay for ever. */
    private static final int REMEMBERED_ENDS = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private record Execution(String application, String id) {}

    /** @param fd read-only, to be closed once it is sent */
    record Opened(SegmentObject object, int fd) {}

    private interface Work<T> {
        T run() throws SegmentException;
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** From the shards, which wait for no lock: taken in by whatever is done next. */
    private final ConcurrentLinkedQueue<Runnable> left = new ConcurrentLinkedQueue<>();
    private final LinkedHashMap<Execution, Boolean> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Execution, Boolean> eldest) {
            return size() > REMEMBERED_ENDS;
        }
    };
    private final Limits limits;
    private final SegmentSpace space;
    private final String prefix;
    private final LongSupplier clockNs;
    private volatile MemoryRoom room = MemoryRoom.ENDLESS;
    private long made;

    /** @param prefix of object ids: different in each run, so that an old reference never means a new value */
    SegmentPool(Limits limits, String prefix, LongSupplier clockNs) {
        this.limits = limits;
        this.space = new SegmentSpace(limits);
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
        Execution execution = executionId == null ? null : new Execution(application, executionId);
        long capacity = SegmentSpace.capacity(size);
        MemoryFile free = patiently(() -> freeOrReserved(application, execution, size, capacity));
        MemoryFile file = free == null ? create(application, capacity) : free;
        return inTurn(() -> register(application, execution, size, file));
    }

    /** Where there is no room left, what is idle makes some. */
    private MemoryFile patiently(Work<MemoryFile> work) throws SegmentException {
        long untilNs = clockNs.getAsLong() + PATIENCE.toNanos();
        while (true) {
            try {
                return inTurn(work);
            } catch (SegmentException e) {
                if (e.wantsRoomOf() == null || clockNs.getAsLong() - untilNs >= 0 || !room.leaves(e.wantsRoomOf())) {
                    throw e;
                }
            }
        }
    }

    /** As allocate, for a shard: null when somebody else is at it, there is no free file to take, or something is wrong with what is asked. */
    SegmentObject allocateFree(String application, String executionId, long size) {
        if (size < 1 || size > limits.objectBytes()) {
            return null;
        }
        Execution execution = new Execution(application, executionId);
        return atOnce(() -> {
            MemoryFile free = ended.containsKey(execution) ? null : space.takeFree(space.of(application), size, clockNs.getAsLong());
            return free == null ? null : register(application, execution, size, free);
        });
    }

    /** An execution that had ended is redriven: it counts as one that runs. */
    void reopen(String application, String executionId) throws SegmentException {
        inTurn(() -> ended.remove(new Execution(application, executionId)));
    }

    private MemoryFile freeOrReserved(String application, Execution execution, long size, long capacity)
            throws SegmentException {
        if (execution != null && ended.containsKey(execution)) {
            throw new SegmentException(Errors.NOT_FOUND, "execution " + execution.id() + " has ended", null);
        }
        Application in = space.of(application);
        MemoryFile free = space.takeFree(in, size, clockNs.getAsLong());
        if (free == null) {
            space.reserve(in, size, capacity);
        }
        return free;
    }

    /** Takes a while, in nobody's turn: pages are made. */
    private MemoryFile create(String application, long capacity) throws SegmentException {
        MemoryRoom takenFrom = room;
        if (!takenFrom.take(capacity)) {
            throw noMemory(application, capacity, "what is idle has left, and a value of " + capacity + " bytes has no room still", null);
        }
        try {
            return MemoryFile.create(capacity);
        } catch (KernelException e) {
            throw noMemory(application, capacity, e.getMessage(), e);
        } finally {
            takenFrom.made(capacity);
        }
    }

    private SegmentException noMemory(String application, long capacity, String why, KernelException cause) throws SegmentException {
        inTurn(() -> {
            space.giveBack(space.of(application), capacity);
            return null;
        });
        return new SegmentException(Errors.UNAVAILABLE, "this host has no memory for a value: " + why, cause);
    }

    private SegmentObject register(String application, Execution execution, long size, MemoryFile file) {
        SegmentObject object = new SegmentObject(application, execution == null ? null : execution.id(),
                prefix + "-" + Long.toString(++made, 36), size, file);
        Application in = space.of(application);
        in.objects.put(object.id, object);
        object.uses = 1;
        if (execution == null) {
            object.keys = 1;
        } else if (!ended.containsKey(execution)) {
            object.executionRuns = true;
            in.byExecution.computeIfAbsent(execution.id(), id -> new ArrayList<>()).add(object);
        }
        return object;
    }

    Opened open(String application, String id) throws SegmentException {
        return inTurn(() -> opened(application, id));
    }

    private Opened opened(String application, String id) throws SegmentException {
        SegmentObject object = find(application, id);
        try {
            return new Opened(object, object.file.openReadOnly());
        } catch (KernelException e) {
            throw new SegmentException(Errors.UNAVAILABLE, "the object cannot be opened: " + e.getMessage(), e);
        }
    }

    /** As open, for a shard: null when somebody else is at it, or it cannot be opened. */
    Opened openAtOnce(String application, String id) {
        return atOnce(() -> opened(application, id));
    }

    /** Holds the object while the host agent works on it; {@link #endUse} lets it go. */
    SegmentObject beginUse(String application, String id) throws SegmentException {
        return inTurn(() -> {
            SegmentObject object = hold(find(application, id));
            object.uses++;
            return object;
        });
    }

    void endUse(SegmentObject object) {
        soon(() -> {
            object.uses--;
            letGo(object);
        });
    }

    /** The one who holds it gives it up before anybody else knows of it; its execution may begin all the same, with another. */
    void discard(SegmentObject object, String executionId) {
        soon(() -> {
            Application in = space.find(object.application);
            List<SegmentObject> objects = in == null ? null : in.byExecution.get(executionId);
            if (objects != null && objects.remove(object) && objects.isEmpty()) {
                in.byExecution.remove(executionId);
            }
            object.executionRuns = false;
            object.uses--;
            letGo(object);
        });
    }

    void retain(String application, String id) throws SegmentException {
        inTurn(() -> {
            SegmentObject object = hold(find(application, id));
            object.keys++;
            object.isMessage = false;
            return null;
        });
    }

    /** For a shard: all of them, or none. */
    boolean retainAtOnce(String application, Collection<Payload.Reference> references, boolean isMessage) {
        return atOnce(() -> {
            List<SegmentObject> objects = new ArrayList<>(references.size());
            for (Payload.Reference reference : references) {
                objects.add(find(application, reference.object()));
            }
            for (SegmentObject object : objects) {
                hold(object).keys++;
                object.isMessage = isMessage;
            }
            return objects;
        }) != null;
    }

    void forget(String application, String id) {
        lock.lock();
        try {
            release(application, id);
        } finally {
            unlock();
        }
    }

    boolean forgetAtOnce(String application, Collection<Payload.Reference> references) {
        return atOnce(() -> {
            references.forEach(reference -> release(application, reference.object()));
            return references;
        }) != null;
    }

    private void release(String application, String id) {
        Application in = space.find(application);
        SegmentObject object = in == null ? null : in.objects.get(id);
        if (object != null && object.keys > 0) {
            object.keys--;
            letGo(object);
        }
    }

    /** Called on a shard: waits for nobody. @param isRead nobody will open its objects any more */
    void endExecution(String application, String executionId, boolean isRead) {
        left.add(() -> ended(new Execution(application, executionId), isRead));
    }

    /** Takes in the ends of executions, and gives back files that nobody needed for a while. */
    void sweep() {
        lock.lock();
        try {
            takeLeft();
            space.closeIdle(clockNs.getAsLong());
        } finally {
            unlock();
        }
    }

    void growsInto(MemoryRoom what) {
        room = what;
    }

    /** Memory is short. */
    void shrink() {
        lock.lock();
        try {
            takeLeft();
            space.closeFree();
        } finally {
            unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            space.closeAll();
        } finally {
            unlock();
        }
    }

    long bytes() {
        lock.lock();
        try {
            return space.bytes();
        } finally {
            unlock();
        }
    }

    private <T> T inTurn(Work<T> work) throws SegmentException {
        lock.lock();
        try {
            takeLeft();
            return work.run();
        } finally {
            unlock();
        }
    }

    /** Done at once, or, when somebody else is at it, by whatever is done next. */
    private void soon(Runnable work) {
        if (!lock.tryLock()) {
            left.add(work);
            return;
        }
        try {
            takeLeft();
            work.run();
        } finally {
            unlock();
        }
    }

    /** Memory goes back to the kernel in nobody's turn: it takes a while. */
    private void unlock() {
        List<MemoryFile> unused = space.takeUnused();
        lock.unlock();
        unused.forEach(MemoryFile::close);
    }

    /** Waits for nobody. @return null: it could not be done */
    private <T> T atOnce(Work<T> work) {
        if (!lock.tryLock()) {
            return null;
        }
        try {
            takeLeft();
            return work.run();
        } catch (SegmentException e) {
            return null; // whoever asks again, and waits, is told
        } finally {
            unlock();
        }
    }

    private void takeLeft() {
        for (Runnable work = left.poll(); work != null; work = left.poll()) {
            work.run();
        }
    }

    private void ended(Execution execution, boolean isRead) {
        ended.put(execution, true);
        Application in = space.find(execution.application());
        List<SegmentObject> objects = in == null ? null : in.byExecution.remove(execution.id());
        if (objects != null) {
            for (SegmentObject object : objects) {
                object.executionRuns = false;
                object.isRead = isRead && object.keys == 0;
                letGo(object);
            }
        }
    }

    private SegmentObject find(String application, String id) throws SegmentException {
        Application in = space.find(application);
        SegmentObject object = in == null ? null : in.objects.get(id);
        if (object == null) {
            throw new SegmentException(Errors.NOT_FOUND, application + " has no object " + id
                    + "; an object lives as long as its execution", null);
        }
        return object;
    }

    private SegmentObject hold(SegmentObject object) {
        if (!object.isHeld()) {
            space.of(object.application).released.remove(object);
        }
        return object;
    }

    private void letGo(SegmentObject object) {
        Application in = space.find(object.application);
        if (!object.isHeld() && in != null && in.objects.get(object.id) == object) {
            if (object.isRead || object.isMessage) {
                // The memory that was used last is what the processor still has.
                object.releasedNs = clockNs.getAsLong() - limits.grace().toNanos() - 1;
                in.released.addFirst(object);
            } else {
                object.releasedNs = clockNs.getAsLong();
                in.released.addLast(object);
            }
        }
    }
}
