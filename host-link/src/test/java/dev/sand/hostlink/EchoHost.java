package dev.sand.hostlink;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.TaskCallback;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** Gives every input back, but for the target "never". */
final class EchoHost implements HostAgentPort {
    /** @param durable completed by the test */
    record Sent(ProcessMessage message, Early early, CompletableFuture<Void> durable) {}

    final List<String> invoked = new CopyOnWriteArrayList<>();
    final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        invoked.add(request.executionId());
        if (!request.target().equals("never")) {
            listener.onEnd(new InvocationResult(request.executionId(), Status.SUCCEEDED, request.input(), null, List.of()));
        }
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        return () -> { };
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return CompletableFuture.completedFuture(TaskCallback.Outcome.TAKEN);
    }

    @Override
    public CompletableFuture<Void> send(ProcessMessage message, Early early) {
        Sent given = new Sent(message, early, new CompletableFuture<>());
        sent.add(given);
        return given.durable();
    }

    /** None is there but "p". */
    @Override
    public CompletableFuture<ProcessView> process(ProcessCommand command) {
        return command.process().equals("p") ? CompletableFuture.completedFuture(view(command.application()))
                : CompletableFuture.failedFuture(new ProcessException(Failure.caller(Errors.NOT_FOUND, "no " + command.process())));
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return CompletableFuture.completedFuture(Collections.nCopies(application.equals("many") ? 10_000 : 1, view(application)));
    }

    private static ProcessView view(String application) {
        return new ProcessView(application, "p", "active", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        return CompletableFuture.completedFuture(new BuildResult("b", null, List.of()));
    }

    /** A busy hour of many applications. */
    @Override
    public CompletableFuture<List<RecentEnds>> recentEnds(long sinceMs) {
        List<RecentEnds.Step> steps = new ArrayList<>();
        for (int at = 0; at < RecentEnds.STEPS; at++) {
            for (int i = 0; i < 40; i++) {
                steps.add(new RecentEnds.Step("application-" + i, at * RecentEnds.STEP_MS, 6, 1, 20 + at % 7, new int[] {1, 0, 0, 4}));
            }
        }
        return CompletableFuture.completedFuture(List.of(new RecentEnds("here", null, 0, steps)));
    }

    /** As many as there may be, with as long beginnings. */
    @Override
    public CompletableFuture<List<QueuedEvents>> queued(QueuedEvents.Look look) {
        QueuedEvents.Queued event = new QueuedEvents.Queued(1, "e".repeat(128), "e".repeat(256), 1, 1, 1 << 20, "t".repeat(128),
                new byte[QueuedEvents.PREVIEW_BYTES]);
        return CompletableFuture.completedFuture(List.of(QueuedEvents.first("here", Collections.nCopies(500, event), look.limit())));
    }

    @Override
    public void retire(String application, int version) {}

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        return CompletableFuture.completedFuture(List.of(new HostStatus("here", "process", false,
                List.of(new SandboxStatus("demo", 1, null, "none", 0, 0, 7L << 32, List.of())))));
    }
}
