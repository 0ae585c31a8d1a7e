package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.BuildImageResultCallback;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** The sandbox image with the stand-in supervisor in place of the real one. */
final class TestImage {
    static final String NAME = "sand-sandbox-standin:test";
    private static final String BASE = "sand-sandbox:latest";

    private TestImage() {}

    /** Skips the test, with the reason, where there is no engine or no image. */
    static DockerClient require() {
        DefaultDockerClientConfig config = DefaultDockerClientConfig.createDefaultConfigBuilder().build();
        DockerClient docker = DockerClientImpl.getInstance(config, new ZerodepDockerHttpClient.Builder()
                .dockerHost(config.getDockerHost()).maxConnections(16).build());
        try {
            docker.pingCmd().exec();
        } catch (RuntimeException e) {
            Assumptions.abort("no Docker engine answers at " + config.getDockerHost() + ": start it with deploy/docker/ensure-engine.sh");
        }
        try {
            docker.inspectImageCmd(BASE).exec();
        } catch (RuntimeException e) {
            Assumptions.abort("no image " + BASE + ": build it with deploy/images/build.sh");
        }
        build(docker);
        return docker;
    }

    private static void build(DockerClient docker) {
        try (InputStream supervisor = TestImage.class.getResourceAsStream("/sandbox/supervisor.py")) {
            Path context = Files.createTempDirectory("sand-image");
            Files.copy(supervisor, context.resolve("supervisor.py"));
            Files.writeString(context.resolve("Dockerfile"), """
                    FROM %s
                    COPY supervisor.py /opt/sand/sand/supervisor.py
                    RUN rm -f /opt/sand/sand/__pycache__/supervisor.*
                    """.formatted(BASE));
            docker.buildImageCmd(context.toFile()).withTags(Set.of(NAME)).exec(new BuildImageResultCallback()).awaitImageId();
            LinkedTrees.delete(context);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
