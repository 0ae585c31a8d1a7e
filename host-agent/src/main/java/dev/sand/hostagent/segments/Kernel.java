package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The Linux calls that Java has no words for: memory files, seals, maps, and sockets that pass descriptors. */
final class Kernel {
    static final int EINTR = 4;
    static final int ENOMEM = 12;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int ENOSPC = 28;
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;
    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;
    static final int MAP_SHARED = 1;
    /** With all its pages: one call, and not a fault for each. */
    static final int MAP_POPULATE = 0x8000;
    static final int MFD_CLOEXEC = 1;
    static final int MFD_ALLOW_SEALING = 2;
    static final int F_ADD_SEALS = 1033;
    /** No more seals, no shrinking, no growing: whoever maps it can rely on its size. */
    static final int SEALS = 0x1 | 0x2 | 0x4;
    static final int F_OFD_GETLK = 36;
    static final int F_OFD_SETLK = 37;
    static final int AF_UNIX = 1;
    static final int SOCK_STREAM = 1;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_SNDBUF = 7;
    static final int SHUT_RDWR = 2;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int MSG_DONTWAIT = 0x40;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("strerror"),
            FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private static final MethodHandle MEMFD_CREATE = intCall("memfd_create", ADDRESS, JAVA_INT);
    private static final MethodHandle FTRUNCATE = intCall("ftruncate", JAVA_INT, JAVA_LONG);
    private static final MethodHandle FALLOCATE = intCall("fallocate", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FCHMOD = intCall("fchmod", JAVA_INT, JAVA_INT);
    private static final MethodHandle FCNTL_INT = variadicCall("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle FCNTL_LOCK = variadicCall("fcntl", 2, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle OPEN = variadicCall("open", 2, ADDRESS, JAVA_INT);
    private static final MethodHandle CLOSE = intCall("close", JAVA_INT);
    private static final MethodHandle MMAP = call("mmap",
            FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = intCall("munmap", ADDRESS, JAVA_LONG);
    private static final MethodHandle SOCKET = intCall("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = intCall("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = intCall("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT4 = intCall("accept4", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final MethodHandle SHUTDOWN = intCall("shutdown", JAVA_INT, JAVA_INT);
    private static final MethodHandle SETSOCKOPT = intCall("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECV = call("recv",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SEND = call("send",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SENDMSG = call("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

    private Kernel() {}

    private static MethodHandle intCall(String name, MemoryLayout... arguments) {
        return call(name, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static MethodHandle call(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
    }

    private static MethodHandle variadicCall(String name, int fixed, MemoryLayout... arguments) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"), Linker.Option.firstVariadicArg(fixed));
    }

    private interface Call {
        long invoke(MemorySegment state) throws Throwable;
    }

    /** Calls again when a signal came in between. @throws KernelException with errno when the result is negative */
    private static long check(String what, Call call) throws KernelException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            while (true) {
                long result = invoke(call, state);
                if (result >= 0) {
                    return result;
                }
                int errno = (int) ERRNO.get(state, 0L);
                if (errno != EINTR) {
                    throw new KernelException(what, errno, message(errno));
                }
            }
        }
    }

    private static long invoke(Call call, MemorySegment state) {
        try {
            return call.invoke(state);
        } catch (Throwable e) {
            throw new IllegalStateException("a call into the C library failed", e);
        }
    }

    private static String message(int errno) {
        try {
            return ((MemorySegment) STRERROR.invokeExact(errno)).reinterpret(256).getString(0);
        } catch (Throwable e) {
            throw new IllegalStateException("a call into the C library failed", e);
        }
    }

    static int memfdCreate(String name) throws KernelException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return (int) check("memfd_create",
                    state -> (int) MEMFD_CREATE.invokeExact(state, text, MFD_CLOEXEC | MFD_ALLOW_SEALING));
        }
    }

    static void ftruncate(int fd, long size) throws KernelException {
        check("ftruncate", state -> (int) FTRUNCATE.invokeExact(state, fd, size));
    }

    static void fallocate(int fd, long size) throws KernelException {
        check("fallocate", state -> (int) FALLOCATE.invokeExact(state, fd, 0, 0L, size));
    }

    static void fchmod(int fd, int mode) throws KernelException {
        check("fchmod", state -> (int) FCHMOD.invokeExact(state, fd, mode));
    }

    static void fcntl(int fd, int command, int argument) throws KernelException {
        check("fcntl", state -> (int) FCNTL_INT.invokeExact(state, fd, command, argument));
    }

    static void fcntl(int fd, int command, MemorySegment lock) throws KernelException {
        check("fcntl", state -> (int) FCNTL_LOCK.invokeExact(state, fd, command, lock));
    }

    static int open(String path, int flags) throws KernelException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return (int) check("open " + path, state -> (int) OPEN.invokeExact(state, text, flags | O_CLOEXEC));
        }
    }

    static void close(int fd) {
        try {
            check("close", state -> (int) CLOSE.invokeExact(state, fd));
        } catch (KernelException e) {
            throw new IllegalStateException("descriptor " + fd + " was not ours to close", e);
        }
    }

    /** @return the map, of that size; to be given to {@link #munmap} */
    static MemorySegment mmap(int fd, long size, int protection) throws KernelException {
        return mmap(fd, size, protection, MAP_SHARED);
    }

    static MemorySegment mmap(int fd, long size, int protection, int flags) throws KernelException {
        MemorySegment[] map = new MemorySegment[1];
        check("mmap", state -> {
            map[0] = (MemorySegment) MMAP.invokeExact(state, MemorySegment.NULL, size, protection, flags, fd, 0L);
            return map[0].address() == -1 ? -1 : 0;
        });
        return map[0].reinterpret(size);
    }

    static void munmap(MemorySegment map) {
        try {
            check("munmap", state -> (int) MUNMAP.invokeExact(state, map, map.byteSize()));
        } catch (KernelException e) {
            throw new IllegalStateException("not a map: " + map, e);
        }
    }

    static int socket() throws KernelException {
        return (int) check("socket", state -> (int) SOCKET.invokeExact(state, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }

    static void bind(int fd, MemorySegment address) throws KernelException {
        check("bind", state -> (int) BIND.invokeExact(state, fd, address, (int) address.byteSize()));
    }

    static void listen(int fd, int backlog) throws KernelException {
        check("listen", state -> (int) LISTEN.invokeExact(state, fd, backlog));
    }

    static int accept(int fd) throws KernelException {
        return (int) check("accept",
                state -> (int) ACCEPT4.invokeExact(state, fd, MemorySegment.NULL, MemorySegment.NULL, SOCK_CLOEXEC));
    }

    static void setSendBuffer(int fd, int bytes) throws KernelException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(JAVA_INT, bytes);
            check("setsockopt", state -> (int) SETSOCKOPT.invokeExact(state, fd, SOL_SOCKET, SO_SNDBUF, value, Integer.BYTES));
        }
    }

    static void shutdown(int fd) throws KernelException {
        check("shutdown", state -> (int) SHUTDOWN.invokeExact(state, fd, SHUT_RDWR));
    }

    /** @return bytes received, 0 at the end */
    static long receive(int fd, MemorySegment into) throws KernelException {
        return check("recv", state -> (long) RECV.invokeExact(state, fd, into, into.byteSize(), 0));
    }

    static long send(int fd, MemorySegment from) throws KernelException {
        return check("send", state -> (long) SEND.invokeExact(state, fd, from, from.byteSize(), MSG_NOSIGNAL));
    }

    static long sendMessage(int fd, MemorySegment message, int flags) throws KernelException {
        return check("sendmsg", state -> (long) SENDMSG.invokeExact(state, fd, message, MSG_NOSIGNAL | flags));
    }
}
