package dev.sand.workflow;

import dev.sand.event.ApplicationVersion;

/** Makes the execution of a target. One for each shard: not shared between threads. */
public final class Executions {

    /**
     * @param target a grain or a workflow of the version
     * @param executionId seeds what chance has a part in, so that a replay draws the same
     * @param startTime of the execution, ISO 8601 with a Z: what {@code $$.Execution.StartTime} shows
     * @throws IllegalArgumentException when the version has no such target
     */
    public Execution create(ApplicationVersion version, String target, String executionId, String startTime) {
        if (version.grains().containsKey(target)) {
            return new GrainExecution(target);
        }
        throw new IllegalArgumentException("application " + version.application() + " version " + version.version()
                + " has neither a grain nor a workflow " + target);
    }
}
