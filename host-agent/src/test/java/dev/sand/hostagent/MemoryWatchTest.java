package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.HostMemory.Room;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel would tell is in files of a folder. */
class MemoryWatchTest {
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;

    @TempDir
    private Path root;
    private final List<String> relieved = new ArrayList<>();
    private long nowNs;
    private long growth;
    private Runnable onPause = () -> { };

    @BeforeEach
    void aLargeMachine() throws IOException {
        machine(64 * GIB, 32 * GIB, 0);
        write("proc/self/cgroup", "0::/\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void machine(long bytes, long available, long swap) throws IOException {
        write("proc/meminfo", "MemTotal:       " + (bytes >> 10) + " kB\nMemFree:          10 kB\nMemAvailable:     " + (available >> 10)
                + " kB\nSwapFree:  " + (swap >> 10) + " kB\nHugePages_Free:        0\n");
    }

    /** @param stat as in memory.stat */
    private void group(String path, String max, long current, String stat) throws IOException {
        write("sys/fs/cgroup/" + path + "/memory.max", max + "\n");
        write("sys/fs/cgroup/" + path + "/memory.current", current + "\n");
        write("sys/fs/cgroup/" + path + "/memory.stat", stat);
    }

    private void used(long current) {
        try {
            group("", "" + 2 * GIB, current, "");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoWaitsForAnApplicationsIdleOnesPausesWhileSomeLeave() {
        try (MemoryWatch watch = watch()) {
            long before = nowNs;
            assertThat(watch.leaves("busy")).isFalse();
            assertThat(nowNs).isEqualTo(before);
            assertThat(watch.leaves("idle")).isTrue();
            assertThat(nowNs).isGreaterThan(before);
        }
        assertThat(relieved).containsExactly("busy", "idle");
    }

    private HostMemory memory() {
        return new HostMemory(root);
    }

    private MemoryWatch watch() {
        return new MemoryWatch(memory(), 0.05, new MemoryWatch.Relief() {
            @Override
            public boolean leave(String application) {
                relieved.add(application);
                return application.equals("idle");
            }

            @Override
            public void shrink() {
                if (relieved.isEmpty() || !relieved.getLast().equals("shrunk")) {
                    relieved.add("shrunk");
                }
            }

            @Override
            public void leave(boolean everywhere) {
                relieved.add(everywhere ? "everywhere" : "here");
            }
        }, new MemoryWatch.Time(() -> nowNs, () -> {
            nowNs += Duration.ofMillis(50).toNanos();
            onPause.run();
        }, () -> growth));
    }

    private List<String> looked() {
        relieved.clear();
        watch().look();
        return relieved;
    }

    @Test
    void theMachinesMemoryIsShortWhenLessThanTheReserveIsAvailable() throws IOException {
        machine(100 * GIB, 4 * GIB, 0);
        assertThat(looked()).containsExactly("shrunk", "everywhere");
        machine(100 * GIB, 6 * GIB, 0);
        assertThat(looked()).isEmpty();
        machine(2 * GIB, 127 * MIB, 0);
        assertThat(looked()).as("5 % of little is too little").isNotEmpty();
        machine(400 * MIB, 60 * MIB, 0);
        assertThat(looked()).as("of a machine that has little to begin with, an eighth").isEmpty();
    }

    @Test
    void aSystemThatDoesNotSayIsNotShort() throws IOException {
        write("proc/meminfo", "MemTotal: 1000 kB\n");
        Files.delete(root.resolve("proc/self/cgroup"));
        assertThat(memory().rooms()).isEmpty();
        assertThat(looked()).isEmpty();
    }

    @Test
    void aLimitOfItsOwnIsShortWhileTheMachineHasPlenty() {
        used(2 * GIB - 129 * MIB);
        assertThat(looked()).isEmpty();
        used(2 * GIB - 127 * MIB);
        assertThat(looked()).as("nobody else's sandboxes are to go").containsExactly("shrunk", "here");
    }

    @Test
    void theHeapMayStillGrowIntoAQuarterOfIt() {
        used(1400 * MIB);
        growth = 400 * MIB;
        assertThat(looked()).isEmpty();
        growth = 900 * MIB;
        assertThat(looked()).as("648 MiB are free, 128 and 512 are to be").isEmpty();
        used(1410 * MIB);
        assertThat(looked()).isNotEmpty();
    }

    @Test
    void pagesOfFilesAreFreeUnlessTheyAreStillToBeWrittenAndSharedMemoryIsNot() throws IOException {
        group("", "" + GIB, GIB, "anon 100\nshmem " + 500 * MIB + "\nfile " + 800 * MIB + "\ninactive_file " + 200 * MIB
                + "\nactive_file " + 100 * MIB + "\nfile_dirty " + 40 * MIB + "\nfile_writeback " + 10 * MIB + "\n");
        assertThat(memory().rooms().getLast().free()).isEqualTo(250 * MIB);
    }

    @Test
    void everyGroupAroundItCounts() throws IOException {
        write("proc/self/cgroup", "4:memory:/other\n0::/system.slice/sand-host.service\n");
        group("system.slice/sand-host.service", "" + 8 * GIB, GIB, "");
        group("system.slice", "" + 4 * GIB, 4 * GIB - 50 * MIB, "");
        group("", "max", 20 * GIB, "");
        assertThat(memory().rooms()).extracting(Room::free).containsExactly(32 * GIB, 7 * GIB, 50 * MIB);
        assertThat(looked()).containsExactly("shrunk", "here");
    }

    @Test
    void aGroupThatIsHeldBackAtLessThanItsLimitCountsFromThere() throws IOException {
        group("", "" + 8 * GIB, GIB, "");
        write("sys/fs/cgroup/memory.high", "" + 2 * GIB);
        assertThat(memory().rooms().getLast().bytes()).isEqualTo(2 * GIB);
    }

    @Test
    void aContainerThatIsToldThePathOutsideSeesItsOwnGroupAlone() throws IOException {
        used(GIB);
        write("proc/self/cgroup", "0::/docker/0123\n");
        assertThat(memory().rooms()).hasSize(2);
        write("proc/self/cgroup", "0::/../../elsewhere\n");
        assertThat(memory().rooms()).hasSize(2);
    }

    @Test
    void ofVersion1NothingIsKnown() throws IOException {
        write("proc/self/cgroup", "4:memory:/docker/0123\n1:cpu:/\n");
        write("sys/fs/cgroup/memory/docker/0123/memory.limit_in_bytes", "1000\n");
        assertThat(memory().rooms()).extracting(Room::isOwn).containsExactly(false);
    }

    @Test
    void whatValuesTakeIsSeenAtOnce() {
        used(GIB);
        MemoryWatch watch = watch();
        watch.look();
        used(1800 * MIB);
        assertThat(watch.take(500 * MIB)).isTrue();
        assertThat(relieved).as("as far as is known there is room").isEmpty();
        watch.made(500 * MIB);
        assertThat(watch.take(400 * MIB)).as("in nobody's place").isFalse();
        assertThat(relieved).contains("here");
    }

    @Test
    void aValueWaitsUntilThereIsRoomForIt() {
        used(2 * GIB - 100 * MIB);
        onPause = () -> {
            if (relieved.contains("here")) {
                used(GIB);
            }
        };
        assertThat(watch().take(100 * MIB)).isTrue();
        assertThat(relieved).containsExactly("shrunk", "here");
        assertThat(nowNs).isEqualTo(Duration.ofMillis(50).toNanos());
    }

    @Test
    void aValueForWhichNoneIsMadeIsRefusedInTheEnd() {
        used(2 * GIB - 100 * MIB);
        MemoryWatch watch = watch();
        assertThat(watch.take(100 * MIB)).isFalse();
        assertThat(Duration.ofNanos(nowNs)).isEqualTo(Duration.ofSeconds(10));
        assertThat(relieved.stream().filter("here"::equals)).as("not more often than once a second").hasSizeBetween(10, 11);
        used(GIB);
        assertThat(watch.take(900 * MIB)).as("what was refused is promised to nobody").isTrue();
    }

    @Test
    void valuesThatAreBeingMadeAreInEachOthersWay() {
        used(2 * GIB - 300 * MIB);
        MemoryWatch watch = watch();
        assertThat(watch.take(200 * MIB)).isTrue();
        onPause = () -> watch.made(200 * MIB); // and given back
        assertThat(watch.take(200 * MIB)).isTrue();
        assertThat(nowNs).isPositive();
    }

    @Test
    void whereTheKernelCanSwapItselfAValueIsTakenIn() throws IOException {
        machine(64 * GIB, 32 * GIB, GIB);
        used(2 * GIB - 100 * MIB);
        assertThat(watch().take(100 * MIB)).isTrue();
    }
}
