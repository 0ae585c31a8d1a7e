package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.BundleArchive.Folder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class BundleArchiveTest {
    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private GlobalStore store;
    private BundleArchive archive;

    @BeforeEach
    void open() {
        store = kind.open();
        archive = new BundleArchive(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aFolderComesOutAsItWentIn() throws IOException {
        Path from = tree();
        archive.put(Folder.BUNDLE, "abc", from);
        archive.put(Folder.BUNDLE, "abc", folder.resolve("never looked at: it is there already"));
        assertThat(archive.has(Folder.BUNDLE, "abc")).isTrue();
        assertThat(archive.has(Folder.DEPENDENCIES, "abc")).as("another kind").isFalse();
        Path to = folder.resolve("to");
        assertThat(archive.fetch(Folder.BUNDLE, "abc", to)).isTrue();
        assertThat(Files.readAllBytes(to.resolve("grains/g/data.bin"))).isEqualTo(Files.readAllBytes(from.resolve("grains/g/data.bin")));
        assertThat(Files.readString(to.resolve("run.sh"))).isEqualTo("#!/bin/sh\n");
        assertThat(Files.isExecutable(to.resolve("run.sh"))).isTrue();
        assertThat(Files.getPosixFilePermissions(to.resolve("grains/g/data.bin")).toString()).doesNotContain("EXECUTE");
        assertThat(Files.isDirectory(to.resolve("empty"))).isTrue();
        assertThat(Files.getLastModifiedTime(to.resolve("run.sh"))).as("byte code is good for a source of that time")
                .isEqualTo(FileTime.fromMillis(1_234_567_000_000L));
        assertThat(archive.addresses(Folder.BUNDLE)).containsExactly("abc");
        archive.delete(Folder.BUNDLE, "abc", archive.version(Folder.BUNDLE, "abc"));
        assertThat(archive.fetch(Folder.BUNDLE, "abc", folder.resolve("gone"))).isFalse();
        assertThat(folder.resolve("gone")).doesNotExist();
    }

    @Test
    void damageIsNoticed() throws IOException {
        archive.put(Folder.BUNDLE, "abc", tree());
        store.keys("bundles-pieces", "BUNDLE", "", null, 1).forEach(piece ->
                store.put("bundles-pieces", "BUNDLE", piece, new byte[1000], GlobalStore.ANY));
        assertThatThrownBy(() -> archive.fetch(Folder.BUNDLE, "abc", folder.resolve("to"))).isInstanceOf(StoreException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void anEntryThatLeavesTheFolderIsRefused() throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            zip.putNextEntry(new ZipEntry("../outside"));
            zip.write(1);
        }
        new ObjectStore(store, "bundles", 1 << 20).put("BUNDLE", "evil", "application/zip", out -> out.write(zipped.toByteArray()), GlobalStore.ANY);
        assertThatThrownBy(() -> archive.fetch(Folder.BUNDLE, "evil", folder.resolve("to"))).hasMessageContaining("outside");
        assertThat(folder.resolve("outside")).doesNotExist();
    }

    private Path tree() throws IOException {
        Path from = folder.resolve("from");
        Files.createDirectories(from.resolve("grains/g"));
        Files.createDirectories(from.resolve("empty"));
        Files.writeString(from.resolve("run.sh"), "#!/bin/sh\n");
        from.resolve("run.sh").toFile().setExecutable(true);
        Files.setLastModifiedTime(from.resolve("run.sh"), FileTime.fromMillis(1_234_567_000_000L));
        byte[] random = new byte[1_300_000];
        new Random(3).nextBytes(random);
        Files.write(from.resolve("grains/g/data.bin"), random);
        return from;
    }
}
