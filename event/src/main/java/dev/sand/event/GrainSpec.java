package dev.sand.event;

import java.util.List;
import java.util.Map;

/**
 * A grain as deployed: what {@code sand.yaml} says of it with every default filled in.
 *
 * @param name the grain's name in its application
 * @param entry {@code module:function}, below the grain's folder
 * @param isolation a process a request, or an instance that serves many
 * @param preload what is imported before instances are forked
 * @param timeoutMs longest run of one attempt
 * @param concurrency most attempts at once; 1 also orders completion
 * @param memoryBytes data limit of one instance (RLIMIT_DATA); 0: the default, see {@link #instanceMemoryBytes}
 * @param queueDepth most events waiting
 * @param queueBytes most bytes waiting
 * @param minIdle instances kept waiting at the least
 * @param maxIdle instances kept waiting at the most
 * @param maxRequests for {@code isolation: worker}: requests an instance serves before it is renewed; 0: no limit
 * @param environment variables for the handler
 * @param secrets names of the secrets the handler may read
 */
public record GrainSpec(
        String name,
        String entry,
        Isolation isolation,
        Preload preload,
        long timeoutMs,
        int concurrency,
        long memoryBytes,
        int queueDepth,
        long queueBytes,
        int minIdle,
        int maxIdle,
        int maxRequests,
        Map<String, String> environment,
        List<String> secrets) {

    /** Whether an instance handles one request (SAND 3.1) or many. */
    public enum Isolation { REQUEST, WORKER }

    /** AUTO: import before the fork unless that leaves threads or sockets; CODE: always; NONE: in the forked child. */
    public enum Preload { AUTO, CODE, NONE }

    /** One instance in a sandbox of that memory meets its own limit before the kernel has to choose whom to end. */
    public static long defaultInstanceMemoryBytes(long sandboxMemoryBytes) {
        return sandboxMemoryBytes - sandboxMemoryBytes / 8;
    }

    /** What an instance of this grain may hold in such a sandbox. */
    public long instanceMemoryBytes(SandboxSpec sandbox) {
        return memoryBytes > 0 ? memoryBytes : defaultInstanceMemoryBytes(sandbox.memoryBytes());
    }

    /** A grain with the defaults, as a folder with a handler and no entry in sand.yaml gets them. */
    public static GrainSpec withDefaults(String name) {
        return new GrainSpec(name, "handler:handle", Isolation.REQUEST, Preload.AUTO, 30_000, 100, 0, 10_000,
                64L << 20, 1, 16, 0, Map.of(), List.of());
    }
}
