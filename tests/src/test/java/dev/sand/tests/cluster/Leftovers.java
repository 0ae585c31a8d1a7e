package dev.sand.tests.cluster;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Container;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/**
 * What a run of the tests leaves when it was killed: containers that carry the process that started them as a label, sandboxes
 * that carry a host's home, and that home. Found by those labels and removed only when that process is no more.
 */
final class Leftovers {
    static final String LABEL = "dev.sand.test";
    static final String HOME_LABEL = "dev.sand.test.home";
    static final String HOME_PREFIX = "sand-tc-";
    private static final String SANDBOX_HOME = "dev.sand.home";

    private Leftovers() {}

    /** This process, and when it began: a number alone is given again. */
    static String ours() {
        return nameOf(ProcessHandle.current());
    }

    private static String nameOf(ProcessHandle process) {
        return process.pid() + "@" + process.info().startInstant().map(at -> at.getEpochSecond()).orElse(0L);
    }

    private static boolean lives(String name) {
        return ProcessHandle.of(Long.parseLong(name.split("@")[0])).map(Leftovers::nameOf).filter(name::equals).isPresent();
    }

    static void remove() {
        DockerClient engine = DockerClientFactory.instance().client();
        List<Container> dead = engine.listContainersCmd().withShowAll(true).withLabelFilter(List.of(LABEL)).exec().stream()
                .filter(container -> !lives(container.getLabels().get(LABEL))).toList();
        removeAll(engine, dead);
        dead.stream().map(container -> container.getLabels().get(HOME_LABEL)).distinct().map(Path::of)
                .filter(home -> home.getFileName().toString().startsWith(HOME_PREFIX)).forEach(Leftovers::removeHome);
        engine.listNetworksCmd().exec().stream().filter(network -> network.getLabels() != null && network.getLabels().containsKey(LABEL)
                && !lives(network.getLabels().get(LABEL))).forEach(network -> engine.removeNetworkCmd(network.getId()).exec());
    }

    private static void removeAll(DockerClient engine, Collection<Container> containers) {
        for (Container container : containers) {
            try {
                engine.removeContainerCmd(container.getId()).withForce(true).withRemoveVolumes(true).exec();
            } catch (DockerException e) {
                if (e.getHttpStatus() != 404 && e.getHttpStatus() != 409) {
                    throw e;
                }
                // Somebody else removes it already.
            }
        }
    }

    /** The home's folder, and the sandboxes that were started from it. */
    static void removeHome(Path home) {
        if (Files.notExists(home)) {
            return;
        }
        try (Stream<Path> hosts = Files.list(home)) {
            DockerClient engine = DockerClientFactory.instance().client();
            hosts.filter(Files::isDirectory).forEach(host -> removeAll(engine, engine.listContainersCmd().withShowAll(true)
                    .withLabelFilter(Map.of(SANDBOX_HOME, host.toString())).exec()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + home, e);
        }
    }
}
