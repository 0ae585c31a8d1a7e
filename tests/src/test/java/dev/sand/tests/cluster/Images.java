package dev.sand.tests.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The images that this build made, by the variable of the compose file that names them; see tests/cluster-images.sh. */
final class Images {
    static final String WHY_NOT = "the images of the cluster are not built: ./sand test builds them, or SAND_TEST_CLUSTER=1 with a Docker engine";
    private static final Path FILE = Path.of("target/images.env");

    private Images() {}

    static Optional<Map<String, String>> built() {
        if (!Files.isReadable(FILE)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readAllLines(FILE).stream().map(line -> line.split("=", 2))
                    .collect(Collectors.toUnmodifiableMap(pair -> pair[0], pair -> pair[1])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
