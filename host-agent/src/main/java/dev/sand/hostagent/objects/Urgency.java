package dev.sand.hostagent.objects;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the kernel how soon the calling thread is to have a core. One that works for microseconds while others wait for it: without
 * that, a shard woken on the core of a process that is just ending waits for the end, which takes longer than the hand-over. One that
 * copies what is needed later: the functions that made it go on meanwhile. A hint: without the right to it, everything still works.
 */
public final class Urgency {
    private static final Logger LOG = LoggerFactory.getLogger(Urgency.class);
    private static final int NICE = -10;
    /** A third of a core's time while others want all of it. */
    private static final int LATER_NICE = 5;
    /** The shortest slice the kernel grants (Linux 6.12 and later): who asks for less at a time gets the core sooner. */
    private static final long SLICE_NS = 100_000;
    private static final int ATTRIBUTES_BYTES = 48;
    private static final long NICE_OFFSET = 16;
    private static final long RUNTIME_OFFSET = 24;

    private Urgency() {}

    /** Others wait for this thread, which never works for long. */
    public static void soon() {
        if (!isSet(NICE, SLICE_NS) && !isSet(0, SLICE_NS)) {
            LOG.debug("the kernel takes no scheduling hints from this process");
        }
    }

    /** Others go first. */
    public static void later() {
        isSet(LATER_NICE, 0);
    }

    private static boolean isSet(int nice, long sliceNs) {
        long number = switch (System.getProperty("os.arch")) {
            case "amd64" -> 314;
            case "aarch64" -> 274;
            default -> -1;
        };
        return number >= 0 && setAttributes(number, nice, sliceNs) == 0;
    }

    private static long setAttributes(long number, int nice, long sliceNs) {
        Linker linker = Linker.nativeLinker();
        MethodHandle syscall = linker.downcallHandle(linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS, ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
            attributes.set(ValueLayout.JAVA_INT, 0, ATTRIBUTES_BYTES);
            attributes.set(ValueLayout.JAVA_INT, NICE_OFFSET, nice);
            attributes.set(ValueLayout.JAVA_LONG, RUNTIME_OFFSET, sliceNs);
            return (long) syscall.invokeExact(number, 0L, attributes, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("sched_setattr cannot be called", e);
        }
    }
}
