package dev.sand.tests.cluster;

import com.github.dockerjava.api.model.Container;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Callers who wait for their answers, of a grain that ends when the test says so, host by host: by a file in its sandbox's
 * folder, so whatever its host agent does meanwhile.
 */
final class Held {
    private static final String NAME = "held";
    private static final String GATE = "go";
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: held\nsandbox: {memory: 256MiB}\ndefaults: {timeout: 2m}\n",
            "grains/wait/handler.py", """
                    import time
                    from pathlib import Path

                    def handle(event, context):
                        Path("/proc/self/comm").write_text("held")
                        sandbox = next(folder for folder in Path(__file__).parents if folder.name == "app").parent
                        while not (sandbox / "go").exists():
                            time.sleep(0.05)
                        return event["n"]
                    """);
    private final List<CompletableFuture<PlatformClient.Answer>> answers;

    private Held(List<CompletableFuture<PlatformClient.Answer>> answers) {
        this.answers = answers;
    }

    static void deploy(PlatformClient client) {
        client.deploy(FILES);
    }

    static Held begin(PlatformClient client, int count) {
        return new Held(IntStream.range(0, count).mapToObj(n -> client.invokeLater(NAME + "/wait", "{\"n\": " + n + "}",
                Map.of("Sand-Timeout", "110s"))).toList());
    }

    /** So many are held there, in instances that wait for {@link #letGo}. */
    static long at(ClusterFixture cluster, String host) {
        return cluster.processes(host, NAME, "held");
    }

    /** What runs or comes to run in that host's present sandboxes ends. */
    static void letGo(ClusterFixture cluster, String host) {
        for (Container sandbox : cluster.sandboxes(host)) {
            if (sandbox.getNames()[0].contains("-" + NAME + "-")) {
                sandbox.getMounts().forEach(mount -> open(Path.of(mount.getSource())));
            }
        }
    }

    private static void open(Path folder) {
        try {
            if (Files.isDirectory(folder)) {
                Files.createFile(folder.resolve(GATE));
            }
        } catch (FileAlreadyExistsException e) {
            // It is open.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isOver() {
        return answers.stream().allMatch(CompletableFuture::isDone);
    }

    /** @return answers that are not what they should be; waits for all */
    List<String> wrong() {
        return IntStream.range(0, answers.size()).mapToObj(n -> {
            PlatformClient.Answer answer = answers.get(n).join();
            return answer.status() == 200 && answer.body().equals(String.valueOf(n)) ? null : n + ": " + answer.status() + " " + answer.body();
        }).filter(Objects::nonNull).toList();
    }
}
