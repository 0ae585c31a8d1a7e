package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Info;
import dev.sand.event.LogFields;
import dev.sand.event.SandboxSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes as Docker containers (DESIGN, decision 8). A container of ours carries our host's name and home as labels; one that
 * carries them and is not known here is an orphan. {@code known -> running -> removed}: a name is known before its container
 * is created, so that the search for orphans never takes a new one.
 */
final class DockerSandboxes implements SandboxEngine {
    static final String HOST = "dev.sand.host";
    static final String HOME = "dev.sand.home";
    static final String SANDBOX = "dev.sand.sandbox";
    static final String APPLICATION = "dev.sand.application";
    static final String VERSION = "dev.sand.version";
    private static final Logger LOG = LoggerFactory.getLogger(DockerSandboxes.class);

    private static final long KILLED = 137;

    private enum State { KNOWN, RUNNING }

    private final SandboxConfiguration configuration;
    private final Map<String, String> ours;
    private final boolean root;
    private final int ownUid;
    private final boolean mapped;
    private final UserIds uids;
    private final DockerImages images;
    private final DockerCalls docker;
    private final DockerNetwork network;
    private final int cores;
    private final DockerEvents events;
    private final Map<String, State> known = new ConcurrentHashMap<>();
    private final RunningSteps steps = new RunningSteps();
    private volatile Listener listener = (sandbox, cause) -> {};

    /** @throws SandboxException when no engine answers or it does not have the image: the message says which and what to do */
    DockerSandboxes(SandboxConfiguration configuration, Home home) throws SandboxException {
        this.configuration = configuration;
        this.ours = Map.of(HOST, configuration.host(), HOME, home.root().toString());
        this.docker = new DockerCalls(configuration.engine(), configuration.engineTimeout());
        this.network = new DockerNetwork(docker);
        try {
            Info info = docker.call("reach Docker", client -> client.infoCmd().exec());
            List<String> security = info.getSecurityOptions() == null ? List.of() : info.getSecurityOptions();
            cores = info.getNCPU() == null ? Runtime.getRuntime().availableProcessors() : info.getNCPU();
            mapped = security.stream().anyMatch(option -> option.contains("rootless") || option.contains("userns"));
            images = new DockerImages(docker, configuration);
        } catch (SandboxException e) {
            docker.close();
            throw e;
        }
        ownUid = UserIds.own(home.root());
        root = ownUid == 0;
        uids = new UserIds(mapped);
        events = new DockerEvents(docker, ours, this::onDeath, this::reconcile);
    }

    @Override
    public String kind() {
        return "docker";
    }

    @Override
    public String platform() {
        return images.platform();
    }

    @Override
    public void listen(Listener value) {
        listener = value;
        events.start();
    }

    @Override
    public int nextUid() {
        return uids.take();
    }

    @Override
    public int installerUid() {
        return root && !mapped ? UserIds.INSTALLER : mapped ? 0 : ownUid;
    }

    @Override
    public boolean ownsFolders() {
        return root && !mapped;
    }

    @Override
    public void prepare(SandboxSpec.Base base) throws SandboxException {
        images.of(base);
    }

    @Override
    public void start(Start start) throws SandboxException {
        String id = start.sandbox();
        String doing = "start sandbox " + id + (start.application() == null ? "" : " of " + start.application());
        known.put(id, State.KNOWN);
        try {
            String image = images.of(start.limits().base());
            String reaches = network.of(start.limits().network() ? "bridge" : null);
            String container = docker.call(doing, client -> supervisor(client.createContainerCmd(image), start, reaches)
                    .exec().getId());
            docker.call(doing, client -> client.startContainerCmd(container).exec());
            known.replace(id, State.RUNNING);
        } catch (SandboxException e) {
            stop(id);
            throw e;
        }
    }

    private CreateContainerCmd supervisor(CreateContainerCmd create, Start start, String reaches) {
        Map<String, String> labels = new HashMap<>(ours);
        labels.put(SANDBOX, start.sandbox());
        if (start.application() != null) {
            labels.put(APPLICATION, start.application());
            labels.put(VERSION, Integer.toString(start.version()));
        }
        return create.withName(containerName(start.sandbox()) + suffix(start.application(), start.version()))
                .withHostName(start.sandbox())
                .withUser(start.uid() + ":" + start.uid())
                .withWorkingDir("/tmp")
                .withCmd("python3", "-m", "sand.supervisor")
                .withEnv("SAND_DIRECTORY=" + start.directory(), "SAND_TOKEN=" + start.token())
                .withLabels(labels)
                .withHostConfig(ContainerShape.hostConfig(start.limits(), List.of(new Mount(start.directory(), false)), reaches, cores));
    }

    private String containerName(String sandbox) {
        return "sand-" + configuration.host() + "-" + sandbox;
    }

    private static String suffix(String application, int version) {
        return application == null ? "" : "-" + application + "-v" + version;
    }

    /** A label cannot be changed: a sandbox from the pool shows its application in its name. */
    @Override
    public void rename(String sandbox, String application, int version) {
        try {
            docker.call("name sandbox " + sandbox, client -> client.renameContainerCmd(containerName(sandbox))
                    .withName(containerName(sandbox) + suffix(application, version)).exec());
        } catch (SandboxException e) {
            LOG.debug("{}", e.getMessage());
        }
    }

    @Override
    public String stop(String sandbox) {
        known.remove(sandbox);
        try {
            Container container = find(sandbox);
            if (container == null) {
                return null;
            }
            String story = story(container.getId());
            ContainerRemoval.of(docker, container.getId(), configuration.engineTimeout());
            return story;
        } catch (SandboxException e) {
            // It is no longer known, so the next reconciliation takes it for the orphan that it is.
            LOG.atWarn().addKeyValue(LogFields.SANDBOX, sandbox)
                    .log("sandbox {}: {}; it will be removed when the engine is back", sandbox, e.getMessage());
            return null;
        }
    }

    private Container find(String sandbox) throws SandboxException {
        Map<String, String> labels = new HashMap<>(ours);
        labels.put(SANDBOX, sandbox);
        List<Container> found = docker.call("find sandbox " + sandbox,
                client -> client.listContainersCmd().withShowAll(true).withLabelFilter(labels).exec());
        return found.isEmpty() ? null : found.getFirst();
    }

    /** How a container ended, for whoever waited for it; null while it runs. */
    private String story(String container) throws SandboxException {
        InspectContainerResponse.ContainerState state =
                docker.call("inspect container " + container, client -> client.inspectContainerCmd(container).exec()).getState();
        if (Boolean.TRUE.equals(state.getRunning()) || "created".equals(state.getStatus()) && state.getError() == null) {
            return null;
        }
        if (Boolean.TRUE.equals(state.getOOMKilled()) && state.getExitCodeLong() == KILLED) {
            return "the sandbox's supervisor was killed because the sandbox was out of memory";
        }
        String words = state.getError() == null || state.getError().isBlank() ? "" : ": " + state.getError();
        return "the sandbox's supervisor ended with exit code " + state.getExitCodeLong() + words + DockerTask.lastWords(docker, container);
    }

    private void onDeath(String sandbox) {
        if (known.remove(sandbox, State.RUNNING)) {
            listener.onEnded(sandbox, "its container ended");
        }
    }

    @Override
    public void removeOrphans() {
        try {
            reconcile();
        } catch (SandboxException e) {
            LOG.warn("orphans of an earlier run are left: {}", e.getMessage());
        }
    }

    /** What the engine has against what is known here: orphans go, and what went unseen is told. */
    private void reconcile() throws SandboxException {
        List<String> running = known.entrySet().stream().filter(e -> e.getValue() == State.RUNNING).map(Map.Entry::getKey).toList();
        List<String> alive = new ArrayList<>();
        for (Container container : docker.call("list sandboxes",
                client -> client.listContainersCmd().withShowAll(true).withLabelFilter(ours).exec())) {
            String sandbox = container.getLabels().get(SANDBOX);
            if ("running".equals(container.getState())) {
                alive.add(sandbox);
            }
            if (!known.containsKey(sandbox) && !"removing".equals(container.getState())) {
                try {
                    ContainerRemoval.of(docker, container.getId(), configuration.engineTimeout());
                    LOG.info("removed container {}, which nothing here uses", container.getNames()[0]);
                } catch (SandboxException e) {
                    LOG.debug("{}", e.getMessage());
                }
            }
        }
        running.stream().filter(sandbox -> !alive.contains(sandbox)).forEach(this::onDeath);
    }

    @Override
    public TaskResult run(Task task, Consumer<String> line) throws SandboxException {
        String id = SandboxIds.next();
        String doing = "run the build step " + task.name();
        Map<String, String> labels = new HashMap<>(ours);
        labels.put(SANDBOX, id);
        steps.begin(id, doing);
        known.put(id, State.KNOWN);
        try {
            String reaches = network.of(task.network());
            TaskResult result = DockerTask.run(docker, task, line, create -> create
                    .withName(containerName(id) + "-build-" + task.name())
                    .withHostName("build")
                    .withLabels(labels)
                    .withHostConfig(ContainerShape.hostConfig(task.limits(), task.mounts(), reaches, cores)),
                    configuration.image());
            steps.requireOpen(doing);
            return result;
        } catch (SandboxException e) {
            steps.requireOpen(doing); // its container was taken away under it
            throw e;
        } finally {
            stop(id);
            steps.ended(id);
        }
    }

    /** Leaves sandboxes to {@link #stop}; what is left all the same, the next start of this host removes. */
    @Override
    public void close() {
        steps.close(this::stop);
        events.close();
        docker.close();
    }
}
