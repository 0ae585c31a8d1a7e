package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** What lies in {@code run/<sandbox>/}: the sockets from the start, the application's files from the claim on. */
final class SandboxFolder {
    private final Home home;
    private final LinkedTrees trees;
    private final SharedTrees shared;
    private final SandboxSockets sockets;

    SandboxFolder(Home home, LinkedTrees trees, SharedTrees shared, SandboxSockets sockets) {
        this.home = home;
        this.trees = trees;
        this.shared = shared;
        this.sockets = sockets;
    }

    Path of(String sandbox) {
        return home.run(sandbox);
    }

    /**
     * Makes the folder with listening sockets.
     *
     * @param byGroup only that user's group may enter; otherwise anybody who gets to the folder, which in a container is nobody else
     */
    SandboxEndpoint open(String sandbox, int uid, boolean byGroup) throws SandboxException {
        Path directory = of(sandbox);
        try {
            Files.createDirectories(directory);
            SandboxEndpoint endpoint = sockets.open(sandbox, directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.sock")) {
                for (Path socket : files) {
                    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
                }
            }
            if (byGroup) {
                Files.setAttribute(directory, "unix:gid", uid);
            }
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(byGroup ? "rwxr-x---" : "rwxr-xr-x"));
            return endpoint;
        } catch (IOException e) {
            throw new SandboxException("cannot make the folder of sandbox " + sandbox + " at " + directory + ": " + e, e);
        }
    }

    /** The application's files under {@code app/}. */
    void place(Path directory, ApplicationVersion version) {
        Path app = directory.resolve("app");
        try {
            // Linking does not wait for the folder of a sandbox that is being made at the same time.
            Files.createDirectories(directory);
            shared.ensure(version);
            trees.place(home.bundles().resolve(version.bundle()), app);
            if (version.dependencies() != null) {
                trees.place(home.dependencies().resolve(version.dependencies()), app.resolve(".dependencies"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot put the files of " + version.application() + " version " + version.version()
                    + " into " + directory + ": " + e, e);
        }
    }

    /** Makes ready what the next sandbox of this version needs. */
    void prepare(ApplicationVersion version) {
        trees.prepare(home.bundles().resolve(version.bundle()));
        if (version.dependencies() != null) {
            trees.prepare(home.dependencies().resolve(version.dependencies()));
        }
    }

    /** Whatever this process's umask is: a sandbox is another user. */
    static void readable(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-xr-x" : "rw-r--r--"));
    }

    /** A folder that one build step may write to. */
    static SandboxEngine.Mount writable(Path folder, int uid, boolean ownsFolders) throws IOException {
        Files.createDirectories(folder);
        if (ownsFolders) {
            Files.setAttribute(folder, "unix:uid", uid);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        } else {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        return new SandboxEngine.Mount(folder, true);
    }

    void remove(Path directory) {
        LinkedTrees.delete(directory);
    }

    /** Folders that an earlier run left. Called before the first sandbox is started. */
    void removeAll() {
        for (Path left : Set.of(home.run(), home.staging(), home.temporary())) {
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(left)) {
                folders.forEach(LinkedTrees::delete);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot look through " + left, e);
            }
        }
    }
}
