package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.Registry.Deletions;
import dev.sand.event.ApplicationName;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.Limits;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.access.Quotas;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import dev.sand.globalbus.Queues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Makes version N+1 of an application from its folder: read and check, build in a sandbox, register, move the alias. The
 * same content again is the same version. Blocks; one deployment of an application at a time at this frontend, and a few in all.
 * When it returns, every frontend serves the new version. Other frontends may deploy it too: numbers, contents and aliases are compared and set, so that it is as if one had come after
 * the other, in the order of their numbers.
 */
public final class Deployer {
    private static final long STATUS_MS = 3_000;
    /** Places for deployments that one tenant's do not take. */
    private static final int OF_OTHERS = 2;
    /** Whose the platform's own application is, where places are counted. */
    private static final String NOBODYS = "";
    private final Registry registry;
    private final Contents contents;
    private final HostAgentPort host;
    private final ApplicationTopics topics;
    private final Directory directory;
    private final Bundles bundles;
    private final FrontendConfiguration configuration;
    private final Places room;
    /** Of their own: whoever looks at what he types deploys nothing yet, and holds up nobody who does. */
    private final Places previews;
    private final Retention retention;
    private final Queues queues;
    private final Quotas quotas;
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    /** @param created false: this content was deployed before, as that version */
    public record Deployed(ApplicationVersion version, String alias, boolean created, List<String> resolved) {}

    public Deployer(Registry registry, GlobalStore store, HostAgentPort host, ApplicationTopics topics, Queues queues,
                    Directory directory, Bundles bundles, FrontendConfiguration configuration, InvocationStore records, Quotas quotas)
            throws IOException {
        this.queues = queues;
        this.quotas = quotas;
        this.contents = new Contents(store, registry);
        this.retention = new Retention(registry, records, contents);
        this.registry = registry;
        this.host = host;
        this.topics = topics;
        this.directory = directory;
        this.bundles = bundles;
        this.configuration = configuration;
        this.room = new Places(configuration.deployments() + OF_OTHERS, configuration.deployments());
        this.previews = new Places(configuration.deployments() + OF_OTHERS, configuration.deployments());
        Folders.delete(configuration.work());
        Files.createDirectories(configuration.work());
        // What is uploaded is nobody's to read before it is an application.
        Files.setPosixFilePermissions(configuration.work(), PosixFilePermissions.fromString("rwx------"));
    }

    /** Puts an upload into the empty folder given, and says where sand.yaml is in it. */
    public interface Upload {
        Unpacked unpack(Path work) throws IOException;
    }

    /** @param base the version that it was made of, which its alias must name still when it moves; 0: whichever */
    public record Unpacked(Path folder, int base) {
        Unpacked(Path folder) {
            this(folder, 0);
        }
    }

    /** @param tenant whose it is to be; @param application the full name that the caller expects, or null; @throws ProblemException */
    public Deployed deploy(String tenant, String application, String alias, Upload upload, Consumer<String> progress) throws IOException {
        return in(room, tenant, work -> deploy(tenant, application, alias, upload.unpack(work), progress));
    }

    /** The platform's own application, under the name that nobody else can give. */
    public Deployed deploySystem(String name, String alias, Path folder, Consumer<String> progress) throws IOException {
        return in(room, NOBODYS, work -> deploy(read(ApplicationName.DEFAULT_TENANT, null, copy(folder, work).folder()).as(name), alias, 0, progress));
    }

    /** What that deployment would change, checked as it would be, but not built. */
    public ObjectNode preview(String tenant, String application, String alias, Upload upload) throws IOException {
        return in(previews, tenant, work -> {
            ApplicationFolder folder = read(tenant, application, upload.unpack(work).folder());
            Integer same = contents.version(folder.name(), Folders.digest(folder.folder())).map(ApplicationVersion::version).orElse(null);
            ApplicationVersion before = registry.resolve(folder.name(), alias).orElse(null);
            return Preview.of(folder, before, before == null ? null : bundles.folder(before.bundle()), same);
        });
    }

    private interface Work<T> {
        T in(Path folder) throws IOException;
    }

    private <T> T in(Places room, String tenant, Work<T> work) throws IOException {
        if (!room.tryTake(tenant)) {
            throw room.refusal("deployments").asException();
        }
        try {
            Path folder = Files.createTempDirectory(configuration.work(), "d");
            try {
                return work.in(folder);
            } finally {
                Folders.delete(folder);
            }
        } finally {
            room.leave(tenant);
        }
    }

    /** The files of the version that the alias names, edited. @throws ProblemException 409 when it is another by now */
    public Unpacked edited(String application, String alias, Edits edits, Path work) throws IOException {
        ApplicationVersion base = directory.load(application, alias);
        if (base.version() != edits.base()) {
            throw changedMeanwhile(application, alias, edits.base(), base.version());
        }
        copy(bundles.folder(base.bundle()), work);
        Lending.takeOut(work);
        edits.applyTo(work);
        return new Unpacked(work, base.version());
    }

    private static ProblemException changedMeanwhile(String application, String alias, int base, int actual) {
        return Problem.caller(409, "changed-meanwhile", "Somebody else was first", "Version " + base + " was edited, but " + alias
                + (actual == 0 ? " is no version" : " is version " + actual) + " of application '" + application + "' by now.")
                .with("actual", actual).asException();
    }

    /** The same checks as an archive's, for a folder on this machine. */
    public Unpacked copy(Path folder, Path work) throws IOException {
        Folders.copy(folder, work, configuration.unpackedBytes(), configuration.entries());
        return new Unpacked(work);
    }

    public Unpacked unpack(Path zip, Path work) throws IOException {
        return new Unpacked(new Archive(configuration.unpackedBytes(), configuration.entries()).unpack(zip, work));
    }

    private Deployed deploy(String tenant, String application, String alias, Unpacked unpacked, Consumer<String> progress) throws IOException {
        progress.accept("checking the application folder");
        return deploy(read(tenant, application, unpacked.folder()), alias, unpacked.base(), progress);
    }

    private Deployed deploy(ApplicationFolder read, String alias, int base, Consumer<String> progress) throws IOException {
        if (!busy.add(read.name())) {
            throw Problem.caller(409, "deployment-in-progress", "Another deployment is under way",
                    "Application '" + read.name() + "' is being deployed or deleted; try again when that is done.")
                    .retryLater().asException();
        }
        try {
            return register(read, alias, base, progress);
        } finally {
            busy.remove(read.name());
        }
    }

    private ApplicationFolder read(String tenant, String application, Path folder) throws IOException {
        Lending lending = new Lending(tenant, directory, bundles, configuration.unpackedBytes(), configuration.entries());
        ApplicationFolder read = ApplicationFolder.read(folder, lending);
        read = read.as(ApplicationName.of(tenant, read.name()));
        if (application != null && !application.equals(read.name())) {
            throw Problem.caller(422, "invalid-application", "The application folder is not valid", "It is deployed as '"
                    + application + "', but its sand.yaml has the name '" + read.name() + "'.").asException();
        }
        return read;
    }

    private Deployed register(ApplicationFolder folder, String alias, int base, Consumer<String> progress) throws IOException {
        String name = folder.name();
        String digest = Folders.digest(folder.folder());
        Deletions deletions = notBeingDeleted(name);
        Optional<ApplicationVersion> same = contents.version(name, digest);
        if (same.isPresent()) {
            progress.accept("this content is version " + same.get().version() + " already");
            makeTopics(folder);
            settle(name, replaced(name, alias, base, same.get().version()), same.get().version());
            undoIfDeleted(deletions, same.get());
            return new Deployed(same.get(), alias, false, List.of());
        }
        hasRoom(name);
        BuildResult built = build(folder, progress);
        // A deletion that came and went during the build has done no harm.
        deletions = notBeingDeleted(name);
        makeTopics(folder);
        ApplicationVersion made = put(folder, built);
        registry.keepResolved(name, made.version(), built.resolved());
        if (!folder.description().isEmpty()) {
            registry.keepDescription(name, made.version(), folder.description());
        }
        ApplicationVersion version = contents.first(made, digest);
        if (made != version) {
            progress.accept("this content was deployed elsewhere meanwhile, as version " + version.version());
            registry.deleteVersion(name, made.version());
        }
        warn(folder, progress);
        // Of edits that came too late the version stays, as one that no alias names: another frontend may have taken it for its own.
        int before = base == 0 ? registry.advanceAlias(name, alias, version.version()) : replaced(name, alias, base, version.version());
        directory.forget(name);
        undoIfDeleted(deletions, version);
        if (before > version.version()) {
            progress.accept("version " + before + " was deployed meanwhile, and is " + alias);
        } else {
            directory.awaitSeen();
            retireUnlessNamed(name, before, version.version());
            progress.accept("version " + version.version() + " is " + alias);
        }
        retention.collect(name).forEach(gone -> host.retire(name, gone));
        return new Deployed(version, alias, made == version, built.resolved());
    }

    /** For one that is not there yet. Of two that come at once both may find the last place free. */
    private void hasRoom(String name) {
        String tenant = ApplicationName.tenant(name);
        List<String> there = registry.applications().stream()
                .filter(each -> !Names.isSystem(each) && ApplicationName.tenant(each).equals(tenant)).toList();
        Problem full = there.contains(name) || Names.isSystem(name) ? null : quotas.applications(tenant, there.size(), 1);
        if (full != null) {
            throw full.asException();
        }
    }

    /** @throws ProblemException 409 while it is being deleted, by whichever frontend */
    private Deletions notBeingDeleted(String application) {
        Deletions deletions = registry.deletions(application);
        if (deletions.underWay()) {
            throw Problem.caller(409, "deletion-in-progress", "The application is being deleted", "Application '" + application
                    + "' is being deleted, or its deletion was cut short; delete it again, or try again when that is done.")
                    .retryLater().asException();
        }
        return deletions;
    }

    /** Its topics may be gone with the application's. @throws ProblemException 409 */
    private void undoIfDeleted(Deletions before, ApplicationVersion version) {
        String application = version.application();
        if (!registry.deletions(application).equals(before)) {
            registry.withdraw(application, version.version());
            directory.forget(application);
            throw Problem.caller(409, "deletion-in-progress", "The application was deleted meanwhile", "Application '" + application
                    + "' was deleted while it was being deployed; deploy it again.").retryLater().asException();
        }
    }

    private void makeTopics(ApplicationFolder folder) {
        topics.make(folder.name(), folder.grains().keySet());
        folder.queues().keySet().forEach(queue -> queues.create(folder.name(), queue));
        folder.triggers().keySet().forEach(trigger -> queues.create(folder.name(), trigger));
    }

    private void warn(ApplicationFolder folder, Consumer<String> progress) {
        if (folder.placements().isEmpty()) {
            return;
        }
        try {
            PlacementReader.unmet(folder.placements(), host.status().get(STATUS_MS, TimeUnit.MILLISECONDS))
                    .forEach(unmet -> progress.accept("warning: " + unmet));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            progress.accept("warning: it is not known which hosts there are, so placement was not looked at: " + e.getMessage());
        }
    }

    private BuildResult build(ApplicationFolder folder, Consumer<String> progress) {
        progress.accept("building: resolving requirements, importing " + folder.grains().size() + " grains");
        try {
            return host.build(new BuildRequest(folder.name(), folder.folder(), folder.sandbox(), folder.grains()), progress)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof BuildException failed) {
                Problem problem = Problems.of(failed.failure(), null);
                // The files are the caller's, whatever it is in them that does not work.
                boolean platform = failed.failure().source() == Failure.Source.PLATFORM;
                throw new Problem(problem.name(), problem.title(), platform ? problem.status() : 422, problem.detail(),
                        problem.source(), problem.retryable(), problem.extensions()).asException();
            }
            throw e;
        }
    }

    private ApplicationVersion put(ApplicationFolder folder, BuildResult built) {
        return registry.publish(folder.name(), number -> new ApplicationVersion(Limits.SCHEMA_VERSION, folder.name(), number,
                built.bundle(), built.dependencies(), folder.sandbox(), folder.grains(), folder.workflows(), folder.routes(),
                folder.placements(), folder.durability(), System.currentTimeMillis(), folder.queues(), folder.triggers(), folder.processes()));
    }

    /**
     * Executions in flight end on the version they began with; a version that no alias names any more is retired. When it returns,
     * every frontend serves the one that the alias names now.
     */
    public void moveAlias(String application, String alias, int version) {
        settle(application, registry.setAlias(application, alias, version), version);
    }

    /** @return the version that the alias named before, 0: none; @throws ProblemException 409 when it is not the base any more */
    private int replaced(String application, String alias, int base, int version) {
        int before = base == 0 ? registry.setAlias(application, alias, version)
                : registry.replaceAlias(application, alias, base, version);
        if (base != 0 && before != base && before != version) {
            throw changedMeanwhile(application, alias, base, before);
        }
        return before;
    }

    private void settle(String application, int left, int version) {
        directory.forget(application);
        directory.awaitSeen();
        retireUnlessNamed(application, left, version);
    }

    private void retireUnlessNamed(String application, int left, int version) {
        if (left != 0 && left != version && !registry.aliases(application).containsValue(left)) {
            host.retire(application, left);
        }
    }

    /** Runs an operation that no deployment of the application may cross. */
    public void alone(String application, Runnable operation) {
        if (!busy.add(application)) {
            throw Problem.caller(409, "deployment-in-progress", "A deployment is under way", "Application '" + application
                    + "' is being deployed or deleted; try again when that is done.").retryLater().asException();
        }
        try {
            operation.run();
        } finally {
            busy.remove(application);
        }
    }

    /** What whoever deployed is told. */
    public static Map<String, Object> summary(Deployed deployed) {
        ApplicationVersion version = deployed.version();
        return Map.of("application", version.application(), "version", version.version(), "alias", deployed.alias(),
                "created", deployed.created(), "grains", version.grains().keySet(), "workflows", version.workflows().keySet(),
                "routes", version.routes().stream().map(route -> route.method() + " " + route.path()).toList(),
                "resolved", deployed.resolved());
    }
}
