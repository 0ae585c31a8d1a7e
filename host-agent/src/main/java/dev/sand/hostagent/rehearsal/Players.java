package dev.sand.hostagent.rehearsal;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.InstanceExitedReport;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TakeRequest;
import dev.sand.event.thrift.WorkerReadyReport;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.sandbox.SandboxEndpoint;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.SandboxListener;
import dev.sand.hostagent.sandbox.SandboxRuntime;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.localbus.BusClient;
import dev.sand.localbus.SocketBusClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.thrift.TException;

/**
 * Sandboxes whose processes are threads of this one: supervisor, workers and instances speak to the shard over its real sockets,
 * in the way of the Python runtime, and a function gives back what it is given.
 */
final class Players implements SandboxRuntime {
    private static final int PID = 1;
    private static final String MANY = "worker";

    private final SandboxSockets sockets;
    private final Path folder;
    private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile SandboxListener listener;

    /** @param folder is made, and gone afterwards */
    Players(SandboxSockets sockets, Path folder) throws SandboxException {
        this.sockets = sockets;
        this.folder = folder;
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new SandboxException("cannot make " + folder + ": " + e, e);
        }
    }

    @Override
    public String kind() {
        return "rehearsal";
    }

    @Override
    public void start(AppKey app, String sandbox, ApplicationVersion version, SandboxListener listener) {
        this.listener = listener;
        play(() -> {
            SandboxEndpoint endpoint = sockets.open(sandbox, folder);
            open.add(endpoint);
            endpoint.supervisorReady().thenRun(() -> listener.onStarted(endpoint, false));
            supervise(endpoint);
        });
    }

    private void supervise(SandboxEndpoint endpoint) throws IOException, TException {
        try (BusClient supervisor = connect()) {
            while (true) {
                for (Command command : supervisor.commands(new CommandsRequest(endpoint.token(), PID)).getCommands()) {
                    if (command.isSetStartWorker()) {
                        String worker = command.getStartWorker().getWorker();
                        boolean servesMany = command.getStartWorker().getConfiguration().getIsolation().equals(MANY);
                        supervisor.report(Report.workerReady(new WorkerReadyReport(worker, PID, 1)));
                        play(() -> work(worker, servesMany));
                    }
                }
            }
        }
    }

    private void work(String worker, boolean servesMany) throws IOException, TException {
        try (BusClient commands = connect()) {
            while (true) {
                for (Command command : commands.commands(new CommandsRequest(worker, PID)).getCommands()) {
                    if (command.isSetSpawn()) {
                        command.getSpawn().getInstances().forEach(instance -> play(() -> serve(instance, servesMany)));
                    }
                }
            }
        }
    }

    private void serve(String instance, boolean many) throws IOException, TException {
        try (BusClient bus = connect()) {
            EventMessage event;
            do {
                event = bus.take(new TakeRequest(instance, PID)).getEvent();
                if (event != null) {
                    long now = System.nanoTime();
                    bus.finish(new FinishRequest(event.getEventId(), event.getAttempt(), event.getPayload(), now, now));
                }
            } while (many && event != null);
            bus.report(Report.instanceExited(new InstanceExitedReport(instance, 0, 0, 1, 1)));
        }
    }

    private BusClient connect() throws IOException {
        BusClient client = SocketBusClient.connect(folder.resolve("bus.sock"));
        open.add(client);
        if (closed) {
            client.close();
        }
        return client;
    }

    private interface Part {
        void play() throws IOException, TException;
    }

    private void play(Part part) {
        Thread.ofVirtual().start(() -> {
            try {
                part.play();
            } catch (IOException | TException | RuntimeException e) {
                // Its socket is closed: the rehearsal is over. One that went wrong is seen by what is not answered.
            }
        });
    }

    @Override
    public void stop(String sandbox) {
        listener.onEnded("the rehearsal is over");
    }

    @Override
    public void forceKill(String sandbox) {
        stop(sandbox);
    }

    @Override
    public void close() {
        closed = true;
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing a socket failed", e);
            }
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new IllegalStateException("the rehearsal's folder cannot be removed", e);
        }
    }
}
