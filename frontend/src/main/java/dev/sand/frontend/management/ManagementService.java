package dev.sand.frontend.management;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys the management application as any other, from the folder that came with the program, and lets it do operations once every one
 * of its grains answers: a broken one never takes the place of one that works. Tried again until it is so.
 */
public final class ManagementService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementService.class);
    /** The newest version, whatever its grains are like. */
    private static final String NEXT = "next";
    private static final long AGAIN_S = 10;
    /** What cannot be installed today is not tried to be each few seconds. */
    private static final long MOST_AGAIN_S = 600;
    private final Path folder;
    private final Deployer deployer;
    private final Registry registry;
    private final Directory directory;
    private final ManagementPlane plane;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("management").factory());
    private long againS = AGAIN_S;
    private volatile String trouble = "it is being deployed";

    public ManagementService(Path folder, Deployer deployer, Registry registry, Directory directory, ManagementPlane plane) {
        this.folder = folder;
        this.deployer = deployer;
        this.registry = registry;
        this.directory = directory;
        this.plane = plane;
    }

    public void start() {
        thread.execute(this::attempt);
    }

    /** What does operations now, and null: nothing does. */
    public Optional<ApplicationVersion> serving() {
        return registry.resolve(Names.MANAGEMENT, ManagementPlane.ALIAS);
    }

    /** Why what is in the folder does not do operations, or null: it does. */
    public String trouble() {
        return trouble;
    }

    public Map<String, ManagementPlane.GrainHealth> health() {
        return plane.health();
    }

    private void attempt() {
        try {
            deploy();
            trouble = null;
        } catch (Exception e) { // whatever it is, the platform goes on without it, and says so
            String why = e instanceof ProblemException refused ? refused.problem().detail() : e.toString();
            if (!why.equals(trouble)) {
                LOG.warn("the management application cannot be deployed, and is tried again in {} s: {}", againS, why);
            }
            trouble = why;
            if (!thread.isShutdown()) {
                thread.schedule(this::attempt, againS, TimeUnit.SECONDS);
                againS = Math.min(2 * againS, MOST_AGAIN_S);
            }
        }
    }

    private void deploy() throws IOException {
        ApplicationVersion version = deployer.deploySystem(Names.MANAGEMENT, NEXT, folder, line -> LOG.debug("management: {}", line)).version();
        Map<String, Set<String>> broken = new LinkedHashMap<>(); // by why
        for (String grain : version.grains().keySet()) {
            String why = plane.ready(version, grain);
            if (why != null) {
                broken.computeIfAbsent(why, _ -> new TreeSet<>()).add(grain);
            }
        }
        if (!broken.isEmpty()) {
            throw new IllegalStateException("version " + version.version() + " is not ready: "
                    + broken.entrySet().stream().map(each -> String.join(", ", each.getValue()) + ": " + each.getKey())
                            .collect(Collectors.joining("; ")));
        }
        Map<String, Integer> aliases = registry.aliases(Names.MANAGEMENT);
        for (String alias : List.of(ManagementPlane.ALIAS, Registry.LIVE)) { // triggers fire what is live
            if (!Integer.valueOf(version.version()).equals(aliases.get(alias))) {
                deployer.alone(Names.MANAGEMENT, () -> deployer.moveAlias(Names.MANAGEMENT, alias, version.version()));
            }
        }
        directory.forget(Names.MANAGEMENT);
        LOG.info("management: version {} of {} does operations, {} grains", version.version(), Names.MANAGEMENT, version.grains().size());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
