package dev.sand.frontend.deployment;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.BundleArchive.Folder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Applications' files by content address, for grains that are copied: on this machine, or fetched from where hosts share them. */
public final class Bundles {
    private final Path root;
    private final BundleArchive archive;

    /** @param archive null: all that there are lie below the root */
    public Bundles(Path root, BundleArchive archive) {
        this.root = root;
        this.archive = archive;
    }

    /** The folder; blocks while it is fetched. @throws IOException when it is nowhere */
    Path folder(String address) throws IOException {
        Path folder = root.resolve(address);
        if (archive == null || Files.isDirectory(folder)) {
            return folder;
        }
        Files.createDirectories(root);
        Path part = root.resolve(".part-" + address + "-" + Long.toHexString(System.nanoTime()));
        try {
            if (!archive.fetch(Folder.BUNDLE, address, part)) {
                throw new IOException("there are no files under " + address);
            }
            Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            // Fetched by another deployment meanwhile: it is the same.
            Folders.delete(part);
        } catch (IOException | RuntimeException e) {
            Folders.delete(part);
            throw e;
        }
        return folder;
    }
}
