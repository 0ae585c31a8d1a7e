package dev.sand.hostagent.sandbox;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The open sockets of one sandbox: which socket a call arrives on says whose it is. */
public interface SandboxEndpoint extends AutoCloseable {
    Path directory();

    /** Goes into the supervisor's {@code SAND_TOKEN} and nowhere else. */
    String token();

    /** Completes when the supervisor waits for its first commands. Completed on a shard: dependents only enqueue. */
    CompletableFuture<Void> supervisorReady();

    /** Completes when the supervisor's connection is gone: the sandbox is past use. Completed on a shard, as above. */
    CompletableFuture<Void> supervisorLost();

    /** Closes the sockets and all connections; called by the runtime once the sandbox has ended. */
    @Override
    void close();
}
