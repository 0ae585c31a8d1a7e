package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sand.globalbus.BusException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A disk that is really full: a small file system of its own, where the test may mount one. */
class FullDiskTest {
    private Path disk;
    private Path ballast;
    private GlobalBus bus;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createTempDirectory(Path.of("/tmp"), "sand-disk-");
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString()) == 0, "no right to mount");
        ballast = disk.resolve("ballast");
        Files.write(ballast, new byte[1 << 20]);
        bus = new SqliteBus(disk.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        bus.createTopic("t", 1);
    }

    @AfterEach
    void unmount() throws Exception {
        if (bus != null) {
            bus.close();
        }
        run("umount", disk.toString());
        Files.deleteIfExists(disk);
    }

    @Test
    void appendsFailWithTheCauseNothingIsLostAndTheyWorkAgainOnceThereIsRoom() throws Exception {
        List<Long> written = new ArrayList<>();
        BusException refused = null;
        while (refused == null) {
            refused = append(written);
        }
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused.retryable()).isTrue();
        assertThat(refused).hasMessageContaining(disk.toString());
        assertThat(append(written)).isNotNull();
        assertAllThere(written);
        Files.delete(ballast);
        await().until(() -> append(written) == null);
        assertAllThere(written);
        bus.close();
        bus = new SqliteBus(disk.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        assertAllThere(written);
    }

    /** On a disk that has no room for its first page either, a start goes on without it. */
    @Test
    void aLogThatCannotBeBegunIsNotUsed() throws Exception {
        Path log = Files.createFile(disk.resolve("log"));
        assertThatThrownBy(() -> Files.write(ballast, new byte[8 << 20])).isInstanceOf(IOException.class);
        try (AheadLog opened = AheadLog.open(log, AheadLog.Sync.DISK, new ArrayList<>())) {
            assertThat(opened.isUsable()).isFalse();
        }
        Files.delete(ballast);
        try (AheadLog opened = AheadLog.open(log, AheadLog.Sync.DISK, new ArrayList<>())) {
            assertThat(opened.isUsable()).isTrue();
        }
    }

    private void assertAllThere(List<Long> written) {
        assertThat(bus.read("t", 0, 0, 10_000)).extracting(GlobalBus.BusRecord::offset).containsExactlyElementsOf(written);
        assertThat(bus.endOffset("t", 0)).isEqualTo(written.size());
    }

    private BusException append(List<Long> written) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append("t", 0, new byte[20_000], GlobalBusContract.listener(offset));
        return offset.handle((at, e) -> {
            if (e == null) {
                written.add(at);
            }
            return (BusException) e;
        }).join();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor();
    }
}
