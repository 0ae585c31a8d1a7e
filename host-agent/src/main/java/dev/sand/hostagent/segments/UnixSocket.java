package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sand.event.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** A blocking Unix stream socket that can pass a descriptor. One thread uses it; any may shut it down, or send at once. */
final class UnixSocket {
    private static final int BACKLOG = 256;
    private static final int SEND_BUFFER_BYTES = 4096;
    private static final int ADDRESS_BYTES = 110;
    private static final int SCM_RIGHTS = 1;
    /** cmsghdr and one descriptor, with and without padding. */
    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_LENGTH = 20;
    private static final int MESSAGE_BYTES = 56;

    private final int fd;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock sending = new ReentrantLock();
    private boolean closed;

    private UnixSocket(int fd) {
        this.fd = fd;
    }

    static UnixSocket listen(Path path) throws IOException {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > Limits.SOCKET_PATH_BYTES) {
            throw new IOException("the path of a socket has at most " + Limits.SOCKET_PATH_BYTES + " bytes, this one "
                    + name.length + ": " + path);
        }
        Files.deleteIfExists(path);
        UnixSocket socket = new UnixSocket(Kernel.socket());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 8);
            address.set(JAVA_SHORT, 0, (short) Kernel.AF_UNIX);
            MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
            Kernel.bind(socket.fd, address);
            Kernel.listen(socket.fd, BACKLOG);
            return socket;
        } catch (KernelException e) {
            socket.close();
            throw e;
        }
    }

    /** With a small buffer: a client that asks and does not read holds few descriptors in flight, of which a host has few. */
    UnixSocket accept() throws KernelException {
        UnixSocket accepted = new UnixSocket(Kernel.accept(fd));
        try {
            Kernel.setSendBuffer(accepted.fd, SEND_BUFFER_BYTES);
            return accepted;
        } catch (KernelException e) {
            accepted.close();
            throw e;
        }
    }

    /** @return false at the end, before the first byte; @throws EOFException at the end after it */
    boolean receive(byte[] into) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(into.length);
            long at = 0;
            while (at < into.length) {
                long count = Kernel.receive(fd, buffer.asSlice(at));
                if (count == 0 && at == 0) {
                    return false;
                } else if (count == 0) {
                    throw new EOFException("the connection ended within a frame");
                }
                at += count;
            }
            MemorySegment.copy(buffer, JAVA_BYTE, 0, into, 0, into.length);
            return true;
        }
    }

    /** Sends all bytes; the descriptor, when it is not negative, goes with the first of them. */
    void send(byte[] bytes, int descriptor) throws IOException {
        sending.lock();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, bytes.length);
            long at = descriptor < 0 ? 0 : Kernel.sendMessage(fd, message(arena, buffer, descriptor), 0);
            while (at < bytes.length) {
                at += Kernel.send(fd, buffer.asSlice(at));
            }
        } finally {
            sending.unlock();
        }
    }

    /** The same from any thread, all or nothing, and nothing when it would have to wait. */
    void sendAtOnce(byte[] bytes, int descriptor) {
        if (!sending.tryLock()) {
            return;
        }
        lock.lock(); // that it is not closed meanwhile, and its number another's
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, bytes.length);
            if (!closed && Kernel.sendMessage(fd, message(arena, buffer, descriptor), Kernel.MSG_DONTWAIT) < bytes.length) {
                Kernel.shutdown(fd); // a part of it is no frame
            }
        } catch (KernelException e) {
            // it is full, or closed at the other end: who needs the value asks for it
        } finally {
            lock.unlock();
            sending.unlock();
        }
    }

    /** struct msghdr with one iovec and one control message. */
    private static MemorySegment message(Arena arena, MemorySegment buffer, int descriptor) {
        MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
        control.set(JAVA_LONG, 0, CONTROL_LENGTH);
        control.set(JAVA_INT, 8, Kernel.SOL_SOCKET);
        control.set(JAVA_INT, 12, SCM_RIGHTS);
        control.set(JAVA_INT, 16, descriptor);
        MemorySegment vector = arena.allocate(16, 8);
        vector.set(ADDRESS, 0, buffer);
        vector.set(JAVA_LONG, 8, buffer.byteSize());
        MemorySegment message = arena.allocate(MESSAGE_BYTES, 8);
        message.set(ADDRESS, 16, vector);
        message.set(JAVA_LONG, 24, 1);
        message.set(ADDRESS, 32, control);
        message.set(JAVA_LONG, 40, CONTROL_BYTES);
        return message;
    }

    /** Wakes the thread that waits on it; that one closes it. */
    void shutDown() {
        lock.lock();
        try {
            if (!closed) {
                Kernel.shutdown(fd);
            }
        } catch (KernelException e) {
            // the other side was faster: the thread is awake
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                Kernel.close(fd);
            }
        } finally {
            lock.unlock();
        }
    }
}
