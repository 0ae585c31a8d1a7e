package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What an application's sandbox may use.
 *
 * @param memoryBytes of all its processes
 * @param cpus in cores, fractions allowed; 0: no limit
 * @param pids processes and threads at once
 * @param network whether it has one; false by default
 * @param preload modules imported once by the supervisor, shared by all grains (SAND 3.1)
 * @param idleTimeoutMs stopped after this long without work
 * @param base what it begins from; null: the platform's image
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SandboxSpec(long memoryBytes, double cpus, int pids, boolean network, List<String> preload, long idleTimeoutMs,
                          Base base) {
    public static final SandboxSpec DEFAULT = new SandboxSpec(1L << 30, 0, 512, false, List.of(), 600_000);

    /** @param image null: the platform's; {@code packages} of Debian on top of it */
    public record Base(String image, List<String> packages) {}

    public SandboxSpec(long memoryBytes, double cpus, int pids, boolean network, List<String> preload, long idleTimeoutMs) {
        this(memoryBytes, cpus, pids, network, preload, idleTimeoutMs, null);
    }
}
