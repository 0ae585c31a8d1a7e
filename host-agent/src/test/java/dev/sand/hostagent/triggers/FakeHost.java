package dev.sand.hostagent.triggers;

import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.TaskCallback;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/** Answers invocations at once with what a function of the request says: null, or why it failed; HOLD never ends. */
final class FakeHost implements HostAgentPort {
    static final Failure HOLD = Failure.platform("hold", "hold", false);
    final List<InvocationRequest> requests = new CopyOnWriteArrayList<>();
    private final Function<InvocationRequest, Failure> grain;

    FakeHost(Function<InvocationRequest, Failure> grain) {
        this.grain = grain;
    }

    static String text(InvocationRequest request) {
        return new String(request.input().bytes(), StandardCharsets.UTF_8);
    }

    List<String> inputs(String target) {
        return requests.stream().filter(request -> request.target().equals(target)).map(FakeHost::text).toList();
    }

    @Override
    public void invoke(InvocationRequest request, InvocationListener listener) {
        requests.add(request);
        Failure failure = grain.apply(request);
        if (failure != HOLD) {
            listener.onEnd(new InvocationResult(request.executionId(), failure == null ? Status.SUCCEEDED : Status.FAILED,
                    failure == null ? Payload.nullJson() : null, failure, List.of()));
        }
    }

    @Override
    public AutoCloseable watch(String executionId, ProgressListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void retire(String application, int version) {}

    @Override
    public CompletableFuture<List<HostStatus>> status() {
        throw new UnsupportedOperationException();
    }
}
