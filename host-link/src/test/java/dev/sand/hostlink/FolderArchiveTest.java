package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FolderArchiveTest {
    @TempDir
    Path work;
    private Path archive;
    private Path target;

    @BeforeEach
    void prepare() throws IOException {
        archive = work.resolve("archive");
        target = Files.createDirectory(work.resolve("target"));
    }

    @Test
    void a_folder_comes_out_as_it_went_in() throws Exception {
        Path source = Files.createDirectory(work.resolve("source"));
        Files.createDirectories(source.resolve("a/b"));
        Files.writeString(source.resolve("a/b/empty"), "");
        Files.writeString(source.resolve("a/größe.txt"), "x".repeat(200_000));
        FolderArchive.pack(source, archive);
        FolderArchive.unpack(archive, target);
        assertThat(Files.readString(target.resolve("a/größe.txt"))).hasSize(200_000);
        assertThat(Files.size(target.resolve("a/b/empty"))).isZero();
    }

    @Test
    void links_are_not_packed() throws Exception {
        Path source = Files.createDirectory(work.resolve("source"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("/etc/passwd"));
        assertThatThrownBy(() -> FolderArchive.pack(source, archive)).hasMessageContaining("link");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "a/../../evil", "/evil", "a/./b", "a//../b", ".."})
    void nothing_is_written_outside_of_the_folder(String name) throws Exception {
        entry(name, 1, 1);
        assertThatThrownBy(() -> FolderArchive.unpack(archive, target)).isInstanceOf(IOException.class).hasMessageContaining("no place");
        assertThat(work.resolve("evil")).doesNotExist();
    }

    @Test
    void an_archive_that_ends_early_is_damaged() throws Exception {
        entry("a", 100, 3);
        assertThatThrownBy(() -> FolderArchive.unpack(archive, target)).isInstanceOf(IOException.class);
    }

    private void entry(String name, long size, int bytes) throws IOException {
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(archive))) {
            out.writeUTF(name);
            out.writeBoolean(false);
            out.writeLong(size);
            out.write(new byte[bytes]);
        }
    }
}
