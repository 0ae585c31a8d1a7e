package dev.sand.datalayer;

import dev.sand.datalayer.ObjectStore.Info;
import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Folders under their content addresses in the global store: applications' files and installed requirements, so that any host
 * can run what one host has built. A folder is a zip in pieces, each checked against its hash. Calls block.
 */
public final class BundleArchive {
    /** What kinds of folders there are; each has names of its own. */
    public enum Folder { BUNDLE, DEPENDENCIES }

    private static final String TABLE = "bundles";
    private static final String ZIP = "application/zip";
    /** Zipped; of what comes out, the host's disk is the bound, as for what it installs itself. */
    private static final long MOST_BYTES = 4L << 30;
    private static final int MOST_ENTRIES = 200_000;
    private static final int PIPE_BYTES = 256 * 1024;
    /** In a zip entry's extra field: two bytes of an id that nobody else uses, two of length, one that says "executable". */
    private static final byte[] EXECUTABLE = {0x53, 0x41, 1, 0, 1};

    private final ObjectStore objects;

    public BundleArchive(GlobalStore store) {
        this.objects = new ObjectStore(store, TABLE, MOST_BYTES);
    }

    public boolean has(Folder kind, String address) {
        return objects.info(kind.name(), address).isPresent();
    }

    /**
     * Keeps a folder that does not change any more; one that is there already is the same one, and stays: under another version,
     * so that who found that nobody names it does not delete it now.
     */
    public void put(Folder kind, String address, Path folder) throws IOException {
        if (objects.touch(kind.name(), address)) {
            return;
        }
        try {
            objects.put(kind.name(), address, ZIP, out -> zip(folder, out), GlobalStore.ABSENT);
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
        }
    }

    /**
     * Unpacks a folder.
     *
     * @param into does not exist yet; when this throws, it holds a part to be deleted
     * @return false when there is no such folder
     */
    public boolean fetch(Folder kind, String address, Path into) throws IOException {
        Optional<Info> found = objects.info(kind.name(), address);
        if (found.isEmpty()) {
            return false;
        }
        try (PipedInputStream zipped = new PipedInputStream(PIPE_BYTES)) {
            PipedOutputStream out = new PipedOutputStream(zipped);
            StoreException[] failure = new StoreException[1];
            Thread reading = Thread.ofVirtual().name("bundle-fetch").start(() -> {
                try (out) {
                    objects.transfer(kind.name(), address, found.get().version(), out);
                } catch (StoreException e) {
                    failure[0] = e;
                } catch (IOException e) {
                    // The unpacking side gave up, and says why.
                }
            });
            try {
                unzip(zipped, into);
            } catch (IOException e) {
                zipped.close();
                join(reading);
                if (failure[0] != null) {
                    throw failure[0];
                }
                throw e;
            }
            join(reading);
            if (failure[0] != null) {
                throw failure[0];
            }
        }
        return true;
    }

    /** @param version at which it was found to be nobody's; @throws StoreException CONFLICT when somebody has put it since */
    public boolean delete(Folder kind, String address, long version) {
        return objects.delete(kind.name(), address, version);
    }

    /** Content addresses of all folders of that kind. */
    public Set<String> addresses(Folder kind) {
        return Set.copyOf(objects.keys(kind.name(), "", null, Integer.MAX_VALUE));
    }

    /** 0: there is none. */
    public long version(Folder kind, String address) {
        return objects.info(kind.name(), address).map(Info::version).orElse(0L);
    }

    /** Where the pieces are, for whoever looks for those that no folder names. */
    public void eachScope(BiConsumer<String, ObjectStore> visitor) {
        for (Folder kind : Folder.values()) {
            visitor.accept(kind.name(), objects);
        }
    }

    private static void zip(Path folder, OutputStream to) throws IOException {
        ZipOutputStream zip = new ZipOutputStream(to);
        zip.setLevel(Deflater.BEST_SPEED);
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
                if (!directory.equals(folder)) {
                    zip.putNextEntry(new ZipEntry(folder.relativize(directory) + "/"));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                ZipEntry entry = new ZipEntry(folder.relativize(file).toString());
                // Python's byte code is good for a source of just that time.
                entry.setLastModifiedTime(attributes.lastModifiedTime());
                if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OWNER_EXECUTE)) {
                    entry.setExtra(EXECUTABLE);
                }
                zip.putNextEntry(entry);
                Files.copy(file, zip);
                return FileVisitResult.CONTINUE;
            }
        });
        zip.finish();
        zip.flush();
    }

    private static void unzip(InputStream from, Path into) throws IOException {
        Files.createDirectories(into);
        int entries = 0;
        ZipInputStream zip = new ZipInputStream(from);
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            Path target = into.resolve(entry.getName()).normalize();
            if (!target.startsWith(into) || ++entries > MOST_ENTRIES) {
                throw new IOException("not a bundle: entry " + entries + ", " + entry.getName());
            }
            if (entry.isDirectory()) {
                Files.createDirectories(target);
                continue;
            }
            Files.createDirectories(target.getParent());
            Files.copy(zip, target);
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(isExecutable(entry) ? "r-xr-xr-x" : "r--r--r--"));
            if (entry.getLastModifiedTime() != null) {
                Files.setLastModifiedTime(target, entry.getLastModifiedTime());
            }
        }
        from.transferTo(OutputStream.nullOutputStream()); // the directory at its end, and with it the last piece's hash
    }

    private static boolean isExecutable(ZipEntry entry) {
        byte[] extra = entry.getExtra();
        for (int at = 0; extra != null && at + 4 <= extra.length;) {
            int length = Byte.toUnsignedInt(extra[at + 2]) | Byte.toUnsignedInt(extra[at + 3]) << 8;
            if (extra[at] == EXECUTABLE[0] && extra[at + 1] == EXECUTABLE[1]) {
                return true;
            }
            at += 4 + length;
        }
        return false;
    }

    private static void join(Thread thread) throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while fetching a bundle", e);
        }
    }
}
