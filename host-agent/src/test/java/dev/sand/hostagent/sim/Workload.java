package dev.sand.hostagent.sim;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.GrainSpec;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Limits;
import dev.sand.event.Placement;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.ExecutionFactory;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.workflow.AslExecution;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The applications of one simulation, drawn from its dice: small queues, small limits, workflows of all shapes. */
final class Workload {
    private static final long MS = 1_000_000;

    private final Map<AppKey, ApplicationVersion> versions = new LinkedHashMap<>();
    private final Map<String, List<Script.Stage>> scripts = new LinkedHashMap<>();
    static final int RUNS_IN_ALL = 6;
    private final CoreConfiguration configuration;
    private final boolean placed;

    Workload(Dice dice) {
        this(dice, false);
    }

    /** With grains that may run on some hosts only, see {@link #labels}. */
    static Workload ofCluster(Dice dice) {
        return new Workload(dice, true);
    }

    /** Of the i-th host: every set is on some host, whatever their number. */
    static Set<String> labels(int host) {
        return host % 2 == 0 ? Set.of("even") : Set.of("odd");
    }

    private Workload(Dice dice, boolean placed) {
        this.placed = placed;
        configuration = new CoreConfiguration(10 + dice.below(60), 1 << 20, 3, 20, 50, 1000, 1 << 24, 2 + dice.below(4), 3, RUNS_IN_ALL,
                2, 3, 20 * MS, 500 * MS, 400 * MS, 300 * MS, 400 * MS, 300 * MS, 100 * MS, 100 * MS, MS, 200 * MS,
                2000 * MS, 16 << 20, 4, 10, 10, 10, 20, 500 * MS, 100 * MS, 300 * MS, 2, 20 * MS,
                5 * MS, 64L << 20, 50 * MS);
        int applications = 1 + dice.below(3);
        for (int i = 0; i < applications; i++) {
            String name = "app" + i;
            addVersion(name, 1, dice);
            if (dice.percent(30)) {
                addVersion(name, 2, dice);
            }
        }
    }

    private void addVersion(String name, int version, Dice dice) {
        Map<String, GrainSpec> grains = new LinkedHashMap<>();
        int count = 1 + dice.below(3);
        for (int i = 0; i < count; i++) {
            Isolation isolation = dice.percent(30) ? Isolation.WORKER : Isolation.REQUEST;
            int minIdle = dice.below(3);
            grains.put("g" + i, new GrainSpec("g" + i, "handler:handle", isolation, GrainSpec.Preload.AUTO,
                    100 + dice.below(900), 1 + dice.below(3), 0, 1 + dice.below(4), 200 + dice.below(400), minIdle,
                    minIdle + dice.below(3), dice.below(3) * 2, Map.of(), i == 0 ? List.of("KEY") : List.of()));
        }
        Map<String, WorkflowSpec> workflows = new LinkedHashMap<>();
        int flows = dice.below(3);
        for (int i = 0; i < flows; i++) {
            List<Script.Stage> stages = stages(new ArrayList<>(grains.keySet()), dice);
            String definition = stages.stream().anyMatch(Script.Stage::awaits) ? AslExecution.CALLBACK : "{}";
            workflows.put("w" + i, new WorkflowSpec("w" + i, definition, 60_000));
            scripts.put(name + version + "w" + i, stages);
        }
        long memory = dice.percent(20) ? 128L << 20 : 1L << 30;
        SandboxSpec sandbox = new SandboxSpec(memory, 0, dice.percent(20) ? 22 : 200, false, List.of(),
                dice.percent(40) ? 150 : 600_000);
        Durability durability = dice.percent(25) ? Durability.STRICT : Durability.RELAXED;
        versions.put(new AppKey(name, version), new ApplicationVersion(Limits.SCHEMA_VERSION, name, version, "bundle", null,
                sandbox, grains, workflows, List.of(), placements(grains.keySet(), dice), durability, 0));
    }

    private Map<String, Placement> placements(Set<String> grains, Dice dice) {
        Map<String, Placement> placements = new LinkedHashMap<>();
        for (String grain : grains) {
            if (placed && dice.percent(25)) {
                placements.put(grain, dice.percent(50) ? new Placement(Set.of(), labels(dice.below(2)))
                        : new Placement(Set.of("h" + dice.below(2)), Set.of()));
            }
        }
        return placements;
    }

    private List<Script.Stage> stages(List<String> grains, Dice dice) {
        List<Script.Stage> stages = new ArrayList<>();
        int count = 1 + dice.below(3);
        for (int i = 0; i < count; i++) {
            List<String> tasks = new ArrayList<>();
            int width = dice.percent(60) ? 1 : 2 + dice.below(2);
            for (int j = 0; j < width; j++) {
                tasks.add(dice.percent(2) ? "nobody" : dice.oneOf(grains));
            }
            stages.add(new Script.Stage(tasks, dice.percent(20) ? 1 + dice.below(80) : 0, dice.percent(30), dice.percent(25),
                    dice.percent(20) ? 50 + dice.below(500) : 0, !placed && dice.aside(20)));
        }
        return stages;
    }

    /** The steps of an execution that wait for a callback, once they are reached. */
    List<String> callbacks(InvocationRequest request) {
        List<Script.Stage> stages = scripts.getOrDefault(request.application() + request.version() + request.target(), List.of());
        return IntStream.range(0, stages.size()).filter(stage -> stages.get(stage).awaits()).mapToObj(Script::callback).toList();
    }

    CoreConfiguration configuration() {
        return configuration;
    }

    ExecutionFactory factory() {
        return (version, target, executionId, startedMs) ->
                new Script(scripts.get(version.application() + version.version() + target));
    }

    ApplicationVersion version(AppKey app) {
        return versions.get(app);
    }

    List<AppKey> applications() {
        return List.copyOf(versions.keySet());
    }

    List<String> targets(AppKey app) {
        List<String> targets = new ArrayList<>(versions.get(app).grains().keySet());
        targets.addAll(versions.get(app).workflows().keySet());
        return targets;
    }
}
