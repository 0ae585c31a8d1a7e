package dev.sand.hostagent.sandbox;

import dev.sand.datalayer.StoreException;
import dev.sand.event.FullDisk;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.LeftOut;
import dev.sand.event.LogFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Application folder to bundle and dependencies: copy and address the files, resolve requirements, import every grain, and only
 * then give the results their names. All of it is cached by content, so that deploying the same again takes milliseconds.
 */
final class SandboxBuilder implements ApplicationBuilder {
    private static final int AT_ONCE = 2;
    private static final Logger LOG = LoggerFactory.getLogger(SandboxBuilder.class);

    private final Home home;
    private final SandboxEngine engine;
    private final LinkedTrees trees;
    private final SharedTrees shared;
    private final Installer installer;
    private final ImportCheck check;
    private final ExecutorService builds = Executors.newFixedThreadPool(AT_ONCE, Thread.ofPlatform().daemon().name("build-", 0).factory());

    SandboxBuilder(SandboxConfiguration configuration, SandboxEngine engine, Home home, LinkedTrees trees,
            SharedTrees shared, PipSettings pip) {
        this.home = home;
        this.engine = engine;
        this.trees = trees;
        this.shared = shared;
        this.installer = new Installer(configuration, engine, home, pip);
        this.check = new ImportCheck(configuration, engine);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return CompletableFuture.supplyAsync(() -> {
            Path staging = home.staging().resolve(SandboxIds.next());
            try {
                Files.createDirectories(staging);
                SandboxFolder.readable(staging);
                return build(request, staging, progress);
            } catch (IOException e) {
                throw new BuildException(FullDisk.failure("the files of " + request.application() + " cannot be stored: " + e, FullDisk.is(e)));
            } catch (StoreException e) {
                throw new BuildException(FullDisk.failure(e.getMessage(), e.kind() == StoreException.Kind.FULL));
            } catch (SandboxException e) {
                throw new BuildException(FullDisk.failure(e.getMessage(), FullDisk.is(e)));
            } finally {
                LinkedTrees.delete(staging);
            }
        }, builds);
    }

    private BuildResult build(BuildRequest request, Path staging, Consumer<String> progress) throws IOException, SandboxException {
        Path app = staging.resolve("app");
        String bundle = BundleStore.stage(request.source(), app);
        String dependencies = installer.install(Requirements.of(app, request.grains().keySet()), staging, progress);
        Path checked = home.checks().resolve(check.address(request, bundle, dependencies));
        Path named = home.bundles().resolve(bundle);
        if (Files.exists(checked) && Files.exists(named)) {
            BundleStore.touch(named);
            progress.accept("grains: as before, import already");
        } else {
            BundleStore.seal(app, engine.ownsFolders());
            Path linked = app.resolve(LeftOut.DEPENDENCIES);
            if (dependencies != null) {
                LinkedTrees.link(home.dependencies().resolve(dependencies), linked);
            }
            check.run(request, staging, progress);
            LinkedTrees.delete(linked);
            takeBytecode(staging.resolve("pyc"), app);
            BundleStore.seal(app, engine.ownsFolders());
            BundleStore.commit(app, named);
            Files.write(checked, List.of(request.application()));
        }
        trees.prepare(named);
        if (dependencies != null) {
            trees.prepare(home.dependencies().resolve(dependencies));
        }
        shared.share(bundle, dependencies);
        LOG.atInfo().addKeyValue(LogFields.APPLICATION, request.application())
                .log("built {}: bundle {}, dependencies {}", request.application(), bundle, dependencies);
        return new BuildResult(bundle, dependencies, installer.installed(dependencies));
    }

    /** Python wrote {@code pyc/<path of app>/m.cpython-311.pyc}; it looks for {@code app/__pycache__/m.cpython-311.pyc}. */
    private static void takeBytecode(Path bytecode, Path app) throws IOException {
        Path root = bytecode.resolve(app.getRoot().relativize(app));
        if (Files.notExists(root)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> found = Files.walk(root)) {
            files = found.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && file.getFileName().toString().endsWith(".pyc")).toList();
        }
        for (Path file : files) {
            Path folder = app.resolve(root.relativize(file).toString()).getParent();
            if (Files.isDirectory(folder) && !root.relativize(file).startsWith(LeftOut.DEPENDENCIES)) {
                Path cache = Files.createDirectories(folder.resolve("__pycache__"));
                Files.move(file, cache.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
