package dev.sand.frontend;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.HostAgentPort;
import dev.sand.frontend.control.ApplicationsApi;
import dev.sand.frontend.control.DeploymentApi;
import dev.sand.frontend.control.InvocationsApi;
import dev.sand.frontend.control.LogsApi;
import dev.sand.frontend.control.ProgressApi;
import dev.sand.frontend.control.StatusApi;
import dev.sand.frontend.deployment.Deletion;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.HttpServer;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.DataPlanes;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** A frontend, wired: HTTP in front, the registry and the stores beside, host agents behind. */
public final class Frontend implements AutoCloseable {
    /**
     * What a frontend works with; all of it is the caller's to close.
     *
     * @param deleteData removes an application's shared data, on the hosts too
     */
    public record Parts(HostAgentPort host, Registry registry, InvocationStore records, LogStore logs, GlobalStore store,
                        Consumer<String> deleteData) {}

    private final FrontendConfiguration configuration;
    private final ExecutorService blocking = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());
    private final DataPlanes planes;
    private final Router router;
    private final HttpServer server;

    public Frontend(FrontendConfiguration configuration, Parts parts) throws IOException {
        this.configuration = configuration;
        Directory directory = new Directory(parts.registry, blocking);
        planes = new DataPlanes(configuration, parts.host, parts.records, parts.store, parts.registry, directory,
                blocking);
        router = router(parts, directory);
        int selectors = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        server = new HttpServer(configuration.host(), configuration.port(), selectors,
                new Gate(planes.invoke(), planes.web(), router, blocking));
    }

    private Router router(Parts parts, Directory directory) throws IOException {
        Router routes = new Router();
        Deployer deployer = new Deployer(parts.registry, parts.store, parts.host, directory, configuration);
        Deletion deletion = new Deletion(parts.registry, parts.records, parts.logs, parts.store, parts.host, directory,
                parts.deleteData);
        InvocationsApi invocations = new InvocationsApi(parts.registry, parts.records, parts.host);
        new ApplicationsApi(parts.registry, directory, deployer, deletion).addTo(routes);
        new DeploymentApi(deployer, configuration).addTo(routes);
        invocations.addTo(routes);
        new ProgressApi(invocations, parts.records, parts.host).addTo(routes);
        new LogsApi(parts.registry, parts.logs, invocations).addTo(routes);
        new StatusApi(parts.host, parts.registry, this::status).addTo(routes);
        return routes;
    }

    private ObjectNode status() {
        return Json.object().put("draining", planes.isDraining()).put("inFlight", planes.inFlight())
                .put("inFlightLimit", configuration.inFlight());
    }

    /** Listens. @throws Exception when the address cannot be listened on */
    public void start() throws Exception {
        server.start();
    }

    public InetSocketAddress address() {
        return server.address();
    }

    /** The control plane's operations: what the OpenAPI document must have. */
    public Router router() {
        return router;
    }

    /** Takes no new invocations; waits for those in flight, as long as configured. */
    public void drain() throws InterruptedException {
        planes.drain(configuration.drain());
    }

    @Override
    public void close() throws Exception {
        server.close();
        planes.close();
        blocking.shutdownNow();
    }
}
