package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.ProcessImages.Source;
import dev.sand.datalayer.ProcessImages.Written;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images in the embedded store's file: as large as they get, and in a copy that is made while they are written. */
@Tag("slow")
class ProcessImagesFileTest {
    private static final long LARGE = 200L << 20;

    /** A value that nobody holds as a whole. */
    private record Drawn(long seed, long size) implements Source {
        @Override
        public String name() {
            return "large";
        }

        @Override
        public String contentType() {
            return "application/octet-stream";
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            Random random = new Random(seed);
            byte[] bytes = new byte[1 << 16];
            for (long left = size; left > 0; left -= bytes.length) {
                random.nextBytes(bytes);
                out.write(bytes, 0, (int) Math.min(left, bytes.length));
            }
        }
    }

    @TempDir
    Path folder;

    private SqliteStore store;
    private ProcessImages images;

    @BeforeEach
    void open() {
        store = new SqliteStore(folder.resolve("store.db"));
        images = new ProcessImages(store, () -> 0, Runnable::run);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aValueOf200MiBComesBackFromAFileThatWasOpenedAgain() throws IOException {
        Drawn value = new Drawn(1, LARGE);
        assertThat(write(1, value).bytes()).isGreaterThan(LARGE);
        store.close();
        open();
        assertThat(read(images, value)).isTrue();
        Written again = write(2, value);
        assertThat(again.bytes()).as("what names the chunks").isLessThan(100_000);
        assertThat(again.bytesThere()).isGreaterThanOrEqualTo(LARGE);
    }

    @Test
    void aCopyMadeWhileImagesAreWrittenHasWholeOnes() throws Exception {
        write(0, new Drawn(0, 3 << 20));
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            for (int i = 1; !enough.get(); i++) {
                try {
                    write(i, new Drawn(i, 3 << 20));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        });
        try {
            for (int copy = 0; copy < 5; copy++) {
                Path to = folder.resolve("copy" + copy);
                copy("store.db", to);
                try (SqliteStore copied = new SqliteStore(to)) {
                    ProcessImages there = new ProcessImages(copied, () -> 0, Runnable::run);
                    ProcessImage image = there.find("app", "p").orElseThrow();
                    assertThat(read(there, new Drawn(image.number(), 3 << 20))).isTrue();
                }
            }
        } finally {
            enough.set(true);
            writing.join();
        }
    }

    /** As deploy/backup.py does it. */
    private void copy(String name, Path to) throws SQLException, IOException {
        try (FileChannel values = FileChannel.open(folder.resolve(name + ".values"), StandardOpenOption.READ);
                FileLock lock = values.lock(0, Long.MAX_VALUE, true);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(name));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("backup to '" + to + "'");
            Files.copy(folder.resolve(name + ".values"), to.resolveSibling(to.getFileName() + ".values"));
        }
    }

    private Written write(long number, Drawn value) throws IOException {
        return images.write("app", "p", 1, number, true, new byte[0], List.of(value)).orElseThrow();
    }

    private static boolean read(ProcessImages images, Drawn value) throws IOException {
        Compared compared = new Compared(value);
        images.read("app", images.find("app", "p").orElseThrow(), (part, bytes) -> bytes.writeTo(compared));
        return compared.same && compared.at == value.size();
    }

    /** Compares with what the value writes, which fills whole buffers of the same random numbers. */
    private static final class Compared extends OutputStream {
        private final Random random;
        private final byte[] expected = new byte[1 << 16];
        private long at;
        private boolean same = true;

        Compared(Drawn value) {
            this.random = new Random(value.seed());
        }

        @Override
        public void write(int b) {
            if (at % expected.length == 0) {
                random.nextBytes(expected);
            }
            same &= expected[(int) (at++ % expected.length)] == (byte) b;
        }
    }
}
