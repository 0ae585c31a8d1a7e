package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.RouteSpec;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.GrainSpec;
import dev.sand.event.Placement;
import dev.sand.event.ProcessSpec;
import dev.sand.event.QueueSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.event.TriggerSpec;
import dev.sand.frontend.deployment.Finding.Findings;
import dev.sand.frontend.invoke.Names;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * An application as its folder describes it, every default filled in: {@code sand.yaml}, {@code grains/*}{@code /handler.py},
 * {@code workflows/*.asl.json}. Reading it finds all mistakes at once.
 *
 * @param placements by grain; under the empty name the application's
 * @param borrowed grains that are copies, by name
 * @param share grains that others may copy
 * @param processes what its cloud processes may have; null: the default
 * @param description what it is for, in its author's words; "": nothing is said
 */
public record ApplicationFolder(
        Path folder, String name, SandboxSpec sandbox, Map<String, GrainSpec> grains, Map<String, WorkflowSpec> workflows,
        List<RouteSpec> routes, Map<String, Placement> placements, Durability durability, Map<String, Borrowed> borrowed,
        List<String> share, Map<String, QueueSpec> queues, Map<String, TriggerSpec> triggers, ProcessSpec processes, String description) {
    static final long LEAST_SANDBOX_MEMORY = 64L << 20;
    private static final long WORKFLOW_TIMEOUT_MS = 300_000;

    /** {@code from: app/grain@version}; the version may be an alias, {@code live} when it is not said. */
    public record Borrowed(String application, String grain, String qualifier) {
        static Borrowed of(String text) {
            int slash = text.indexOf('/');
            int at = text.indexOf('@');
            return new Borrowed(text.substring(0, slash), text.substring(slash + 1, at < 0 ? text.length() : at),
                    at < 0 ? null : text.substring(at + 1));
        }
    }

    /** Copies what {@code from:} names into the folder, and gives the grain's own settings; null with a finding when it may not. */
    interface Lender {
        GrainSpec lend(Path folder, String as, Borrowed borrowed, Findings findings);
    }

    ApplicationFolder as(String other) {
        return new ApplicationFolder(folder, other, sandbox, grains, workflows, routes, placements, durability, borrowed, share, queues,
                triggers, processes, description);
    }

    /** @throws dev.sand.frontend.http.ProblemException 422 with every finding */
    static ApplicationFolder read(Path folder, Lender lender) {
        Findings findings = new Findings();
        JsonNode yaml = SandYaml.read(folder, findings);
        if (yaml == null) {
            findings.check();
        }
        Map<String, Borrowed> borrowed = new TreeMap<>();
        Map<String, GrainSpec> grains = grains(folder, yaml, lender, borrowed, findings);
        Map<String, WorkflowSpec> workflows = new WorkflowReader(folder, yaml.path("workflows"), grains.keySet(),
                yaml.path("queues").properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet()), findings)
                .read(WORKFLOW_TIMEOUT_MS);
        for (String name : workflows.keySet()) {
            if (grains.containsKey(name)) {
                findings.add(SandYaml.FILE, "/workflows/" + name, "a grain has this name already");
            }
        }
        List<RouteSpec> routes = new ArrayList<>();
        for (JsonNode route : yaml.path("routes")) {
            String target = route.get("target").asText();
            if (!grains.containsKey(target) && !workflows.containsKey(target)) {
                findings.add(SandYaml.FILE, "/routes/" + routes.size() + "/target", "there is no grain or workflow '" + target + "'");
            }
            String twice = repeatedParameter(route.get("path").asText());
            if (twice != null) {
                findings.add(SandYaml.FILE, "/routes/" + routes.size() + "/path", "its parameter '" + twice
                        + "' is there twice; the handler would see the last alone");
            }
            routes.add(new RouteSpec(route.path("method").asText("ANY"), route.get("path").asText(), target));
        }
        List<String> share = StreamSupport.stream(yaml.path("share").spliterator(), false).map(JsonNode::asText).toList();
        for (int i = 0; i < share.size(); i++) {
            if (!grains.containsKey(share.get(i))) {
                findings.add(SandYaml.FILE, "/share/" + i, "there is no grain '" + share.get(i) + "'");
            }
        }
        if (grains.isEmpty()) {
            findings.add("grains", "", "there is no grain: each is a folder grains/<name>/ with a handler.py");
        }
        SandboxSpec sandbox = sandbox(yaml.path("sandbox"), findings);
        TriggerReader triggers = new TriggerReader(yaml, target -> grains.containsKey(target) || workflows.containsKey(target), findings);
        Map<String, QueueSpec> queueSpecs = triggers.queues();
        Map<String, TriggerSpec> triggerSpecs = triggers.triggers();
        ProcessSpec processes = new ProcessReader(yaml, findings).read(grains.keySet());
        findings.check();
        return new ApplicationFolder(folder, yaml.get("name").asText(), sandbox, grains, workflows, List.copyOf(routes),
                PlacementReader.read(yaml, grains.keySet()),
                Durability.valueOf(yaml.path("durability").asText("relaxed").toUpperCase(Locale.ROOT)), borrowed, share,
                queueSpecs, triggerSpecs, processes, yaml.path("description").asText("").strip());
    }

    private static String repeatedParameter(String path) {
        Set<String> seen = new HashSet<>();
        return Stream.of(path.split("/")).filter(segment -> segment.startsWith("{")).map(segment -> segment.replaceAll("[{}+]", ""))
                .filter(name -> !seen.add(name)).findFirst().orElse(null);
    }

    private static Map<String, GrainSpec> grains(Path folder, JsonNode yaml, Lender lender, Map<String, Borrowed> borrowed,
                                                 Findings findings) {
        Map<String, JsonNode> entries = new TreeMap<>();
        for (String name : folders(folder.resolve("grains"), findings)) {
            entries.put(name, MissingNode.getInstance());
        }
        yaml.path("grains").properties().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        Map<String, GrainSpec> grains = new TreeMap<>();
        entries.forEach((name, own) -> {
            String from = own.path("from").asText(null);
            GrainSpec base = GrainSpec.withDefaults(name);
            if (from != null) {
                borrowed.put(name, Borrowed.of(from));
                base = lender.lend(folder, name, borrowed.get(name), findings);
            }
            if (base != null) {
                GrainSpec grain = new GrainReader(own, yaml.path("defaults"), base, findings).read();
                checkEntry(folder, grain, findings);
                grains.put(name, grain);
            } else {
                grains.put(name, GrainSpec.withDefaults(name));
            }
        });
        return grains;
    }

    private static List<String> folders(Path grains, Findings findings) {
        if (!Files.isDirectory(grains)) {
            return List.of();
        }
        try (Stream<Path> inside = Files.list(grains)) {
            List<String> names = new ArrayList<>();
            inside.filter(Files::isDirectory).map(path -> path.getFileName().toString()).sorted().forEach(name -> {
                if (Names.isGrain(name)) {
                    names.add(name);
                } else if (!name.startsWith(".") && !name.equals("__pycache__")) {
                    findings.add("grains/" + name, "", "a grain's name is " + Names.GRAIN);
                }
            });
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void checkEntry(Path folder, GrainSpec grain, Findings findings) {
        String module = grain.entry().substring(0, grain.entry().indexOf(':')).replace('.', '/');
        Path home = folder.resolve("grains").resolve(grain.name());
        if (!Files.isRegularFile(home.resolve(module + ".py")) && !Files.isRegularFile(home.resolve(module + "/__init__.py"))) {
            findings.add("grains/" + grain.name(), "", "its entry is " + grain.entry() + ", but there is no grains/"
                    + grain.name() + "/" + module + ".py");
        }
    }

    private static SandboxSpec sandbox(JsonNode node, Findings findings) {
        SandboxSpec base = SandboxSpec.DEFAULT;
        try {
            long memory = node.has("memory") ? Quantity.bytes(node.get("memory").asText()) : base.memoryBytes();
            if (memory < LEAST_SANDBOX_MEMORY) {
                findings.add(SandYaml.FILE, "/sandbox/memory",
                        "a sandbox needs at least " + LEAST_SANDBOX_MEMORY + " bytes, not " + memory);
            }
            List<String> preload = StreamSupport.stream(node.path("preload").spliterator(), false).map(JsonNode::asText).toList();
            return new SandboxSpec(memory, node.path("cpus").asDouble(base.cpus()), node.path("pids").asInt(base.pids()),
                    node.path("network").asBoolean(base.network()), preload,
                    node.has("idleTimeout") ? Quantity.millis(node.get("idleTimeout").asText()) : base.idleTimeoutMs());
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, "/sandbox", e.getMessage());
            return base;
        }
    }
}
