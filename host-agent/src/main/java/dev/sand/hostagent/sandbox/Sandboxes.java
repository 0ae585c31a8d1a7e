package dev.sand.hostagent.sandbox;

import dev.sand.datalayer.BundleArchive;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens what this host makes sandboxes with: Docker where an engine answers, else plain processes with a warning. What an
 * earlier run of this host left behind is gone when {@link #open} returns. Called by the host agent's wiring.
 */
public record Sandboxes(SandboxRuntime runtime, ApplicationBuilder builder) {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);

    /** For a platform of this host alone. */
    public static Sandboxes open(SandboxConfiguration configuration, Home home, SandboxSockets sockets) throws SandboxException {
        return open(configuration, home, sockets, null);
    }

    /**
     * @param sockets the shards' side
     * @param archive where hosts share what they build; null: there is only this one
     * @throws SandboxException when the kind that was asked for cannot be had
     */
    public static Sandboxes open(SandboxConfiguration configuration, Home home, SandboxSockets sockets, BundleArchive archive)
            throws SandboxException {
        home.prepare();
        SandboxEngine engine = engine(configuration, home);
        LinkedTrees trees = new LinkedTrees(home);
        SharedTrees shared = new SharedTrees(home, archive, engine.ownsFolders());
        SandboxFolder folder = new SandboxFolder(home, trees, shared, sockets);
        engine.removeOrphans();
        folder.removeAll();
        return new Sandboxes(new SandboxPool(configuration, engine, folder),
                new SandboxBuilder(configuration, engine, home, trees, shared, PipSettings.ofThisHost()));
    }

    /**
     * The same, where each build also removes files of versions that are gone.
     *
     * @param named content addresses that some version has; blocks
     */
    public Sandboxes collecting(Home home, Supplier<Set<String>> named) {
        UnusedTrees unused = new UnusedTrees(home, named);
        unused.remove(UnusedTrees.YOUNG);
        return new Sandboxes(runtime, (request, progress) -> builder.build(request, progress).whenComplete((built, failure) ->
                Thread.ofVirtual().start(() -> unused.remove(UnusedTrees.YOUNG))));
    }

    private static SandboxEngine engine(SandboxConfiguration configuration, Home home) throws SandboxException {
        if (configuration.kind() == SandboxConfiguration.Kind.PROCESS) {
            return new ProcessSandboxes(configuration, home);
        }
        try {
            return new DockerSandboxes(configuration, home);
        } catch (SandboxException e) {
            if (configuration.kind() == SandboxConfiguration.Kind.DOCKER) {
                throw e;
            }
            LOG.warn("{}", e.getMessage());
            return new ProcessSandboxes(configuration, home);
        }
    }
}
