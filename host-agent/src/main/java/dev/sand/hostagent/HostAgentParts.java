package dev.sand.hostagent;

import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.SharedData;
import dev.sand.event.Tracing;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.triggers.GrainQueues;
import java.util.Map;
import java.util.function.Function;

/**
 * What a host agent works with. All but the sandboxes stay their giver's, who closes them after the host agent.
 *
 * @param secrets of an application, by name; never null
 * @param queues that grains may send to, or null
 */
public record HostAgentParts(
        ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
        SegmentServer segments, SharedData data, LogStore logs, Function<String, Map<String, String>> secrets, Cluster cluster,
        GrainQueues queues, Tracing tracing) {

    /** Without spans. */
    public HostAgentParts(ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
                          SegmentServer segments, SharedData data, LogStore logs,
                          Function<String, Map<String, String>> secrets, Cluster cluster, GrainQueues queues) {
        this(applications, sandboxes, journal, records, segments, data, logs, secrets, cluster, queues, Tracing.OFF);
    }

    /** What hosts share: the global bus, who owns which slot of it, and large values in the global data layer. */
    public record Cluster(GlobalBus bus, Membership membership, ObjectCopies copies) {}

    /** Without queues that grains may send to. */
    public HostAgentParts(
            ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
            SegmentServer segments, SharedData data, LogStore logs, Function<String, Map<String, String>> secrets, Cluster cluster) {
        this(applications, sandboxes, journal, records, segments, data, logs, secrets, cluster, null);
    }

    /** Sandboxes need the host agent's sockets, and the host agent its sandboxes: it opens them itself. */
    @FunctionalInterface
    public interface SandboxOpener {
        Sandboxes open(SandboxSockets sockets) throws SandboxException;
    }
}
