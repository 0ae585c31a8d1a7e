package dev.sand.hostagent.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Imports every grain once, in a sandbox with the application's limits and without a network, by {@code sand.check}. */
final class ImportCheck {
    private static final int IMPORT_SECONDS = 60;
    private static final int OUTPUT_BYTES = 4 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SandboxConfiguration configuration;
    private final SandboxEngine engine;

    ImportCheck(SandboxConfiguration configuration, SandboxEngine engine) {
        this.configuration = configuration;
        this.engine = engine;
    }

    /** All that an import can depend on, for knowing that the same was checked before. */
    String address(BuildRequest request, String bundle, String dependencies) {
        List<String> parts = new ArrayList<>(List.of(bundle, String.valueOf(dependencies), engine.platform(),
                request.sandbox().preload().toString(), Long.toString(request.sandbox().memoryBytes())));
        new TreeMap<>(request.grains()).forEach((name, grain) -> parts.add(name + " " + grain.entry() + " " + new TreeMap<>(grain.environment())));
        return BundleStore.hash(parts);
    }

    /**
     * @param staging has {@code app/} as a sandbox will have it; byte code is left below {@code pyc/}
     * @throws BuildException for the first grain that does not import
     */
    void run(BuildRequest request, Path staging, Consumer<String> progress) throws IOException, SandboxException {
        Path app = staging.resolve("app");
        int uid = engine.nextUid();
        Path bytecode = staging.resolve("pyc");
        List<SandboxEngine.Mount> mounts = List.of(new SandboxEngine.Mount(staging, false),
                SandboxFolder.writable(bytecode, uid, engine.ownsFolders()));
        Path file = staging.resolve("check.json");
        JSON.writeValue(file.toFile(), question(request, app, bytecode));
        SandboxFolder.readable(file);
        SandboxSpec limits = request.sandbox();
        SandboxEngine.TaskResult result = engine.run(new SandboxEngine.Task("check", uid,
                List.of("python3", "-m", "sand.check", file.toString()),
                Map.of(), mounts, limits, null,
                configuration.buildTimeout(), OUTPUT_BYTES), line -> {});
        int answered = 0;
        for (String line : result.stdout().lines().toList()) {
            JsonNode answer = parse(line);
            answered++;
            if (answer.has("error")) {
                throw failed(answer, app);
            }
            if (answer.has("grain")) {
                progress.accept("grain " + answer.get("grain").asText() + ": imports");
            }
        }
        if (!result.succeeded() || answered < request.grains().size() + request.sandbox().preload().size()) {
            String how = result.killedFor() != null ? result.killedFor() : "it ended with exit code " + result.exitCode();
            throw new BuildException(Failure.grain(Errors.IMPORT_FAILED, "the import check did not end well: " + how, result.stderr()));
        }
    }

    private static Map<String, Object> question(BuildRequest request, Path app, Path bytecode) {
        List<Map<String, Object>> grains = new ArrayList<>();
        for (GrainSpec grain : new TreeMap<>(request.grains()).values()) {
            grains.add(Map.of("grain", grain.name(), "entry", grain.entry(), "path", ApplicationFiles.path(app, grain.name()),
                    "environment", grain.environment()));
        }
        return Map.of("grains", grains, "preload", request.sandbox().preload(), "path", ApplicationFiles.path(app),
                "compile", app.toString(), "bytecode", bytecode.toString(), "importSeconds", IMPORT_SECONDS);
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("sand.check wrote what is not an answer: " + line, e);
        }
    }

    /** Paths as the developer knows them: below the application's folder. */
    private static BuildException failed(JsonNode answer, Path app) {
        String who = answer.has("grain") ? "grain " + answer.get("grain").asText() : "preload: module " + answer.get("preload").asText();
        String cause = answer.get("cause").asText().replace(app + "/", "");
        String trace = answer.hasNonNull("stackTrace") ? answer.get("stackTrace").asText().replace(app + "/", "") : null;
        return new BuildException(Failure.grain(Errors.IMPORT_FAILED, who + " does not import: " + cause, trace));
    }
}
