package dev.sand.hostagent.segments;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import org.awaitility.Awaitility;

/**
 * What a 100 MiB value costs a grain: allocate and fill, in a new file and in one used again. Run by hand from host-agent/
 * with the test class path: {@code java --enable-native-access=ALL-UNNAMED dev.sand.hostagent.segments.SegmentsBench}.
 */
final class SegmentsBench {
    private static final int ROUNDS = 15;
    private static final int MIB = 100;

    private SegmentsBench() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        MemfdSegments segments = new MemfdSegments(MemfdSegments.Options.DEFAULT);
        double[] fresh = new double[ROUNDS];
        double[] reused = new double[ROUNDS];
        try (SegmentServer.Endpoint endpoint = segments.open(directory); PythonClient client = new PythonClient(directory)) {
            for (int i = 0; i < ROUNDS; i++) {
                endpoint.bind("app" + i); // another application never gets its files
                String first = String.format("01JD3Q8Z9X7N4T2M6K5R1A0%03d", i);
                String second = String.format("01JD3Q8Z9X7N4T2M6K5R1B0%03d", i);
                JsonNode written = client.call("write", first + "/Root", MIB);
                fresh[i] = written.get("ms").asDouble();
                segments.release("app" + i, first);
                Awaitility.await().pollDelay(Duration.ofMillis(600)).until(() -> true); // the moment of grace
                JsonNode again = client.call("write", second + "/Root", MIB);
                reused[i] = again.get("inode").equals(written.get("inode")) ? again.get("ms").asDouble() : Double.NaN;
                segments.release("app" + i, second);
            }
        }
        segments.close();
        Files.deleteIfExists(directory);
        System.out.printf("%s, %s, %d cores: allocate and fill %d MiB, p50 of %d: fresh %.1f ms, used again %.1f ms%n",
                LocalDate.now(), System.getProperty("os.version"), Runtime.getRuntime().availableProcessors(), MIB, ROUNDS,
                median(fresh), median(reused));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
