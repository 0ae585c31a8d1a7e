package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A sandbox of a cloud process's own (PraaS 3.1), in place of a share of its application's.
 *
 * @param memoryBytes of all that runs in it; {@code cpus} in cores; {@code pids}: 0 of each: as the application's {@code sandbox:} has it
 * @param image what it begins from: the name of an image on the host that was made from the platform's; null: that one
 * @param packages of Debian that are in it beside that; null: none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DedicatedSpec(long memoryBytes, double cpus, int pids, String image, List<String> packages) {
    /** As the application's, for one process alone. */
    public static final DedicatedSpec PLAIN = new DedicatedSpec(0, 0, 0, null, null);

    /** With what it has of its application. */
    public DedicatedSpec shown(SandboxSpec application) {
        SandboxSpec resolved = of(application);
        return new DedicatedSpec(resolved.memoryBytes(), resolved.cpus(), resolved.pids(), image, packages);
    }

    /** What the sandbox may use and begins from. @param application what the application's own may */
    public SandboxSpec of(SandboxSpec application) {
        boolean based = image != null || packages != null && !packages.isEmpty();
        return new SandboxSpec(memoryBytes > 0 ? memoryBytes : application.memoryBytes(), cpus > 0 ? cpus : application.cpus(),
                pids > 0 ? pids : application.pids(), application.network(), application.preload(), application.idleTimeoutMs(),
                based ? new SandboxSpec.Base(image, packages == null ? List.of() : packages) : null);
    }
}
