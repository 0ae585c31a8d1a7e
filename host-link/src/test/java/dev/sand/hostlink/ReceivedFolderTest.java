package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceivedFolderTest {
    @TempDir
    Path work;

    private static void write(ReceivedFolder folder) throws IOException {
        folder.write(ByteBuffer.wrap(new byte[10]));
    }

    @Test
    void it_is_made_when_something_comes_and_goes_with_all_of_it() throws Exception {
        ReceivedFolder folder = new ReceivedFolder(work);
        assertThat(work).isEmptyDirectory();
        write(folder);
        assertThat(work).isNotEmptyDirectory();
        folder.delete();
        assertThat(work).isEmptyDirectory();
        folder.delete();
    }

    @Test
    void what_comes_behind_its_end_does_not_make_it_again() throws Exception {
        ReceivedFolder folder = new ReceivedFolder(work);
        folder.delete();
        assertThatThrownBy(() -> write(folder)).isInstanceOf(IOException.class).hasMessageContaining("deleted");
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void where_there_is_no_place_whoever_writes_is_told() throws Exception {
        ReceivedFolder folder = new ReceivedFolder(work.resolve("gone"));
        assertThatThrownBy(() -> write(folder)).isInstanceOf(IOException.class);
        folder.delete();
    }
}
