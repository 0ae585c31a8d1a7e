package dev.sand.hostagent.sandbox;

import dev.sand.event.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;

/** The platform's folder on this host ({@code --home}): what lies where. */
public record Home(Path root) {
    /** The longest file name below a sandbox's folder that is a socket. */
    private static final String LONGEST_SOCKET = "/data.sock";
    private static final int SANDBOX_ID_LENGTH = 11;

    public Home {
        root = root.toAbsolutePath().normalize();
    }

    public Path bundles() {
        return root.resolve("bundles");
    }

    public Path dependencies() {
        return root.resolve("dependencies");
    }

    /** Linked copies of bundles and dependencies, ready to be renamed into a sandbox's folder. */
    public Path spares() {
        return root.resolve("spares");
    }

    /** Half-made things on the same file system; emptied at start. */
    public Path staging() {
        return root.resolve("staging");
    }

    public Path pipCache() {
        return root.resolve("cache/pip");
    }

    /** Marks of import checks that went well. */
    public Path checks() {
        return root.resolve("cache/checks");
    }

    /** Temporary files of sandboxes that have no container: one folder each. */
    Path temporary() {
        return root.resolve("tmp");
    }

    public Path run() {
        return root.resolve("run");
    }

    public Path run(String sandbox) {
        return run().resolve(sandbox);
    }

    /**
     * Makes the folders. Sandboxes without a container of their own may pass through {@code root} and {@code run} to their
     * own folder; nothing else is open to them.
     *
     * @throws IllegalArgumentException when sockets below this folder would have too long a path
     */
    public Home prepare() {
        int longest = run().toString().getBytes(StandardCharsets.UTF_8).length + 1 + SANDBOX_ID_LENGTH + LONGEST_SOCKET.length();
        if (longest > Limits.SOCKET_PATH_BYTES) {
            throw new IllegalArgumentException("the home folder " + root + " is too deep: a socket's path would have " + longest
                    + " bytes and the system allows " + Limits.SOCKET_PATH_BYTES + "; choose a shorter one with --home");
        }
        try {
            folder(root, "rwx--x--x");
            folder(run(), "rwx--x--x");
            folder(staging(), "rwx--x--x");
            folder(temporary(), "rwx--x--x");
            for (Path own : new Path[] {bundles(), dependencies(), spares(), checks()}) {
                folder(own, "rwx------");
            }
            // Build steps without a container pass through here to the cache, which belongs to the installer.
            Files.createDirectories(pipCache());
            Files.setPosixFilePermissions(pipCache().getParent(), PosixFilePermissions.fromString("rwx--x--x"));
            // Databases made in a folder that others may pass through: theirs are not to be opened by guessing the name.
            for (String database : new String[] {"bus.db", "store.db", "store.db.values", "logs.db"}) {
                Path file = root.resolve(database);
                if (Files.notExists(file)) {
                    Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the home folder " + root, e);
        }
        return this;
    }

    /**
     * Plain processes with users of their own come to their folder by its whole path.
     *
     * @throws SandboxException when a folder on the way lets only its owner through
     */
    void requirePassage() throws SandboxException {
        for (Path folder = root; folder != null; folder = folder.getParent()) {
            try {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    throw new SandboxException("sandboxes that are plain processes cannot reach the home folder " + root + ": "
                            + folder + " lets only its owner through; choose another with --home, or run chmod o+x " + folder);
                }
            } catch (IOException e) {
                throw new SandboxException("the permissions of " + folder + " cannot be read", e);
            }
        }
    }

    private static void folder(Path folder, String permissions) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
    }
}
