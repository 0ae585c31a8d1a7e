package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.workflow.Execution;

/** Makes the state machine of a target; the same arguments give the same machine, so that a replay is the same run. */
@FunctionalInterface
public interface ExecutionFactory {
    /**
     * @param target a grain or a workflow of the version
     * @param startedMs wall clock of the execution's start
     * @throws IllegalArgumentException when the target's definition cannot be run
     */
    Execution create(ApplicationVersion version, String target, String executionId, long startedMs);
}
