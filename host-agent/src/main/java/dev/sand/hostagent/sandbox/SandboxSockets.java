package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Path;

/** The host agent's side of a sandbox's folder: implemented by the shards, called by the runtime before it starts a supervisor. */
public interface SandboxSockets {
    /**
     * Opens bus.sock, data.sock and log.sock in the folder; blocks for about a millisecond.
     *
     * @param place name of the folder, for logs
     * @throws IOException when a path is over {@link dev.sand.event.Limits#SOCKET_PATH_BYTES} or a socket cannot be made
     */
    SandboxEndpoint open(String place, Path directory) throws IOException;
}
