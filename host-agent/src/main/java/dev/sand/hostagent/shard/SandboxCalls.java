package dev.sand.hostagent.shard;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.thrift.ClaimCommand;
import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.InstanceExitedReport;
import dev.sand.event.thrift.KillCommand;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.SpawnCommand;
import dev.sand.event.thrift.StartWorkerCommand;
import dev.sand.event.thrift.StopCommand;
import dev.sand.event.thrift.TakeRequest;
import dev.sand.event.thrift.WorkerReadyReport;
import dev.sand.hostagent.ApplicationSecrets;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.hostagent.sandbox.ApplicationFiles;
import dev.sand.localbus.BusConnection;
import dev.sand.localbus.BusReply;
import dev.sand.localbus.LocalBus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One claimed sandbox on its shard: calls of its processes become inputs, and the shard's actions become commands and
 * replies on its connections. Shard thread only.
 */
final class SandboxCalls {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxCalls.class);

    private final Shard shard;
    private final AppKey app;
    private final String sandbox;
    private final ApplicationVersion version;
    private final SandboxSocketSet sockets;
    private final GrainData data;
    private final GrainProcesses processes;
    private final GrainControl control;
    private final CommandLine supervisor = new CommandLine();
    private final Map<String, Worker> workers = new HashMap<>();
    private final Map<String, BusConnection> instances = new HashMap<>();
    /** By instance whose function has ended, and whose values are being kept: what is told of it after that. */
    private final Map<String, List<Runnable>> finishing = new HashMap<>(0);
    private final LastWords lastWords;
    private ApplicationSecrets secrets;
    private boolean supervisorLost;

    SandboxCalls(Shard shard, AppKey app, String sandbox, ApplicationVersion version, SandboxSocketSet sockets,
                 ApplicationSecrets secrets, GrainData data, GrainProcesses processes, GrainControl control) {
        this.shard = shard;
        this.app = app;
        this.sandbox = sandbox;
        this.version = version;
        this.sockets = sockets;
        this.secrets = secrets;
        this.data = data;
        this.processes = processes;
        this.control = control;
        this.lastWords = new LastWords(shard::after);
    }

    /** The sandbox becomes the application's. */
    void claim(LocalBus bus) {
        sockets.logs().bind(app, secrets.masks());
        sockets.segments().bind(app.application());
        sockets.claimedBy(this, bus);
        Path directory = sockets.directory();
        send(supervisor, Command.claim(new ClaimCommand(app.application(), Integer.toString(app.version()),
                version.sandbox().preload(), ApplicationFiles.path(ApplicationFiles.in(directory)))));
        supervisor.onPoll(sockets.supervisor());
    }

    AppKey app() {
        return app;
    }

    /** A process that is being ended may still speak. */
    boolean isDeleted() {
        return shard.isDeleted(app);
    }

    String application() {
        return app.application();
    }

    String sandbox() {
        return sandbox;
    }

    GrainData data() {
        return data;
    }

    void execute(Runnable task) {
        shard.execute(task);
    }

    boolean inOwnerThread() {
        return shard.inOwnerThread();
    }

    // --- actions

    void startWorker(String worker, GrainSpec grain) {
        workers.put(worker, new Worker(worker, grain.name()));
        sockets.logs().onWorker(worker, grain.name());
        send(supervisor, Command.startWorker(new StartWorkerCommand(worker,
                Messages.configuration(version, grain, sockets.directory(), secrets))));
    }

    /** What is forked from here on has these; what runs keeps what it has, and is masked still. */
    void renew(ApplicationSecrets now) {
        if (now.equals(secrets)) {
            return;
        }
        secrets = now;
        sockets.logs().mask(now.masks());
        for (Worker worker : List.copyOf(workers.values())) {
            GrainSpec grain = version.grains().get(worker.grain);
            if (grain != null && !grain.secrets().isEmpty()) {
                send(worker.commands, Command.secrets(Messages.secrets(grain, now)));
            }
        }
    }

    void stopWorker(String worker) {
        send(supervisor, Command.stop(new StopCommand().setWorker(worker)));
    }

    void spawn(String worker, List<String> names) {
        Worker process = workers.get(worker);
        if (process != null) {
            sockets.logs().onInstances(process.grain, names);
            send(process.commands, Command.spawn(new SpawnCommand(names)));
        }
    }

    void kill(int pid) {
        send(supervisor, Command.kill(new KillCommand(pid)));
    }

    /** Instances that wait are let go, so that their workers can end. */
    void stop() {
        instances.values().forEach(BusConnection::dismiss);
        send(supervisor, Command.stop(new StopCommand()));
    }

    private void send(CommandLine line, Command command) {
        if (supervisorLost || !line.send(command)) {
            shard.forceKill(sandbox);
        }
    }

    /** @return false when the instance is not waiting (any more) */
    boolean handOver(String instance, EventMessage event) {
        BusConnection connection = instances.get(instance);
        if (connection == null) {
            return false;
        }
        sockets.logs().onAttempt(instance, event.getExecutionId(), event.getEventId(), event.getAttempt(),
                Messages.cloudProcess(event));
        if (event.getPayload().isSetReference()) {
            sockets.segments().push(instance, Messages.payload(event.getPayload()).reference());
        }
        control.handedOver(instance, event);
        return connection.handOver(event);
    }

    void dismiss(String instance) {
        BusConnection connection = instances.get(instance);
        if (connection != null) {
            connection.dismiss();
        }
    }

    // --- calls

    void onSupervisorPoll(BusConnection connection) {
        supervisor.onPoll(connection);
    }

    void onWorkerPoll(BusConnection connection, String worker) {
        Worker process = workers.get(worker);
        if (process == null) {
            LOG.atWarn().addKeyValue(LogFields.SANDBOX, sandbox).addKeyValue(LogFields.APPLICATION, app.application())
                    .log("sandbox {}: a worker {} polls that is not known (any more)", sandbox, worker);
            connection.close();
        } else {
            connection.attach(process);
            process.commands.onPoll(connection);
        }
    }

    void onSupervisorLost() {
        if (!supervisorLost) {
            supervisorLost = true;
            shard.onSandboxEnded(this, "the supervisor's connection closed");
        }
    }

    void onTake(BusConnection connection, TakeRequest request) {
        if (connection.attachment() == null) {
            Instance instance = new Instance(request.getInstance());
            if (instances.putIfAbsent(instance.name, connection) != null) {
                LOG.atWarn().addKeyValue(LogFields.SANDBOX, sandbox).addKeyValue(LogFields.APPLICATION, app.application())
                        .log("sandbox {}: instance {} connects twice", sandbox, instance.name);
                connection.close();
                return;
            }
            connection.attach(instance);
        }
        if (isFinishing(request.getInstance(), () -> onTake(connection, request))) {
            return; // it serves many, and has sent both at once: what it has finished comes first, or it would seem to run
        }
        shard.on(new Input.Take(app, request.getInstance(), request.getPid()));
    }

    /** What a connection that has taken is remembered by. */
    private record Instance(String name) {}

    /** What a worker's connection is remembered by. */
    private static final class Worker {
        final String name;
        final String grain;
        final CommandLine commands = new CommandLine();
        boolean closed;

        Worker(String name, String grain) {
            this.name = name;
            this.grain = grain;
        }
    }

    private static String instance(BusConnection connection) {
        return ((Instance) connection.attachment()).name;
    }

    void onHandOverFailed(EventMessage event, String instance) {
        shard.on(new Input.HandOverFailed(app, instance, event.getEventId(), event.getAttempt()));
    }

    void onHandOverFailed(BusConnection connection, EventMessage event) {
        onHandOverFailed(event, instance(connection));
    }

    void onFinish(BusConnection connection, FinishRequest request) {
        String instance = instance(connection);
        control.gone(instance);
        if (request.getPublishedSize() > Limits.PUBLICATIONS) {
            shard.on(new Input.Fail(app, instance, request.getEventId(), request.getAttempt(),
                    Messages.tooManyPublications(request.getPublishedSize()), request.getStartedNs(), request.getEndedNs()));
            return;
        }
        Input.Finish finish;
        try {
            finish = new Input.Finish(app, instance, request.getEventId(), request.getAttempt(),
                    Messages.payload(request.getOutput()), Messages.published(request), request.getStartedNs(),
                    request.getEndedNs());
        } catch (IllegalArgumentException e) {
            refuse(connection, e);
            return;
        }
        if (request.isSetStateWrites()) {
            finishInProcess(connection, finish, request.getStateWrites());
        } else {
            shard.on(finish);
        }
    }

    private void finishInProcess(BusConnection connection, Input.Finish finish, List<dev.sand.event.thrift.StateWrite> wire) {
        List<StateWrite> writes;
        try {
            writes = GrainProcesses.writes(wire);
        } catch (IllegalArgumentException e) {
            refuse(connection, e);
            return;
        }
        if (finishing.putIfAbsent(finish.instance(), new ArrayList<>(2)) != null) {
            refuse(connection, new IllegalArgumentException("the function has ended already"));
            return;
        }
        processes.kept(shard, app.application(), StateWrite.values(writes), false,
                () -> finished(finish.instance(), new Input.FinishInProcess(finish, writes)),
                cause -> finished(finish.instance(), new Input.Fail(app, finish.instance(), finish.eventId(), finish.attempt(),
                        Failure.platform(Errors.UNAVAILABLE, "what the function wrote cannot be kept: " + cause, true),
                        finish.startedNs(), finish.endedNs())));
    }

    private void finished(String instance, Input end) {
        shard.on(end);
        finishing.remove(instance).forEach(Runnable::run);
    }

    /** What it wrote is being kept: its end, which comes meanwhile, is told of after that of its function. */
    private boolean isFinishing(String instance, Runnable then) {
        List<Runnable> waiting = finishing.isEmpty() ? null : finishing.get(instance);
        return waiting != null && waiting.add(then);
    }

    void onProcessCall(BusConnection connection, Object request, BusReply<Object> reply) {
        String instance = instance(connection);
        processes.call(shard, app, instance, request, reply, reference -> sockets.segments().push(instance, reference));
    }

    void onControl(BusConnection connection, ControlRequest request, BusReply<ControlReply> reply) {
        control.call(instance(connection), request, reply);
    }

    void onFail(BusConnection connection, FailRequest request) {
        control.gone(instance(connection));
        shard.on(new Input.Fail(app, instance(connection), request.getEventId(), request.getAttempt(),
                Messages.failure(request, secrets.masks()), request.getStartedNs(), request.getEndedNs()));
    }

    void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply) {
        Input.Publish publish;
        try {
            publish = new Input.Publish(app, instance(connection), request.getEventId(), request.getAttempt(),
                    Messages.published(request.getPublication()));
        } catch (IllegalArgumentException e) {
            refuse(connection, e);
            return;
        }
        shard.on(publish);
        reply.answer(null);
    }

    private void refuse(BusConnection connection, IllegalArgumentException e) {
        LOG.atWarn().addKeyValue(LogFields.SANDBOX, sandbox).addKeyValue(LogFields.APPLICATION, app.application())
                .log("sandbox {}: closing the connection of instance {}: {}", sandbox, instance(connection), e.getMessage());
        connection.close();
    }

    void onReport(Report report) {
        switch (report.getSetField()) {
            case WORKER_READY -> {
                WorkerReadyReport ready = report.getWorkerReady();
                if (ready.isSetNote()) {
                    LOG.atInfo().addKeyValue(LogFields.SANDBOX, sandbox).addKeyValue(LogFields.APPLICATION, app.application())
                            .addKeyValue(LogFields.VERSION, app.version())
                            .log("{} version {}, worker {}: {}", app.application(), app.version(), ready.getWorker(), ready.getNote());
                }
                shard.on(new Input.WorkerReady(app, ready.getWorker(), ready.getPid()));
            }
            case WORKER_FAILED -> {
                String worker = report.getWorkerFailed().getWorker();
                workers.remove(worker);
                shard.on(new Input.WorkerFailed(app, worker, Messages.failure(report.getWorkerFailed(), secrets.masks())));
            }
            case WORKER_EXITED -> onWorkerExited(report.getWorkerExited().getWorker(),
                    Messages.cause(report.getWorkerExited()));
            case INSTANCE_EXITED -> onInstanceExited(report.getInstanceExited());
            case INSTANCE_FORK_FAILED -> shard.on(new Input.ForkFailed(app, report.getInstanceForkFailed().getInstance(),
                    report.getInstanceForkFailed().getCause()));
        }
    }

    private void onWorkerExited(String worker, String cause) {
        Runnable report = () -> {
            workers.remove(worker);
            shard.on(new Input.WorkerExited(app, worker, cause));
        };
        Worker process = workers.get(worker);
        if (process == null || process.closed) {
            report.run();
        } else {
            lastWords.hold(worker, report);
        }
    }

    private void onInstanceExited(InstanceExitedReport report) {
        if (isFinishing(report.getInstance(), () -> onInstanceExited(report))) {
            return;
        }
        Input.InstanceExited exited = new Input.InstanceExited(app, report.getInstance(), report.getExitCode(),
                report.getSignal(), report.getCpuUs(), report.getPeakMemoryBytes(), report.getNote());
        if (instances.containsKey(exited.instance())) {
            lastWords.hold(exited.instance(), () -> shard.on(exited));
        } else {
            shard.on(exited);
        }
    }

    void onClosed(BusConnection connection) {
        if (connection.attachment() instanceof Instance instance && isFinishing(instance.name, () -> onClosed(connection))) {
            return;
        }
        if (connection.attachment() instanceof Instance instance && instances.remove(instance.name, connection)) {
            control.gone(instance.name);
            Input closed = new Input.InstanceClosed(app, instance.name, connection.leftEventUnread());
            if (connection.leftEventUnread()) {
                shard.on(closed); // it did not run: how its process ended is no answer
                lastWords.closed(instance.name);
            } else {
                lastWords.closed(instance.name);
                shard.on(closed);
            }
        } else if (connection.attachment() instanceof Worker worker) {
            worker.closed = true;
            lastWords.closed(worker.name);
        }
    }
}
