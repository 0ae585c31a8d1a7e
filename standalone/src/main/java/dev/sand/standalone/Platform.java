package dev.sand.standalone;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.SqliteLogStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.frontend.Frontend;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.globalbus.SqliteBus;
import dev.sand.hostagent.HostAgent;
import dev.sand.hostagent.HostAgentConfiguration;
import dev.sand.hostagent.HostAgentParts;
import dev.sand.hostagent.journal.BusJournal;
import dev.sand.hostagent.journal.StoredRecords;
import dev.sand.hostagent.sandbox.Home;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.MemfdSegments;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole platform in one process (DESIGN, decision 7): embedded bus and store below, the host agent over them, the
 * frontend in front. Parts are opened from the bottom up and closed from the top down.
 */
final class Platform implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Platform.class);
    private static final String HOST = "local";
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Frontend frontend;

    /** @param onBroken told when the platform cannot go on: the process is to end */
    Platform(Options options, Consumer<Throwable> onBroken) throws Exception {
        Home home = new Home(options.home()).prepare();
        try {
            open(HomeLock.take(home.root()));
            checkAddress(options);
            frontend = open(options, home, onBroken);
            frontend.start();
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** An address that cannot be had is told before anything runs. */
    private static void checkAddress(Options options) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(options.host(), options.port()));
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("cannot listen on " + options.host() + ":" + options.port() + ": " + e.getMessage()
                    + "; choose another --listen");
        }
    }

    private Frontend open(Options options, Home home, Consumer<Throwable> onBroken) throws Exception {
        SqliteStore store = open(new SqliteStore(home.root().resolve("store.db")));
        SqliteLogStore logs = open(new SqliteLogStore(home.root().resolve("logs.db"), SqliteLogStore.DEFAULT_BYTES_AN_APPLICATION));
        SqliteBus bus = open(new SqliteBus(home.root().resolve("bus.db"), SqliteBus.Options.DEFAULT));
        InvocationStore invocations = new InvocationStore(store, InvocationStore.Options.DEFAULT);
        StoredRecords records = open(new StoredRecords(invocations));
        MemfdSegments segments = open(new MemfdSegments(MemfdSegments.Options.DEFAULT));
        BusJournal journal = open(new BusJournal(bus, segments, BusJournal.Options.DEFAULT));
        Registry registry = new Registry(store);
        SharedData data = new SharedData(store, segments, SharedData.Options.DEFAULT);
        Secrets secrets = new Secrets(options.secrets());
        HostAgentParts parts = new HostAgentParts(app -> registry.version(app.application(), app.version()),
                sockets -> Sandboxes.open(sandboxes(options), home, sockets), journal, records, segments, data, logs, secrets::of);
        HostAgent host = open(HostAgent.start(hostAgent(options), parts, onBroken));
        return open(new Frontend(frontend(options, home), new Frontend.Parts(host, registry, invocations, logs, store,
                data::deleteApplication)));
    }

    private static SandboxConfiguration sandboxes(Options options) {
        SandboxConfiguration configuration = SandboxConfiguration.defaults(HOST).withKind(options.sandbox())
                .withImage(options.image()).withBlank(options.pool()).withPython(options.python(), options.pythonPath());
        return options.engine() == null ? configuration
                : configuration.withEngine(options.engine(), configuration.engineTimeout());
    }

    private static HostAgentConfiguration hostAgent(Options options) {
        HostAgentConfiguration configuration = HostAgentConfiguration.defaults(HOST).withDrainTimeout(options.drain());
        return options.shards() == 0 ? configuration : configuration.withShards(options.shards());
    }

    private static FrontendConfiguration frontend(Options options, Home home) {
        return FrontendConfiguration.defaults(options.host(), options.port(), home.root().resolve("uploads"), home.bundles())
                .withBodyBytes(options.bodyBytes()).withFolderDeploy(options.folderDeploy()).withDrain(options.drain());
    }

    private <T extends AutoCloseable> T open(T part) {
        opened.push(part);
        return part;
    }

    InetSocketAddress address() {
        return frontend.address();
    }

    /** Takes no new requests, waits for those in flight, then closes everything from the top down. */
    void stop() throws InterruptedException {
        frontend.drain();
        close();
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception e) {
                // The parts below still have something to write.
                LOG.warn("closing {}: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
    }
}
