package dev.sand.hostagent.core;

import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What runs here now, for people. */
final class StatusReport {
    private StatusReport() {}

    static List<SandboxStatus> of(Collection<Application> applications, long nowNs) {
        List<SandboxStatus> sandboxes = new ArrayList<>();
        for (Application application : applications) {
            List<GrainStatus> grains = new ArrayList<>();
            for (Grain grain : application.grains()) {
                grains.add(of(grain, nowNs));
            }
            Sandbox sandbox = application.sandbox();
            sandboxes.add(new SandboxStatus(application.key().application(), application.key().version(), sandbox.id(),
                    word(sandbox.state()), sandbox.startedMs(), application.open(), sandbox.heldBytes(), grains));
        }
        return sandboxes;
    }

    private static GrainStatus of(Grain grain, long nowNs) {
        Event oldest = grain.queue().peek();
        long oldestMs = oldest == null ? 0 : (nowNs - oldest.queuedNs) / 1_000_000;
        Worker worker = grain.worker();
        return new GrainStatus(grain.spec().name(), word(worker.state()), worker.pid(), grain.pool().idle(), grain.slots(),
                grain.queue().size(), oldestMs, worker.restarts(), grain.traffic().inPerSecond(nowNs), grain.traffic().outPerSecond(nowNs));
    }

    private static String word(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
