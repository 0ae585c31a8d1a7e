package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One memfd: sealed in size, its pages there already and paid for by the host agent, which maps it once for as long as it has it. Whoever is given it gets an open file
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
    private final MemorySegment bytes;

    private MemoryFile(int fd, long capacity, MemorySegment bytes) {
        this.fd = fd;
        this.capacity = capacity;
        this.bytes = bytes;
    }

    static MemoryFile create(long capacity) throws KernelException {
        int fd = Kernel.memfdCreate("sand");
        try {
            Kernel.fchmod(fd, OWNER_ONLY);
            Kernel.ftruncate(fd, capacity);
            Kernel.fallocate(fd, capacity);
            Kernel.fcntl(fd, Kernel.F_ADD_SEALS, Kernel.SEALS);
            return new MemoryFile(fd, capacity, Kernel.mmap(fd, capacity, Kernel.PROT_READ | Kernel.PROT_WRITE,
                    Kernel.MAP_SHARED | Kernel.MAP_POPULATE));
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

    /** Its first bytes, there until {@link #close}: for who holds the object that has the file. */
    MemorySegment bytes(long size) {
        return bytes.asSlice(0, size);
    }

    /** Nobody here reads or writes it any more. */
    void close() {
        Kernel.munmap(bytes);
        Kernel.close(fd);
    }

    /** The host agent ends while somebody may still read or write it: the map goes with the program. */
    void closeInUse() {
        Kernel.close(fd);
    }
}
