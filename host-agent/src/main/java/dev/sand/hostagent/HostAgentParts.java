package dev.sand.hostagent;

import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.SharedData;
import dev.sand.dataplane.Tickets;
import dev.sand.event.Tracing;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.triggers.GrainQueues;
import dev.sand.hostagent.usage.UsageCounter;
import dev.sand.workflow.TaskTokens;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What a host agent works with. All but the sandboxes stay their giver's, who closes them after the host agent.
 *
 * @param secrets of an application, from memory: shards ask for them; never null
 * @param queues that grains may send to, or null
 * @param control which applications may control the platform
 * @param usage counts what grains use
 * @param tokens of tasks that wait for a callback, under the platform's key
 */
public record HostAgentParts(
        ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
        SegmentServer segments, SharedData data, LogStore logs, Function<String, ApplicationSecrets> secrets, Cluster cluster,
        GrainQueues queues, TaskTokens tokens, Tracing tracing, Control control, UsageCounter usage) {

    /** Without spans, nobody controls the platform, and nobody pays. */
    public HostAgentParts(ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
                          SegmentServer segments, SharedData data, LogStore logs,
                          Function<String, ApplicationSecrets> secrets, Cluster cluster, GrainQueues queues, TaskTokens tokens) {
        this(applications, sandboxes, journal, records, segments, data, logs, secrets, cluster, queues, tokens, Tracing.OFF, Control.NONE,
                UsageCounter.NONE);
    }

    /** @param tickets of requests, under the platform's key; @param nowMs the time that they are dated by */
    public record Control(Capabilities capabilities, Tickets tickets, LongSupplier nowMs) {
        static final Control NONE = new Control(Capabilities.NONE, null, System::currentTimeMillis);
    }

    /** What hosts share: the global bus, who owns which slot of it, and large values and processes in the global data layer. */
    public record Cluster(GlobalBus bus, Membership membership, ObjectCopies copies, ProcessImages images) {}

    /** Without queues that grains may send to, and with tokens that are good here alone. */
    public HostAgentParts(
            ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
            SegmentServer segments, SharedData data, LogStore logs, Function<String, ApplicationSecrets> secrets, Cluster cluster) {
        this(applications, sandboxes, journal, records, segments, data, logs, secrets, cluster, null, TaskTokens.ofTrial());
    }

    public HostAgentParts counting(UsageCounter counter) {
        return new HostAgentParts(applications, sandboxes, journal, records, segments, data, logs, secrets, cluster, queues, tokens, tracing,
                control, counter);
    }

    /** Sandboxes need the host agent's sockets, and the host agent its sandboxes: it opens them itself. */
    @FunctionalInterface
    public interface SandboxOpener {
        Sandboxes open(SandboxSockets sockets) throws SandboxException;
    }
}
