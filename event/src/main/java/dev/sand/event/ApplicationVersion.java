package dev.sand.event;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One immutable version of an application, as the registry keeps it and a host agent runs it.
 *
 * @param schema version of this record's shape
 * @param application name
 * @param version from 1
 * @param bundle content address of the application's files: a folder name in the bundle store
 * @param dependencies content address of the installed requirements, or null when there are none
 * @param sandbox limits of its sandbox
 * @param grains by name
 * @param workflows Amazon States Language by name
 * @param routes in order; the first that matches wins
 * @param placements where grains may run, by grain; under the empty name for the whole application. A grain's own replaces it
 * @param durability relaxed (SAND 3.2's default) or strict
 * @param createdMs wall clock of the deployment
 * @param queues by name
 * @param triggers by name; each has a queue of its name, which is not among {@code queues}
 * @param processes what its cloud processes may have; null: the default, see {@link #processSpec}
 */
public record ApplicationVersion(
        short schema,
        String application,
        int version,
        String bundle,
        String dependencies,
        SandboxSpec sandbox,
        Map<String, GrainSpec> grains,
        Map<String, WorkflowSpec> workflows,
        List<RouteSpec> routes,
        Map<String, Placement> placements,
        Durability durability,
        long createdMs,
        Map<String, QueueSpec> queues,
        Map<String, TriggerSpec> triggers,
        ProcessSpec processes) {

    /** RELAXED: backups are not waited for. STRICT: global bus first, for every event. */
    public enum Durability { RELAXED, STRICT }

    /** @param definition Amazon States Language as JSON text, validated at deployment */
    public record WorkflowSpec(String name, String definition, long timeoutMs) {}

    /** @param path exact segments, {@code {name}} for one segment, {@code {name+}} for the rest; method {@code ANY} matches all */
    public record RouteSpec(String method, String path, String target) {}

    public ApplicationVersion {
        placements = placements == null ? Map.of() : placements; // stored before there were any
        queues = queues == null ? Map.of() : queues;
        triggers = triggers == null ? Map.of() : triggers;
    }

    public ApplicationVersion(short schema, String application, int version, String bundle, String dependencies, SandboxSpec sandbox,
                              Map<String, GrainSpec> grains, Map<String, WorkflowSpec> workflows, List<RouteSpec> routes,
                              Map<String, Placement> placements, Durability durability, long createdMs, Map<String, QueueSpec> queues,
                              Map<String, TriggerSpec> triggers) {
        this(schema, application, version, bundle, dependencies, sandbox, grains, workflows, routes, placements, durability,
                createdMs, queues, triggers, null);
    }

    /** A version that is only ever called. */
    public ApplicationVersion(short schema, String application, int version, String bundle, String dependencies, SandboxSpec sandbox,
                              Map<String, GrainSpec> grains, Map<String, WorkflowSpec> workflows, List<RouteSpec> routes,
                              Map<String, Placement> placements, Durability durability, long createdMs) {
        this(schema, application, version, bundle, dependencies, sandbox, grains, workflows, routes, placements, durability,
                createdMs, null, null, null);
    }

    /** This one, for processes in a sandbox that may use and begins from that. */
    public ApplicationVersion in(SandboxSpec other) {
        return new ApplicationVersion(schema, application, version, bundle, dependencies, other, grains, workflows, routes, placements,
                durability, createdMs, queues, triggers, processes);
    }

    /** Its queues and those behind its triggers, by name. */
    public Map<String, QueueSpec> allQueues() {
        Map<String, QueueSpec> all = new TreeMap<>(queues);
        triggers.forEach((name, trigger) -> all.put(name, trigger.queue()));
        return all;
    }

    /** What each of its cloud processes may have. */
    public ProcessSpec processSpec() {
        return processes == null ? ProcessSpec.DEFAULT : processes;
    }

    /** Where the grain may run. */
    public Placement placement(String grain) {
        Placement own = placements.get(grain);
        return own != null ? own : placements.getOrDefault("", Placement.ANYWHERE);
    }

    /** @return whether the name is a grain or a workflow of this version */
    public boolean hasTarget(String target) {
        return grains.containsKey(target) || workflows.containsKey(target);
    }
}
