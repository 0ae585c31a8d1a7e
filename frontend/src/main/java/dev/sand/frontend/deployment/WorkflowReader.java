package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.frontend.deployment.Finding.Findings;
import dev.sand.frontend.invoke.Names;
import dev.sand.workflow.asl.KnownNames;
import dev.sand.workflow.asl.Validator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The application's workflows: each named in {@code sand.yaml}, and each {@code workflows/*.asl.json} under its base name. */
final class WorkflowReader {
    private static final String FOLDER = "workflows";
    private static final String SUFFIX = ".asl.json";
    private static final long FILE_BYTES = 1 << 20;
    private final Path folder;
    private final JsonNode named;
    private final Set<String> grains;
    private final Set<String> queues;
    private final Findings findings;

    WorkflowReader(Path folder, JsonNode named, Set<String> grains, Set<String> queues, Findings findings) {
        this.folder = folder;
        this.named = named;
        this.grains = grains;
        this.queues = queues;
        this.findings = findings;
    }

    Map<String, WorkflowSpec> read(long defaultTimeoutMs) {
        Map<String, String> files = new TreeMap<>(found());
        named.properties().forEach(entry -> {
            String file = entry.getValue().path("file").asText(FOLDER + "/" + entry.getKey() + SUFFIX);
            // A file that has a name of its own in sand.yaml is not a second workflow under its base name.
            files.values().removeIf(file::equals);
            files.put(entry.getKey(), file);
        });
        Map<String, WorkflowSpec> workflows = new TreeMap<>();
        files.forEach((name, file) -> {
            String definition = definition(name, file, files.keySet());
            if (definition != null) {
                workflows.put(name, new WorkflowSpec(name, definition, timeoutMs(name, defaultTimeoutMs)));
            }
        });
        return workflows;
    }

    private Map<String, String> found() {
        Map<String, String> files = new TreeMap<>();
        if (!Files.isDirectory(folder.resolve(FOLDER))) {
            return files;
        }
        try (Stream<Path> inside = Files.list(folder.resolve(FOLDER))) {
            inside.map(path -> path.getFileName().toString()).filter(file -> file.endsWith(SUFFIX)).sorted().forEach(file -> {
                String name = file.substring(0, file.length() - SUFFIX.length());
                if (Names.isGrain(name)) {
                    files.put(name, FOLDER + "/" + file);
                } else {
                    findings.add(FOLDER + "/" + file, "", "a workflow's name is " + Names.GRAIN);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    private String definition(String name, String file, Set<String> workflows) {
        Path path = folder.resolve(file).normalize();
        if (!path.startsWith(folder) || !Files.isRegularFile(path)) {
            findings.add(SandYaml.FILE, "/workflows/" + name + "/file", "there is no file " + file);
            return null;
        }
        try {
            if (Files.size(path) > FILE_BYTES) {
                findings.add(file, "", "it has " + Files.size(path) + " bytes, the limit is " + FILE_BYTES);
                return null;
            }
            String definition = Files.readString(path, StandardCharsets.UTF_8);
            Validator.validate(definition, new KnownNames(grains, workflows, queues)).forEach(diagnostic ->
                    findings.add(file, diagnostic.pointer(), diagnostic.message()));
            return definition;
        } catch (CharacterCodingException e) {
            findings.add(file, "", "it is not UTF-8");
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long timeoutMs(String name, long otherwise) {
        JsonNode timeout = named.path(name).path("timeout");
        if (timeout.isMissingNode()) {
            return otherwise;
        }
        try {
            return Quantity.millis(timeout.asText());
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, "/workflows/" + name + "/timeout", e.getMessage());
            return otherwise;
        }
    }
}
