package dev.sand.hostagent.shard;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationResult;

/** Waits for an execution in the host agent's own process: a large output is read where it is, and not copied before. */
public interface MappedListener extends InvocationListener {
    /** In place of the other, when the output is a reference. @param output the listener's to give back */
    void onEnd(InvocationResult result, LentOutput output);
}
