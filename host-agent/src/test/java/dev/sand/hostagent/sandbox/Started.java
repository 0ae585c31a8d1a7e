package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a start came to, for tests to wait on. */
final class Started implements SandboxListener {
    record Sandbox(TestSockets.Endpoint endpoint, boolean warm) {
        String run(String python) {
            return endpoint.run(python);
        }

        String id() {
            return endpoint.directory().getFileName().toString();
        }
    }

    private final CompletableFuture<Sandbox> started = new CompletableFuture<>();
    private final CompletableFuture<String> failed = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    static Started of(SandboxRuntime runtime, String application, String bundle, String dependencies, SandboxSpec limits) {
        Started listener = new Started();
        runtime.start(new AppKey(application, 1), "core-" + application, version(application, bundle, dependencies, limits), listener);
        return listener;
    }

    static ApplicationVersion version(String application, String bundle, String dependencies, SandboxSpec limits) {
        return new ApplicationVersion((short) 1, application, 1, bundle, dependencies, limits, Map.of(), Map.of(), List.of(), Map.of(),
                ApplicationVersion.Durability.RELAXED, 0);
    }

    @Override
    public void onStarted(SandboxEndpoint endpoint, boolean warm) {
        started.complete(new Sandbox((TestSockets.Endpoint) endpoint, warm));
    }

    @Override
    public void onFailed(String cause, boolean forGood) {
        failed.complete(cause);
        started.completeExceptionally(new AssertionError("failed: " + cause));
    }

    @Override
    public void onEnded(String cause) {
        ended.complete(cause);
    }

    Sandbox sandbox() {
        return started.orTimeout(60, TimeUnit.SECONDS).join();
    }

    String failure() {
        return failed.orTimeout(60, TimeUnit.SECONDS).join();
    }

    String end() {
        return ended.orTimeout(60, TimeUnit.SECONDS).join();
    }
}
