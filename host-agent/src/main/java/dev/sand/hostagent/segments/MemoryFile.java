package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One memfd: sealed in size, its pages there already and paid for by the host agent. Whoever is given it gets an open file
 * description of its own with a read lock on it, which lasts as long as any descriptor or map of it: so the host agent can tell
 * whether anybody still has it before it is used again. Its mode keeps other users from opening it anew through /proc.
 */
final class MemoryFile {
    private static final int OWNER_ONLY = 0600;
    private static final int FLOCK_BYTES = 32;
    private static final int FLOCK_START = 8;
    private static final int FLOCK_LENGTH = 16;
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;

    private final int fd;
    private final long capacity;

    private MemoryFile(int fd, long capacity) {
        this.fd = fd;
        this.capacity = capacity;
    }

    static MemoryFile create(long capacity) throws KernelException {
        int fd = Kernel.memfdCreate("sand");
        try {
            Kernel.fchmod(fd, OWNER_ONLY);
            Kernel.ftruncate(fd, capacity);
            Kernel.fallocate(fd, capacity);
            Kernel.fcntl(fd, Kernel.F_ADD_SEALS, Kernel.SEALS);
            return new MemoryFile(fd, capacity);
        } catch (KernelException e) {
            Kernel.close(fd);
            throw e;
        }
    }

    long capacity() {
        return capacity;
    }

    /** @return a descriptor for somebody else, to be closed here once it is sent */
    int openWritable() throws KernelException {
        return open(Kernel.O_RDWR);
    }

    int openReadOnly() throws KernelException {
        return open(Kernel.O_RDONLY);
    }

    private int open(int mode) throws KernelException {
        int other = Kernel.open("/proc/self/fd/" + fd, mode);
        try (Arena arena = Arena.ofConfined()) {
            Kernel.fcntl(other, Kernel.F_OFD_SETLK, lock(arena, F_RDLCK));
            return other;
        } catch (KernelException e) {
            Kernel.close(other);
            throw e;
        }
    }

    /** Whether a descriptor or a map of it is left anywhere. */
    boolean isInUse() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment conflict = lock(arena, F_WRLCK);
            Kernel.fcntl(fd, Kernel.F_OFD_GETLK, conflict);
            return conflict.get(JAVA_SHORT, 0) != F_UNLCK;
        } catch (KernelException e) {
            throw new IllegalStateException("a memory file cannot be asked for its locks", e);
        }
    }

    private static MemorySegment lock(Arena arena, short kind) {
        MemorySegment lock = arena.allocate(FLOCK_BYTES, 8); // whole file: from 0, length 0
        lock.set(JAVA_SHORT, 0, kind);
        lock.set(JAVA_LONG, FLOCK_START, 0);
        lock.set(JAVA_LONG, FLOCK_LENGTH, 0);
        return lock;
    }

    /** What is done with the bytes while they are mapped here. */
    interface Use<T, E extends Exception> {
        T with(MemorySegment bytes) throws E;
    }

    <T, E extends Exception> T map(long size, int protection, Use<T, E> use) throws KernelException, E {
        MemorySegment map = map(size, protection);
        try {
            return use.with(map);
        } finally {
            unmap(map);
        }
    }

    /** For longer than a call: to be given to {@link #unmap}. */
    MemorySegment map(long size, int protection) throws KernelException {
        return Kernel.mmap(fd, size, protection, Kernel.MAP_SHARED | Kernel.MAP_POPULATE);
    }

    static void unmap(MemorySegment map) {
        Kernel.munmap(map);
    }

    void close() {
        Kernel.close(fd);
    }
}
