package dev.sand.hostagent.shard;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationResult;

/** Who asked for an execution, with the application it belongs to: an output by reference is looked up there. */
record Caller(String application, InvocationListener listener) implements InvocationListener {
    @Override
    public boolean isFirst() {
        return listener.isFirst();
    }

    @Override
    public boolean counts() {
        return listener.counts();
    }

    @Override
    public void onAccepted() {
        listener.onAccepted();
    }

    @Override
    public void onEnd(InvocationResult result) {
        listener.onEnd(result);
    }
}
