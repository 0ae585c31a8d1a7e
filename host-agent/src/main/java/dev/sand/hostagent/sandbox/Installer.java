package dev.sand.hostagent.sandbox;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Resolves requirements into {@code dependencies/<hash>} by pip in a build sandbox: from wheels that came with the program where those
 * are what an index would give. Else wheels first: installing one runs no code of
 * it, so all applications may share the download cache. Only where there is no wheel, packages are built from source, under a
 * user of that build alone and without the cache.
 */
final class Installer {
    private static final int OUTPUT_BYTES = 256 * 1024;
    private static final int BUILD_PIDS = 512;
    private static final int SHOWN_BYTES = 4000;
    private static final String WHEELS = "wheels";

    private final SandboxConfiguration configuration;
    private final SandboxEngine engine;
    private final Home home;
    private final PipSettings settings;
    private final BroughtWheels brought;

    /** Where packages come from. */
    private enum Source { BROUGHT, WHEELS, ANYTHING }

    Installer(SandboxConfiguration configuration, SandboxEngine engine, Home home, PipSettings settings) {
        this.configuration = configuration;
        this.engine = engine;
        this.home = home;
        this.settings = settings;
        this.brought = new BroughtWheels(configuration.wheels());
    }

    /** @return the content address of the installed requirements, or null when there are none */
    String install(Requirements requirements, Path staging, Consumer<String> progress) throws IOException, SandboxException {
        if (requirements.isEmpty()) {
            return null;
        }
        List<String> lines = requirements.distinct();
        List<String> address = new ArrayList<>(lines);
        address.add(engine.platform());
        String hash = BundleStore.hash(address);
        Path named = home.dependencies().resolve(hash);
        if (Files.exists(named)) {
            BundleStore.touch(named);
            progress.accept("requirements: " + lines.size() + " as before, installed already");
            return hash;
        }
        progress.accept("requirements: resolving " + String.join(", ", lines));
        Files.write(staging.resolve("requirements.txt"), lines);
        SandboxFolder.readable(staging.resolve("requirements.txt"));
        Path site = staging.resolve("site");
        if (!fromBrought(lines, staging, site, progress)) {
            fromIndex(requirements, staging, site, progress);
        }
        BundleStore.seal(site, engine.ownsFolders());
        BundleStore.commit(site, named);
        return hash;
    }

    private void fromIndex(Requirements requirements, Path staging, Path site, Consumer<String> progress) throws IOException, SandboxException {
        SandboxEngine.TaskResult wheels = pip(staging, site, Source.WHEELS, progress);
        if (!wheels.succeeded() && wheels.killedFor() == null && noWheel(wheels.stderr())) {
            progress.accept("requirements: not all of them are to be had as wheels; building from source");
            LinkedTrees.delete(site);
            wheels = pip(staging, site, Source.ANYTHING, progress);
        }
        if (!wheels.succeeded()) {
            throw failed(requirements, wheels);
        }
    }

    /** @return false: they did not come along, or not for this Python */
    private boolean fromBrought(List<String> lines, Path staging, Path site, Consumer<String> progress) throws IOException, SandboxException {
        List<Path> wheels = brought.of(lines);
        if (wheels.isEmpty()) {
            return false;
        }
        // Copied: where sandboxes are started beside this program's own container, they see nothing of its files but the home.
        Path folder = Files.createDirectory(staging.resolve(WHEELS));
        SandboxFolder.readable(folder);
        for (Path wheel : wheels) {
            SandboxFolder.readable(Files.copy(wheel, folder.resolve(wheel.getFileName())));
        }
        progress.accept("requirements: from wheels that came with the platform");
        boolean installed = pip(staging, site, Source.BROUGHT, progress).succeeded();
        if (!installed) {
            progress.accept("requirements: those wheels do not do; asking the index");
            LinkedTrees.delete(site);
        }
        return installed;
    }

    private SandboxEngine.TaskResult pip(Path staging, Path site, Source source, Consumer<String> progress)
            throws IOException, SandboxException {
        boolean wheelsOnly = source != Source.ANYTHING;
        int uid = wheelsOnly ? engine.installerUid() : engine.nextUid();
        Path temporary = staging.resolve("tmp-" + source.name().toLowerCase(Locale.ROOT));
        List<SandboxEngine.Mount> mounts = new ArrayList<>();
        mounts.add(new SandboxEngine.Mount(staging, false));
        for (Path writable : List.of(site, temporary)) {
            mounts.add(SandboxFolder.writable(writable, uid, engine.ownsFolders()));
        }
        List<String> command = new ArrayList<>(List.of("python3", "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
                "--no-warn-script-location", "--progress-bar", "off", "--target", site.toString(), "-r", staging + "/requirements.txt"));
        if (wheelsOnly) {
            command.addAll(List.of("--only-binary", ":all:"));
        }
        if (source == Source.WHEELS) {
            mounts.add(SandboxFolder.writable(home.pipCache(), uid, engine.ownsFolders()));
            command.addAll(List.of("--cache-dir", home.pipCache().toString()));
        } else {
            command.add("--no-cache-dir");
        }
        Map<String, String> environment = new HashMap<>();
        if (source == Source.BROUGHT) {
            command.addAll(List.of("--no-index", "--find-links", staging.resolve(WHEELS).toString()));
        } else {
            settings.files().forEach(file -> mounts.add(new SandboxEngine.Mount(file, false)));
            environment.putAll(settings.environment());
        }
        environment.putAll(Map.of("PIP_CONFIG_FILE", "/dev/null", "TMPDIR", temporary.toString(), "HOME", temporary.toString()));
        SandboxSpec limits = new SandboxSpec(configuration.buildMemoryBytes(), 0, BUILD_PIDS, true, List.of(), 0);
        String network = source == Source.BROUGHT ? null : settings.needsHostNetwork() ? "host" : configuration.buildNetwork();
        return engine.run(new SandboxEngine.Task("requirements", uid, command, environment, mounts, limits, network,
                configuration.buildTimeout(), OUTPUT_BYTES), line -> progress.accept("pip: " + line));
    }

    private static boolean noWheel(String stderr) {
        return !stderr.contains("ResolutionImpossible") && !stderr.contains("Double requirement") && !unreachable(stderr);
    }

    private static boolean unreachable(String stderr) {
        return Stream.of("Failed to establish a new connection", "Temporary failure in name resolution", "Read timed out",
                "ConnectTimeoutError", "ProxyError", "Connection refused").anyMatch(stderr::contains);
    }

    private static BuildException failed(Requirements requirements, SandboxEngine.TaskResult result) {
        String said = result.stderr().isBlank() ? result.stdout() : result.stderr();
        String shown = said.length() > SHOWN_BYTES ? "…" + said.substring(said.length() - SHOWN_BYTES) : said;
        if (result.killedFor() != null) {
            return failure("resolving the requirements was ended: " + result.killedFor(), false, shown);
        }
        if (unreachable(said)) {
            return failure("resolving the requirements failed: the package index cannot be reached", true, shown);
        }
        String errors = String.join(" ", said.lines().filter(line -> line.startsWith("ERROR: ")).map(line -> line.substring("ERROR: ".length())).toList());
        String who = requirements.mentionedIn(said);
        return failure("the requirements cannot be installed together in one sandbox: " + (errors.isEmpty() ? "pip failed" : errors)
                + (who.isEmpty() ? "" : " (" + who + ")"), false, shown);
    }

    private static BuildException failure(String cause, boolean platform, String shown) {
        return new BuildException(new Failure(platform ? Errors.UNAVAILABLE : Errors.BAD_REQUEST, cause,
                platform ? Failure.Source.PLATFORM : Failure.Source.CALLER, platform, shown, Map.of()));
    }

    /** What was installed, as {@code name==version}. */
    List<String> installed(String hash) throws IOException {
        if (hash == null) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(home.dependencies().resolve(hash))) {
            return entries.map(path -> path.getFileName().toString()).filter(name -> name.endsWith(".dist-info"))
                    .map(name -> name.substring(0, name.length() - ".dist-info".length()).replaceFirst("-(?=[0-9])", "==")).sorted().toList();
        }
    }
}
