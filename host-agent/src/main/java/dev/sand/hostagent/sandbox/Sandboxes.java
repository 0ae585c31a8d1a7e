package dev.sand.hostagent.sandbox;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens what this host makes sandboxes with: Docker where an engine answers, else plain processes with a warning. What an
 * earlier run of this host left behind is gone when {@link #open} returns. Called by the host agent's wiring.
 */
public record Sandboxes(SandboxRuntime runtime, ApplicationBuilder builder) {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);

    /**
     * @param sockets the shards' side
     * @throws SandboxException when the kind that was asked for cannot be had
     */
    public static Sandboxes open(SandboxConfiguration configuration, Home home, SandboxSockets sockets) throws SandboxException {
        home.prepare();
        SandboxEngine engine = engine(configuration, home);
        LinkedTrees trees = new LinkedTrees(home);
        SandboxFolder folder = new SandboxFolder(home, trees, sockets);
        engine.removeOrphans();
        folder.removeAll();
        return new Sandboxes(new SandboxPool(configuration, engine, folder),
                new SandboxBuilder(configuration, engine, home, trees, PipSettings.ofThisHost()));
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
