package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.core.Input.AppKey;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * One sandbox of the pool: {@code launching -> connected -> ending}, and beside that {@code blank -> claimed -> started}.
 * Its fields belong to the pool's own thread; {@code launched} and {@code placed} complete elsewhere.
 */
final class Place {
    /** Who gets the sandbox: the core's id for it, and whom to tell. */
    record Claim(AppKey app, String sandbox, ApplicationVersion version, SandboxListener listener) {}

    final String id;
    final Path directory;
    final SandboxSpec limits;
    /** The engine has been asked to start it, whatever came of that: nothing may stop it before. */
    final CompletableFuture<Void> launched = new CompletableFuture<>();
    /** The files of its claim are in place, or could not be put there. */
    CompletableFuture<Void> placed = CompletableFuture.completedFuture(null);
    SandboxEndpoint endpoint;
    Claim claim;
    boolean warm;
    boolean filesReady;
    boolean connected;
    boolean started;
    boolean stopping;
    boolean ending;
    /** It could not be launched, and another like it cannot either. */
    boolean failedForGood;

    Place(String id, Path directory, SandboxSpec limits) {
        this.id = id;
        this.directory = directory;
        this.limits = limits;
    }

    boolean isBlank() {
        return claim == null && !ending;
    }

    boolean isReady() {
        return claim != null && connected && filesReady && !started && !ending;
    }
}
