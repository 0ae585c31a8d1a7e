package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.model.BindOptions;
import com.github.dockerjava.api.model.BindPropagation;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import dev.sand.event.SandboxSpec;
import java.util.List;
import java.util.Map;

/** What every container of ours is allowed (DESIGN, decision 8): one place, so that no container is made with more. */
final class ContainerShape {
    /** Above the application's own limit, so that the supervisor lives to tell of it. */
    static final long RESERVE_MEMORY_BYTES = 64L << 20;
    static final int RESERVE_PIDS = 16;
    private static final long SHARED_MEMORY_BYTES = 64L << 20;
    private static final long MOST_TMP_BYTES = 512L << 20;
    private static final long OPEN_FILES = 8192;

    private ContainerShape() {}

    /**
     * @param network the Docker network, or null for none
     * @param cores of the engine's machine. It refuses a container that may use more than it has; to us that is one without a
     *     limit, since an application is deployed once for hosts of several sizes.
     */
    static HostConfig hostConfig(SandboxSpec limits, List<SandboxEngine.Mount> mounts, String network, int cores) {
        long memory = limits.memoryBytes() + RESERVE_MEMORY_BYTES;
        HostConfig config = HostConfig.newHostConfig()
                .withNetworkMode(network == null ? "none" : network)
                .withReadonlyRootfs(true)
                .withPrivileged(false)
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges"))
                .withMemory(memory)
                .withMemorySwap(memory)
                .withPidsLimit((long) limits.pids() + RESERVE_PIDS)
                .withTmpFs(Map.of("/tmp", "rw,nosuid,nodev,size=" + tmpBytes(limits) + ",mode=1777"))
                .withShmSize(SHARED_MEMORY_BYTES)
                .withUlimits(List.of(new Ulimit("nofile", OPEN_FILES, OPEN_FILES), new Ulimit("core", 0L, 0L)))
                .withLogConfig(new LogConfig(LogConfig.LoggingType.JSON_FILE, Map.of("max-size", "1m", "max-file", "1")))
                .withRestartPolicy(RestartPolicy.noRestart())
                .withInit(false)
                .withMounts(mounts.stream().map(ContainerShape::bind).toList());
        return limits.cpus() > 0 && limits.cpus() < cores ? config.withNanoCPUs((long) (limits.cpus() * 1e9)) : config;
    }

    /** In memory, so it counts against the application's own limit; executable, since libraries unpack themselves there. */
    private static long tmpBytes(SandboxSpec limits) {
        return Math.min(limits.memoryBytes() / 2, MOST_TMP_BYTES);
    }

    private static Mount bind(SandboxEngine.Mount mount) {
        return new Mount().withType(MountType.BIND).withSource(mount.path().toString()).withTarget(mount.path().toString())
                .withReadOnly(!mount.writable()).withBindOptions(new BindOptions().withPropagation(BindPropagation.R_PRIVATE));
    }
}
