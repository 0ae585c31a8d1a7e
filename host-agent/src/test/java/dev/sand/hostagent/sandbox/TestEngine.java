package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Container;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The Docker engine as an operator sees it, for tests of whole host agents. */
public final class TestEngine implements AutoCloseable {
    private final DockerClient docker;

    private TestEngine(DockerClient docker) {
        this.docker = docker;
    }

    /** Skips the test, with the reason, where there is no engine or no image. */
    public static TestEngine require() {
        return new TestEngine(TestImage.require());
    }

    /** Names of the containers of that home's sandboxes. */
    public List<String> containersOf(Home home) {
        return containers(home).stream().map(container -> container.getNames()[0]).toList();
    }

    public void killAll(Home home) {
        containers(home).forEach(container -> docker.killContainerCmd(container.getId()).exec());
    }

    private List<Container> containers(Home home) {
        return docker.listContainersCmd().withLabelFilter(Map.of(DockerSandboxes.HOME, home.root().toString())).exec();
    }

    @Override
    public void close() throws IOException {
        docker.close();
    }
}
