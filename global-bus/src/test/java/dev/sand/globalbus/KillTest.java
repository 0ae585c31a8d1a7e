package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.globalbus.GlobalBus.BusRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill -9} at any moment: whatever was acknowledged is there, in its place, after every start. */
@Tag("slow")
class KillTest {
    private static final long SEED = 20181;
    private static final int ROUNDS = 6;
    private static final int MOST_LINES = 6000;

    @TempDir
    Path directory;
    /** Of the partition that is trimmed, what it has still, and the last that is there. */
    private long begin;
    private long last;

    @Test
    void nothingAcknowledgedIsMissingAfterKills() throws Exception {
        Random random = new Random(SEED);
        Map<String, String> acknowledged = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            appendUntilKilled(round, 1 + random.nextInt(MOST_LINES), acknowledged);
            Map<String, String> found = read();
            acknowledged.keySet().removeIf(place -> place.startsWith("1 ") && Long.parseLong(place.substring(2)) < begin);
            assertThat(found).as("round " + round).containsAllEntriesOf(acknowledged);
            assertThat(begin).isLessThanOrEqualTo(Math.max(0, last - AppendingChild.KEPT));
        }
        assertThat(acknowledged).isNotEmpty();
    }

    private void appendUntilKilled(int round, int lines, Map<String, String> acknowledged) throws IOException {
        Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                AppendingChild.class.getName(), directory.resolve("bus.db").toString(), "r" + round)
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader out = child.inputReader()) {
            for (int i = 0; i < lines; i++) {
                note(out.readLine(), acknowledged);
            }
            child.toHandle().destroyForcibly(); // unlike the process's own method, it leaves the pipe to be read
            List<String> rest = new ArrayList<>(out.lines().toList());
            // The kill may have cut the last line: it was not said in full, so it was not acknowledged.
            if (!rest.isEmpty()) {
                rest.removeLast();
            }
            rest.forEach(line -> note(line, acknowledged));
        } finally {
            child.toHandle().destroyForcibly();
            child.onExit().join();
        }
    }

    private static void note(String line, Map<String, String> acknowledged) {
        String[] words = line.split(" ");
        assertThat(acknowledged.put(words[0] + " " + words[1], words[2])).as("an offset given twice").isNull();
    }

    private Map<String, String> read() {
        Map<String, String> found = new HashMap<>();
        GlobalBus bus = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        for (int partition = 0; partition < AppendingChild.PARTITIONS; partition++) {
            List<BusRecord> page = bus.read("t", partition, 0, 1000);
            begin = bus.beginOffset("t", partition);
            last = bus.endOffset("t", partition) - 1;
            long expected = begin;
            while (!page.isEmpty()) {
                for (BusRecord record : page) {
                    assertThat(record.offset()).as("no gaps").isEqualTo(expected++);
                    found.put(partition + " " + record.offset(), new String(record.value(), StandardCharsets.UTF_8));
                }
                page = bus.read("t", partition, expected, 1000);
            }
        }
        bus.close();
        return found;
    }
}
