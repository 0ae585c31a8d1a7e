package dev.sand.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sand.event.ControlPort;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.frontend.deployment.Folders;
import dev.sand.hostagent.sandbox.ApplicationFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which applications may control the platform, as the operator says: {@code applications: {name: {bundle, grains: {grain: [operation]}}}}.
 * {@code bundle} is the content address of its files, or {@code shipped}: the folder that {@code --management} names.
 */
final class CapabilitiesFile {
    private static final String SHIPPED = "shipped";
    private static final String ADDRESS = "[0-9a-f]{64}";
    private static final long MOST_BYTES = 64 << 20;
    private static final int MOST_ENTRIES = 10_000;

    private CapabilitiesFile() {}

    /** @param vouched where parts of a cluster tell each other what was shipped with them; @throws IllegalArgumentException with one sentence */
    static Capabilities read(ManagementOptions options, VouchedCapabilities vouched) throws IOException {
        if (options.none()) {
            return Capabilities.NONE;
        }
        String name = options.capabilities() == null ? "capabilities.yaml" : options.capabilities().toString();
        try (InputStream in = options.capabilities() == null ? CapabilitiesFile.class.getResourceAsStream("/capabilities.yaml")
                : Files.newInputStream(options.capabilities())) {
            String shipped = options.isOn() ? shipped(options.folder()) : null;
            return of(new YAMLMapper().readTree(in), shipped, vouched);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("--capabilities: " + name + ": " + e.getMessage());
        }
    }

    /** As of what is deployed of it. */
    private static String shipped(Path folder) throws IOException {
        Path copy = Files.createTempDirectory("sand-management");
        try {
            Folders.copy(folder, copy, MOST_BYTES, MOST_ENTRIES);
            return ApplicationFiles.address(copy);
        } finally {
            Folders.delete(copy);
        }
    }

    private static Capabilities of(JsonNode file, String shipped, VouchedCapabilities vouched) {
        only(file, Set.of("applications"));
        Map<String, Capabilities.Application> byName = new HashMap<>();
        file.path("applications").properties().forEach(application -> {
            only(application.getValue(), Set.of("bundle", "grains"));
            String bundle = application.getValue().path("bundle").asText("");
            if (!bundle.equals(SHIPPED) && !bundle.matches(ADDRESS)) {
                throw new IllegalArgumentException("the bundle of " + application.getKey() + " is the content address of its files, or "
                        + SHIPPED);
            }
            Map<String, Set<String>> grains = new HashMap<>();
            application.getValue().path("grains").properties().forEach(grain -> {
                Set<String> operations = new TreeSet<>();
                grain.getValue().forEach(operation -> operations.add(operation.asText()));
                grains.put(grain.getKey(), operations);
            });
            if (!bundle.equals(SHIPPED)) {
                byName.put(application.getKey(), new Capabilities.Application(bundle, grains));
            } else if (shipped != null) {
                Capabilities.Application capability = new Capabilities.Application(shipped, grains);
                byName.put(application.getKey(), capability);
                vouched.vouch(application.getKey(), capability);
            }
        });
        return new Capabilities(byName, vouched::of);
    }

    private static void only(JsonNode node, Set<String> names) {
        node.fieldNames().forEachRemaining(name -> {
            if (!names.contains(name)) {
                throw new IllegalArgumentException("there is no '" + name + "', but " + String.join(", ", new TreeSet<>(names)));
            }
        });
    }

    /** @throws IllegalArgumentException when it names an operation that there is not: whoever wrote it meant another */
    static void check(Capabilities capabilities, ControlPort operations) {
        capabilities.byName().forEach((application, capability) -> capability.grains().forEach((grain, allowed) -> allowed.forEach(id -> {
            if (operations.operation(id).isEmpty()) {
                throw new IllegalArgumentException("--capabilities: grain " + grain + " of " + application + " is given " + id
                        + ", which is no operation that a grain can call");
            }
        })));
    }
}
