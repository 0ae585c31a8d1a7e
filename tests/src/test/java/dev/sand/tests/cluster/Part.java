package dev.sand.tests.cluster;

import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.model.ContainerNetwork;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;

/** A part of the cluster (a host agent, a frontend, Kafka, …): its container, and what can happen to it. */
public final class Part {
    private static final int STOP_SECONDS = 40;
    private static final Duration METRICS = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofSeconds(30);
    private static final int FRONTEND_PORT = 7263;
    private static final int HEALTH_PORT = 7265;
    private final String name;
    private final GenericContainer<?> container;
    private final String network;
    private final String key;

    /** @param key the operator's, which frontends want to be shown */
    Part(String name, GenericContainer<?> container, String network, String key) {
        this.name = name;
        this.container = container;
        this.network = network;
        this.key = key;
    }

    public String name() {
        return name;
    }

    GenericContainer<?> container() {
        return container;
    }

    /** SIGKILL: it has no time for anything. */
    public void kill() {
        engine().killContainerCmd(id()).withSignal("KILL").exec();
    }

    /** SIGTERM, and SIGKILL when it takes too long. */
    public void stop() {
        engine().stopContainerCmd(id()).withTimeout(STOP_SECONDS).exec();
    }

    public void start() {
        engine().startContainerCmd(id()).exec();
    }

    public void restart() {
        engine().restartContainerCmd(id()).withTimeout(STOP_SECONDS).exec();
    }

    /** Stands still in the middle of whatever it does, until {@link #resume}. */
    public void pause() {
        // The kernel may not get hold of all its processes at once on a busy machine: then the engine lets all of them go on.
        await("the pause of " + name).atMost(PAUSE).ignoreExceptionsMatching(failure -> failure instanceof InternalServerErrorException
                && failure.getMessage().contains("unable to freeze")).until(() -> {
                    engine().pauseContainerCmd(id()).exec();
                    return true;
                });
    }

    public void resume() {
        engine().unpauseContainerCmd(id()).exec();
    }

    /** Off the network: it hears nobody and nobody hears it, and it runs on. */
    public void disconnect() {
        engine().disconnectFromNetworkCmd().withContainerId(id()).withNetworkId(network).withForce(true).exec();
    }

    public void reconnect() {
        engine().connectToNetworkCmd().withContainerId(id()).withNetworkId(network)
                .withContainerNetwork(new ContainerNetwork().withAliases(name)).exec();
    }

    public boolean running() {
        ContainerState state = state();
        return Boolean.TRUE.equals(state.getRunning()) && !Boolean.TRUE.equals(state.getPaused());
    }

    /** Runs, unpaused and on the network, whatever a test did to it; what it starts with is for the caller to wait for. */
    void heal() {
        ContainerState state = state();
        if (Boolean.TRUE.equals(state.getPaused())) {
            resume();
        } else if (!Boolean.TRUE.equals(state.getRunning())) {
            start();
        }
        if (!connected()) {
            reconnect();
        }
    }

    private boolean connected() {
        return engine().inspectContainerCmd(id()).exec().getNetworkSettings().getNetworks().values().stream()
                .anyMatch(each -> network.equals(each.getNetworkID()));
    }

    /** What it has written so far, of all its runs. */
    public String log() {
        return container.getLogs();
    }

    /** What it has counted since it began. From inside: a host agent shows it to its own machine alone. */
    MetricsPage metrics() {
        boolean frontend = name.startsWith("frontend");
        String command = "exec 3<>/dev/tcp/127.0.0.1/" + (frontend ? FRONTEND_PORT : HEALTH_PORT)
                + "; printf 'GET /metrics HTTP/1.0\\r\\nAuthorization: Bearer " + key + "\\r\\n\\r\\n' >&3; cat <&3";
        // A part of the process that is not asked in time is left out of its page: as if it had counted nothing.
        String needed = frontend ? "sand_frontend_requests_total" : "sand_host_events_total";
        return await("the metrics of " + name).atMost(METRICS).until(
                () -> new MetricsPage(container.execInContainer("bash", "-c", command).getStdout()), page -> page.text().contains(needed));
    }

    private ContainerState state() {
        return engine().inspectContainerCmd(id()).exec().getState();
    }

    private String id() {
        return container.getContainerId();
    }

    private DockerClient engine() {
        return container.getDockerClient();
    }

    @Override
    public String toString() {
        return name;
    }
}
