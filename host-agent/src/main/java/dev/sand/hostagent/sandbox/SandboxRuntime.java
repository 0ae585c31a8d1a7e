package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.hostagent.core.Input.AppKey;

/**
 * Makes sandboxes: Docker containers, or plain processes where no engine answers. Called by shards, so every method returns
 * at once and works on threads of its own; the listener is told every outcome, failures and time-outs too.
 *
 * <p>For each sandbox the runtime makes the folder {@code run/<place>/}, asks {@link SandboxSockets} to open the sockets in
 * it, and starts the supervisor with {@code SAND_DIRECTORY} and {@code SAND_TOKEN}. Blank ones are kept ready behind this
 * interface: a start that claims one links the application's files into its folder and has no engine call on its path.
 */
public interface SandboxRuntime extends AutoCloseable {
    /** docker or process. */
    String kind();

    /**
     * Starts a sandbox, or claims a blank one. Once the supervisor is connected and the files of the application lie under
     * {@code app/}, calls onStarted; else onFailed. The id is the core's; the folder may have another name.
     */
    void start(AppKey app, String sandbox, ApplicationVersion version, SandboxListener listener);

    /** The shard has told the supervisor to stop: after a short while, end what still runs, then call onEnded. */
    void stop(String sandbox);

    /** The supervisor does not answer any more: end the sandbox now, through the engine. */
    void forceKill(String sandbox);

    /** Stops all sandboxes, the blank ones too; blocks until they are gone. */
    @Override
    void close();
}
