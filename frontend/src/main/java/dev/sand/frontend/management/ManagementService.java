package dev.sand.frontend.management;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys the management application as any other, from the folder that came with the program, and lets it do operations once every one
 * of its grains answers, and every host lets them: a broken one never takes the place of one that works. Tried again until it is so.
 * Each frontend does it at its start: the same files are the same version, whoever comes first, and of different ones those of the
 * frontend that was started last do operations.
 */
public final class ManagementService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementService.class);
    /** The newest version, whatever its grains are like. */
    private static final String NEXT = "next";
    private static final long AGAIN_S = 10;
    /** What is deployed and not ready: whether it is by now takes no more than a call of each grain. */
    private static final long MOST_AGAIN_S = 60;
    /** What cannot be installed today is not tried to be each few seconds. */
    private static final long MOST_AGAIN_UNBUILT_S = 600;
    private static final long NO_HOST_S = 1;
    private static final String NO_HOST = "no host takes work yet";
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

    /** What does operations now; empty: nothing does. */
    public Optional<ApplicationVersion> serving() {
        return serving(registry);
    }

    private static Optional<ApplicationVersion> serving(Registry registry) {
        return registry.resolve(Names.MANAGEMENT, ManagementPlane.ALIAS);
    }

    /** A frontend that does without says so where others do not: what callers get depends on which they come to. */
    public static void warnWithout(Registry registry) {
        serving(registry).ifPresent(version -> LOG.warn("this frontend was started with --management off, and version {} of {} does operations"
                + " where others were not: here accounts and keys are not changed", version.version(), Names.MANAGEMENT));
    }

    /** Why what is in the folder does not do operations, or null: it does. */
    public String trouble() {
        return trouble;
    }

    public Map<String, ManagementPlane.GrainHealth> health() {
        return plane.health();
    }

    private void attempt() {
        boolean built = false;
        try {
            if (!plane.hosts().isThere()) { // as long as it takes: hosts may be started after their frontends
                trouble = NO_HOST;
                again(NO_HOST_S);
                return;
            }
            ApplicationVersion version = deployer.deploySystem(Names.MANAGEMENT, NEXT, folder, line -> LOG.debug("management: {}", line)).version();
            built = true;
            takeOver(version);
            trouble = null;
        } catch (Exception e) { // whatever it is, the platform goes on without it, and says so
            String why = e instanceof ProblemException refused ? refused.problem().detail() : e.toString();
            if (!why.equals(trouble)) {
                LOG.warn("the management application does not do operations, and is tried again in {} s: {}", againS, why);
            }
            trouble = why;
            again(againS);
            againS = Math.min(2 * againS, built ? MOST_AGAIN_S : MOST_AGAIN_UNBUILT_S);
        }
    }

    private void again(long inS) {
        if (!thread.isShutdown()) {
            thread.schedule(this::attempt, inS, TimeUnit.SECONDS);
        }
    }

    private void takeOver(ApplicationVersion version) {
        Map<String, Set<String>> broken = plane.hosts().notReady(version, plane::ready);
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
