package dev.sand.hostagent.core;

import dev.sand.workflow.Execution;

/** The state machine of an execution as a test writes it: one that is evaluated on the shard, and does not say when it is over. */
@FunctionalInterface
interface FakeMachine extends Execution {
    @Override
    default boolean isHeavy(Signal signal) {
        return false;
    }

    @Override
    default boolean isEnded() {
        return false;
    }
}
