package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Hop;
import dev.sand.hostagent.core.Input.AppKey;

/** Takes the core's actions in the order in which they are to be performed; performs or enqueues, and calls nothing back. */
@FunctionalInterface
public interface ActionSink {
    void accept(Action action);

    /**
     * An attempt on this host has ended: nothing that the core wants done, only what an observer may want to know.
     *
     * @param trace of its execution, or null
     */
    default void attemptEnded(AppKey app, Hop hop, String trace) {}

    /** An attempt that got an instance has ended: somebody pays for it. @param memoryBytes what it ran in may use */
    default void used(AppKey app, Hop hop, long memoryBytes) {}
}
