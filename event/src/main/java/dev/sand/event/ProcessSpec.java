package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * What the cloud processes of an application may have, each of them (PraaS 3.1, 4.3), with every default filled in.
 *
 * @param concurrency functions that run in a process at once; more wait
 * @param queueDepth invocations that wait in a process
 * @param mailboxMessages and {@code mailboxBytes}: what is unread; who sends more waits
 * @param memoryBytes of state that is in the host's memory; what is used least lately overflows to the global data layer (PraaS 8)
 * @param idleMs without any function, until an active process counts as idle
 * @param swapAfterMs that it is idle, until it is swapped out
 * @param functions by grain, where they differ from {@link Function#STANDARD}
 * @param dedicated the sandbox that each has for itself; null: they run in the application's
 * @param stateBytes of state in all; 0: nothing is said, see {@link #mostStateBytes}
 */
public record ProcessSpec(int concurrency, int queueDepth, int mailboxMessages, long mailboxBytes, long memoryBytes, long idleMs,
                          long swapAfterMs, Map<String, Function> functions, DedicatedSpec dedicated,
                          @JsonInclude(JsonInclude.Include.NON_DEFAULT) long stateBytes) {
    /** Of a process's state, that a value of some size fits into. */
    public static final long LEAST_MEMORY_BYTES = 1 << 20;
    /** Of which nothing is said. */
    public static final long STATE_BYTES = 1L << 30;
    public static final ProcessSpec DEFAULT = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());

    /** When messages for a function make an invocation of it (PraaS, table 3). */
    public enum Trigger { STANDARD, MULTI_SOURCE, BATCH }

    /**
     * @param count messages an invocation; 1 of a standard trigger
     * @param timeoutMs after which it is invoked with what is there; 0: never
     * @param atomic its sends count when it ends well, not at once
     */
    public record Function(Trigger trigger, int count, long timeoutMs, boolean atomic) {
        public static final Function STANDARD = new Function(Trigger.STANDARD, 1, 0, false);
    }

    /** @return what is wrong with that much, for people; null: nothing */
    public static String wrongMemory(long bytes) {
        return bytes >= LEAST_MEMORY_BYTES ? null
                : "a process needs at least " + LEAST_MEMORY_BYTES + " bytes of memory for its state, not " + bytes;
    }

    public ProcessSpec {
        functions = functions == null ? Map.of() : functions;
    }

    /** Of processes in the application's sandbox. */
    public ProcessSpec(int concurrency, int queueDepth, int mailboxMessages, long mailboxBytes, long memoryBytes, long idleMs,
                       long swapAfterMs, Map<String, Function> functions) {
        this(concurrency, queueDepth, mailboxMessages, mailboxBytes, memoryBytes, idleMs, swapAfterMs, functions, null, 0);
    }

    /** State in memory and in the global data layer together: never less than the memory. */
    public long mostStateBytes() {
        return Math.max(memoryBytes, stateBytes > 0 ? stateBytes : STATE_BYTES);
    }

    /** As this, but for what is given. @param concurrencyOr and {@code memoryOr}: 0 for this one's; {@code dedicatedOr} null the same */
    public ProcessSpec with(int concurrencyOr, long memoryOr, DedicatedSpec dedicatedOr) {
        return new ProcessSpec(concurrencyOr > 0 ? concurrencyOr : concurrency, queueDepth, mailboxMessages, mailboxBytes,
                memoryOr > 0 ? memoryOr : memoryBytes, idleMs, swapAfterMs, functions, dedicatedOr != null ? dedicatedOr : dedicated,
                stateBytes);
    }

    public Function function(String grain) {
        return functions.getOrDefault(grain, Function.STANDARD);
    }
}
