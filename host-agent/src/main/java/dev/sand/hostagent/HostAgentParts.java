package dev.sand.hostagent;

import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.SharedData;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.SegmentServer;
import java.util.Map;
import java.util.function.Function;

/**
 * What a host agent works with. All but the sandboxes stay their giver's, who closes them after the host agent.
 *
 * @param secrets of an application, by name; never null
 */
public record HostAgentParts(
        ApplicationSource applications, SandboxOpener sandboxes, JournalAdapter journal, RecordAdapter records,
        SegmentServer segments, SharedData data, LogStore logs, Function<String, Map<String, String>> secrets) {

    /** Sandboxes need the host agent's sockets, and the host agent its sandboxes: it opens them itself. */
    @FunctionalInterface
    public interface SandboxOpener {
        Sandboxes open(SandboxSockets sockets) throws SandboxException;
    }
}
