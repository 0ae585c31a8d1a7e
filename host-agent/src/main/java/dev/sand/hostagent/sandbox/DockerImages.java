package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.BuildResponseItem;
import dev.sand.event.Digests;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sandboxes begin from: the platform's image; one of the host's that was made from it; and Debian packages on top of either, which
 * are installed once and kept as an image that is named by what is in it.
 */
final class DockerImages {
    /** Written into the image by deploy/images/build.sh, and by what is built from it: what the platform's was built on. */
    private static final String LABEL = "dev.sand.base";
    private static final String PACKAGES = "sand-packages:";
    private static final Logger LOG = LoggerFactory.getLogger(DockerImages.class);
    private final DockerCalls docker;
    private final String image;
    private final String network;
    private final Duration timeLimit;
    private final String platform;
    /** Held while it is built: others wait for it. */
    private final Map<String, Object> builds = new ConcurrentHashMap<>();

    /** @throws SandboxException when the platform's image is not there, or no engine answers */
    DockerImages(DockerCalls docker, SandboxConfiguration configuration) throws SandboxException {
        this.docker = docker;
        this.image = configuration.image();
        this.network = configuration.buildNetwork();
        this.timeLimit = configuration.buildTimeout();
        InspectImageResponse found = docker.call("find the sandbox image " + image + " (deploy/images/build.sh makes it)",
                client -> client.inspectImageCmd(image).exec());
        this.platform = base(found) == null ? found.getId() : base(found);
    }

    /** Of the Python and the libraries that sandboxes run on. */
    String platform() {
        return platform;
    }

    /**
     * Installs packages that no sandbox here has had yet: takes as long as that.
     *
     * @param base null: nothing is asked for; @return the image's name
     */
    String of(SandboxSpec.Base base) throws SandboxException {
        if (base == null) {
            return image;
        }
        InspectImageResponse from = base.image() == null ? inspect(image) : own(base.image());
        Set<String> packages = new TreeSet<>(base.packages());
        if (packages.isEmpty()) {
            return base.image();
        }
        String built = PACKAGES + HexFormat.of().formatHex(Digests.sha256(from.getId() + " " + String.join(" ", packages)));
        synchronized (builds.computeIfAbsent(built, _ -> new Object())) {
            if (inspect(built) == null) {
                build(built, from.getId(), packages);
            }
        }
        return built;
    }

    private InspectImageResponse own(String name) throws SandboxException {
        InspectImageResponse found = inspect(name);
        if (found == null) {
            throw SandboxException.forGood("this host has no image " + name + ": build or load it there");
        }
        if (!platform.equals(base(found))) {
            throw SandboxException.forGood("image " + name + " was not made from the platform's: begin its Dockerfile with FROM " + image);
        }
        return found;
    }

    private static String base(InspectImageResponse of) {
        Map<String, String> labels = of.getConfig() == null ? null : of.getConfig().getLabels();
        return labels == null ? null : labels.get(LABEL);
    }

    /** Null: there is none. */
    private InspectImageResponse inspect(String name) throws SandboxException {
        return docker.call("look for image " + name, client -> {
            try {
                return client.inspectImageCmd(name).exec();
            } catch (NotFoundException e) {
                return null;
            }
        });
    }

    private void build(String name, String from, Set<String> packages) throws SandboxException {
        LOG.info("image {}: installing {}", name, packages);
        Output output = new Output();
        Path folder = null;
        try {
            folder = Files.createTempDirectory("sand-image-");
            Files.write(folder.resolve("Dockerfile"), List.of("FROM " + from, "USER root",
                    "RUN apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "
                            + String.join(" ", packages) + " && rm -rf /var/lib/apt/lists/*"));
            docker.streams().buildImageCmd(folder.toFile()).withTags(Set.of(name)).withNetworkMode(network).withForcerm(true).exec(output);
            if (!output.ended(timeLimit)) {
                throw new SandboxException("packages " + packages + " were not installed within " + timeLimit.toSeconds() + " s");
            }
        } catch (IOException | RuntimeException e) {
            throw new SandboxException("packages " + packages + " cannot be installed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException("interrupted: installing " + packages, e);
        } finally {
            stop(output);
            if (folder != null) {
                LinkedTrees.delete(folder);
            }
        }
        if (inspect(name) == null) {
            Set<String> unknown = output.words.unknown();
            if (!unknown.isEmpty()) {
                throw SandboxException.forGood("packages " + packages + " cannot be installed: there is no package " + String.join(", ", unknown));
            }
            throw new SandboxException("packages " + packages + " cannot be installed: " + output.words.text());
        }
    }

    private static void stop(Output output) {
        try {
            output.close();
        } catch (IOException e) {
            LOG.debug("the engine's output does not close: {}", e.getMessage());
        }
    }

    private static final class Output extends EngineStream<BuildResponseItem> {
        final InstallWords words = new InstallWords();

        @Override
        public void onNext(BuildResponseItem item) {
            String text = item.getErrorDetail() != null ? item.getErrorDetail().getMessage() : item.getStream();
            if (text != null) {
                words.write(text);
            }
        }
    }
}
