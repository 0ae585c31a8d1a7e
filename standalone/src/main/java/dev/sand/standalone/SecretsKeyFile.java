package dev.sand.standalone;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sand.datalayer.SecretsKey;
import dev.sand.hostagent.sandbox.Home;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the key for stored secrets comes from: the operator's files, or on one machine a file of the home that is made at need. */
final class SecretsKeyFile {
    private static final Logger LOG = LoggerFactory.getLogger(SecretsKeyFile.class);
    private static final String NAME = "secrets.key";
    private static final int MOST_BYTES = 8192;
    private static final int BYTES = 48;
    private static final String OWNER_ALONE = "rw-------";

    private SecretsKeyFile() {}

    /** @return null: parts of a cluster cannot make one each, and the operator has given none; @throws IOException when a file cannot be read */
    static SecretsKey of(Options options, Home home) throws IOException {
        List<Path> files = options.secretsKey();
        if (files.isEmpty()) {
            if (options.cluster().cassandra() != null) {
                return null;
            }
            files = List.of(made(home.root().resolve(NAME)));
        }
        List<byte[]> keys = new ArrayList<>();
        for (Path file : files) {
            keys.add(read(file));
        }
        return SecretsKey.of(keys);
    }

    private static byte[] read(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException("the key for secrets in " + file + " has more than " + MOST_BYTES + " bytes");
        }
        byte[] bytes = Files.readAllBytes(file);
        try {
            SecretsKey.of(List.of(bytes));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage());
        }
        if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            LOG.warn("everybody on this machine may read the key for secrets: chmod 600 {}", file);
        }
        return bytes;
    }

    /** The home is this process's alone: nobody else makes one. */
    private static Path made(Path file) throws IOException {
        if (Files.exists(file)) {
            return file;
        }
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        FileAttribute<Set<PosixFilePermission>> mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ALONE));
        Path fresh = file.resolveSibling(NAME + ".new");
        Files.deleteIfExists(fresh);
        // Both are on disk before anything is closed with it: no secret is stored whose key a power cut takes.
        try (FileChannel channel = FileChannel.open(fresh, Set.of(CREATE_NEW, WRITE), mode)) {
            ByteBuffer text = ByteBuffer.wrap(Base64.getEncoder().encode(key));
            while (text.hasRemaining()) {
                channel.write(text);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(file.getParent(), READ)) {
            folder.force(true);
        }
        return file;
    }
}
