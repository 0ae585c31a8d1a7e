package dev.sand.hostagent.core;

/** Takes the core's actions in the order in which they are to be performed; performs or enqueues, and calls nothing back. */
@FunctionalInterface
public interface ActionSink {
    void accept(Action action);
}
