package dev.sand.hostagent.sandbox;

import dev.sand.event.SandboxSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What sandboxes are made of: Docker containers, or plain processes where there is no engine. Called by {@link SandboxPool} and
 * the builder on threads that may block. A sandbox starts blank: process 1 is the supervisor, its folder is mounted read-only
 * at the same path, and the application's files appear in that folder when it is claimed.
 */
interface SandboxEngine extends AutoCloseable {
    /** docker or process, as the status shows it. */
    String kind();

    /** Identifies the Python and libraries that sandboxes run on: part of the content address of installed requirements. */
    String platform();

    /** Whom ended sandboxes are told to; set once, before the first start. */
    void listen(Listener listener);

    /** Ends what an earlier run of this host left behind; only what carries this host's name and home. */
    void removeOrphans();

    /** Who the sandbox's processes will be: a user id of its own, where the host allows that. */
    int nextUid();

    /** The one user that installs wheels, which runs no code of theirs: the owner of the download cache. */
    int installerUid();

    /** Whether such a user id means the same on the host: folders are then given to it, and are open to nobody else. */
    boolean ownsFolders();

    /**
     * What such a sandbox begins from is here when this returns, which may take as long as a build.
     *
     * @param base null: the platform's image
     * @throws SandboxException it cannot be had here
     */
    void prepare(SandboxSpec.Base base) throws SandboxException;

    /** Returns when process 1 runs; it connects to the sockets in the folder by itself. */
    void start(Start start) throws SandboxException;

    /** Shows operators whose sandbox it has become. Not on the claim path; failing is harmless. */
    void rename(String sandbox, String application, int version);

    /**
     * Kills every process and removes what the sandbox had, its folder excepted. Nothing to do when it is gone already.
     *
     * @return how it had ended before this call (exit code, memory), or null when it was running or nothing is known
     */
    String stop(String sandbox);

    /** Runs one command to its end in a sandbox of its own: the build's steps. */
    TaskResult run(Task task, Consumer<String> line) throws SandboxException;

    /** Ends the steps of builds that run still: those fail. Blocks until they have. */
    @Override
    void close();

    /** Called from any thread: implementations only enqueue. */
    interface Listener {
        /** Told once for a started sandbox that ended without {@link #stop}, which is still to be called. */
        void onEnded(String sandbox, String cause);
    }

    /**
     * @param sandbox short id, {@code s} and ten characters
     * @param directory its folder, with the sockets already listening
     * @param token what its supervisor presents
     * @param uid from {@link #nextUid()}
     * @param application whose it will be, or null for the blank pool
     */
    record Start(String sandbox, Path directory, String token, int uid, SandboxSpec limits, String application, int version) {}

    /**
     * @param name for people, in the container's name
     * @param mounts folders and files at the same path inside
     * @param network the network it may use, or null; the limits' own word is for sandboxes
     * @param outputBytes most that is kept of each of stdout and stderr, the last ones
     */
    record Task(String name, int uid, List<String> command, Map<String, String> environment, List<Mount> mounts, SandboxSpec limits,
                String network, Duration timeLimit, int outputBytes) {}

    record Mount(Path path, boolean writable) {}

    /** @param killedFor why the runtime killed it (time, memory), or null */
    record TaskResult(int exitCode, String stdout, String stderr, String killedFor) {
        boolean succeeded() {
            return exitCode == 0 && killedFor == null;
        }
    }
}
