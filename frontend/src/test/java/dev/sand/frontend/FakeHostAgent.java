package dev.sand.frontend;

import dev.sand.datalayer.InvocationStore;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessLook;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.TaskCallback;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** A host agent whose grains are Java functions; "hold" runs until it is released or cancelled. */
public final class FakeHostAgent implements HostAgentPort {
    /** What hosts say of the last hour. */
    public final List<RecentEnds> recent = new CopyOnWriteArrayList<>(List.of(new RecentEnds("here", null, 0, List.of())));
    public volatile long recentAfterMs;
    public record Running(InvocationRequest request, List<InvocationListener> listeners, List<ProgressListener> watchers) {}

    public final Map<String, Function<InvocationRequest, InvocationResult>> grains = new ConcurrentHashMap<>();
    public final Map<String, Running> running = new ConcurrentHashMap<>();
    public final List<InvocationRequest> requests = new CopyOnWriteArrayList<>();
    public final Map<String, ProcessView> processes = new ConcurrentHashMap<>();
    /** As they are when they have come back. */
    public final Map<String, ProcessView> swapped = new ConcurrentHashMap<>();
    /** What a kill gives, or null: it is done at once. */
    public volatile CompletableFuture<ProcessView> kill;
    /** Slots that processes were to be moved to, and why they stay; null: they go. */
    public final List<Integer> moves = new CopyOnWriteArrayList<>();
    public volatile Failure stays;
    /** The host that a process which is moved is on then. */
    public volatile String movesTo;
    public final List<String> cancelled = new CopyOnWriteArrayList<>();
    public final List<String> retired = new CopyOnWriteArrayList<>();
    public final List<String> deleted = new CopyOnWriteArrayList<>();
    public final List<TaskCallback> callbacks = new CopyOnWriteArrayList<>();
    public volatile TaskCallback.Outcome callbackOutcome = TaskCallback.Outcome.TAKEN;
    public final List<BuildRequest> builds = new CopyOnWriteArrayList<>();
    /** What a build has installed. */
    public volatile List<String> resolved = List.of();
    /** What was asked for, and what comes of it. */
    public final List<String> drains = new CopyOnWriteArrayList<>();
    public volatile Drain drain = Drain.DONE;
    /** Null: the one that it is. */
    public volatile List<HostStatus> hosts;
    /** What waits for any grain, and what was asked about it. */
    public volatile List<QueuedEvents> queued = List.of(QueuedEvents.first("here", List.of(), 1));
    public final List<QueuedEvents.Look> looks = new CopyOnWriteArrayList<>();
    public volatile Failure buildFailure;
    public volatile Runnable onBuild = () -> { };
    /** What ends with an application that is deleted. */
    public volatile Runnable onDelete = () -> { };
    /** When set, takes every request in place of the grains, and keeps nothing. */
    public volatile BiConsumer<InvocationRequest, InvocationListener> direct;
    private final InvocationStore records;
    private final Path bundles;

    public FakeHostAgent(InvocationStore records, Path bundles) {
        this.records = records;
        this.bundles = bundles;
        grains.put("echo", request -> succeed(request, request.input()));
        grains.put("fail", request -> end(request, Status.FAILED, null,
                Failure.grain("ValueError", "no such colour", "Traceback …\nValueError: no such colour")));
        grains.put("full", request -> end(request, Status.FAILED, null, new Failure(Errors.OVERLOADED, "the queue of full has 10 events",
                Failure.Source.PLATFORM, true, null, Map.of("limit", 10, "actual", 11))));
        grains.put("late", request -> end(request, Status.TIMED_OUT, null,
                Failure.platform(Errors.TIMEOUT, "The deadline passed while it was queued.", true)));
        grains.put("big", request -> end(request, Status.FAILED, null,
                Failure.limit(Errors.TOO_LARGE, "the output has 9 bytes", Failure.Source.GRAIN, 8, 9)));
    }

    public InvocationResult succeed(InvocationRequest request, Payload output) {
        return end(request, Status.SUCCEEDED, output, null);
    }

    public InvocationResult end(InvocationRequest request, Status status, Payload output, Failure failure) {
        return new InvocationResult(request.executionId(), status, output, failure, List.of(new Hop(request.executionId() + "/"
                + request.target(), request.target(), 1, failure == null ? null : failure.error(), 1_000, 51_000, 151_000, 1_151_000,
                1_201_000, 700, 12 << 20)));
    }

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        if (direct != null) {
            direct.accept(request, listener);
            return;
        }
        requests.add(request);
        var grain = grains.get(request.target());
        if (grain != null) {
            accept(request, listener);
            InvocationResult result = grain.apply(request);
            record(request, result);
            listener.onEnd(result);
            return;
        }
        running.computeIfAbsent(request.executionId(), id -> {
            record(request, new InvocationResult(id, Status.RUNNING, null, null, List.of()));
            return new Running(request, new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
        }).listeners().add(listener);
        accept(request, listener);
    }

    private static void accept(InvocationRequest request, InvocationListener listener) {
        if (request.durable()) {
            listener.onAccepted();
        }
    }

    public void release(String executionId, Payload output) {
        Running one = running.remove(executionId);
        InvocationResult result = succeed(one.request(), output);
        record(one.request(), result);
        one.watchers().forEach(watcher -> {
            result.hops().forEach(watcher::onHop);
            watcher.onEnd();
        });
        one.listeners().forEach(listener -> listener.onEnd(result));
    }

    private void record(InvocationRequest request, InvocationResult result) {
        records.record(new InvocationRecord(Limits.SCHEMA_VERSION, request.executionId(), request.application(), request.version(),
                request.target(), result.status(), request.input(), result.output(), result.failure(), 1_700_000_000_000L,
                result.status() == Status.RUNNING ? 0 : 1_700_000_000_001L, 700, 12 << 20, result.hops()), null);
    }

    @Override
    public CompletableFuture<ProcessView> process(ProcessCommand command) {
        if (command.kind() == ProcessCommand.Kind.CONNECT) {
            return process(command.as(processes.containsKey(command.process()) ? ProcessCommand.Kind.DESCRIBE : ProcessCommand.Kind.CREATE))
                    .thenApply(view -> view.at("here:7265", 3));
        }
        if (command.kind() == ProcessCommand.Kind.LOCATE) {
            ProcessView known = processes.get(command.process());
            return CompletableFuture.completedFuture((known != null ? known
                    : ProcessView.nowhere(command.application(), command.process(), "here")).at("here:7265", 3));
        }
        if (command.kind() == ProcessCommand.Kind.KILL && kill != null) {
            return kill;
        }
        if (command.kind() == ProcessCommand.Kind.MIGRATE) {
            moves.add(command.slot());
            if (stays instanceof Failure why) {
                return CompletableFuture.failedFuture(new ProcessException(why));
            }
            processes.computeIfPresent(command.process(), (id, view) -> movesTo == null ? view : view.on(movesTo));
        }
        if (command.kind() == ProcessCommand.Kind.CREATE && swapped.remove(command.process()) instanceof ProcessView view) {
            processes.put(view.process(), view);
            return CompletableFuture.completedFuture(view);
        }
        ProcessView known = processes.get(command.process());
        String refusal = known == null ? Errors.NOT_FOUND : Errors.CONFLICT;
        if ((known == null) != (command.kind() == ProcessCommand.Kind.CREATE)) {
            return CompletableFuture.failedFuture(new ProcessException(Failure.caller(refusal, "process " + command.process())));
        }
        ProcessView view = known != null ? known
                : new ProcessView(command.application(), command.process(), "active", "here", 1, 4, 1 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        processes.put(view.process(), view);
        if (command.kind() == ProcessCommand.Kind.INSPECT) {
            return CompletableFuture.completedFuture(view.with(inside(command.look())));
        }
        if (command.kind() == ProcessCommand.Kind.KILL) {
            processes.remove(view.process());
        }
        return CompletableFuture.completedFuture(view);
    }

    /** One key, "k", and one message, 7; "large" is too large. */
    private static ProcessContents inside(ProcessLook look) {
        return switch (look.part()) {
            case STATE -> ProcessContents.ofState(List.of(new ProcessContents.Entry("k", "text/plain", 2, true)), "k");
            case MAILBOX -> ProcessContents.ofMailbox(List.of(new ProcessContents.Unread(7, "p2", "k", "application/json", 1, false)), null);
            case VALUE, MESSAGE -> ProcessContents.of(look.at().equals("large") ? new ProcessContents.Value("text/plain", 1 << 20, null)
                    : look.at().equals("k") || look.at().equals("7") ? ProcessContents.Value.whole("text/plain", new byte[] {'h', 'i'}) : null);
        };
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return CompletableFuture.completedFuture(List.copyOf(processes.values()));
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        Running one = running.get(executionId);
        if (one == null) {
            listener.onEnd();
            return () -> { };
        }
        one.watchers().add(listener);
        return () -> one.watchers().remove(listener);
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        cancelled.add(executionId);
        Running one = running.remove(executionId);
        if (one != null) {
            InvocationResult result = end(one.request(), Status.CANCELLED, null,
                    Failure.caller(error == null ? Errors.CANCELLED : error, cause));
            record(one.request(), result);
            one.watchers().forEach(ProgressListener::onEnd);
            one.listeners().forEach(listener -> listener.onEnd(result));
        }
        return CompletableFuture.completedFuture(one != null);
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        callbacks.add(callback);
        return CompletableFuture.completedFuture(callbackOutcome);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        builds.add(request);
        onBuild.run();
        progress.accept("importing " + request.grains().keySet());
        if (buildFailure != null) {
            return CompletableFuture.failedFuture(new BuildException(buildFailure));
        }
        String bundle = "bundle-" + request.application() + "-" + builds.size();
        try (Stream<Path> walk = Files.walk(request.source())) {
            for (Path path : walk.toList()) {
                Files.copy(path, bundles.resolve(bundle).resolve(request.source().relativize(path).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CompletableFuture.completedFuture(new BuildResult(bundle, null, resolved));
    }

    public Path bundle(String name) {
        return bundles.resolve(name);
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application, int upTo) {
        deleted.add(application + "@" + upTo);
        onDelete.run();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void retire(String application, int version) {
        retired.add(application + "@" + version);
    }

    @Override
    public CompletableFuture<List<RecentEnds>> recentEnds(long sinceMs) {
        return new CompletableFuture<List<RecentEnds>>().completeOnTimeout(recent.stream().map(each -> each.problem() != null ? each
                : new RecentEnds(each.host(), null, each.sinceMs(), each.steps().stream().filter(step -> step.startMs() >= sinceMs).toList()))
                .toList(), recentAfterMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletableFuture<List<QueuedEvents>> queued(QueuedEvents.Look look) {
        looks.add(look);
        return CompletableFuture.completedFuture(queued);
    }

    @Override
    public CompletableFuture<Drain> drain(String host, boolean out) {
        drains.add(host + (out ? " out" : " in"));
        return CompletableFuture.completedFuture(drain);
    }

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        return hosts != null ? CompletableFuture.completedFuture(hosts) : CompletableFuture.completedFuture(List.of(new HostStatus("here", "process", false, List.of(new SandboxStatus("demo", 1,
                "s1", "READY", 1, running.size(), 1L << 30, List.of(new GrainStatus("echo", "READY", 7, 1, 0, 0, 0, 0, 1.5, 0.5)))))));
    }
}
