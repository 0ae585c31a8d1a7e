package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Container;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Blank sandboxes, and an engine that goes away. */
@Tag("docker")
@Tag("slow")
final class SandboxPoolTest {
    private static final SandboxSpec SMALL = new SandboxSpec(64L << 20, 0, 32, false, List.of(), 1000);
    private static DockerClient docker;
    private final List<TestSockets.Endpoint> endpoints = new CopyOnWriteArrayList<>();
    private Path root;
    private EngineProxy proxy;
    private Sandboxes sandboxes;

    @BeforeAll
    static void engine() {
        docker = TestImage.require();
    }

    @BeforeEach
    void folders() throws IOException {
        root = Files.createTempDirectory("sand-q");
        proxy = new EngineProxy(root);
    }

    private void open(int blank, Duration timeout) throws Exception {
        Home home = new Home(root).prepare();
        TestTrees.bundle(home, "b1", Map.of("grains/hello/handler.py", TestTrees.HELLO));
        TestTrees.write(home.dependencies().resolve("d1"), Map.of("library/__init__.py", "name = 'library'\n"));
        sandboxes = Sandboxes.open(SandboxConfiguration.defaults("test-pool").withKind(SandboxConfiguration.Kind.DOCKER)
                .withImage(TestImage.NAME).withBlank(blank).withEngine(proxy.address(), timeout), home, (place, directory) -> {
                    TestSockets.Endpoint endpoint = new TestSockets().open(place, directory);
                    endpoints.add(endpoint);
                    return endpoint;
                });
    }

    @AfterEach
    void close() throws IOException {
        proxy.restore();
        sandboxes.runtime().close();
        assertThat(ours()).isEmpty();
        proxy.close();
        LinkedTrees.delete(root);
    }

    private List<Container> ours() {
        return docker.listContainersCmd().withShowAll(true).withLabelFilter(Map.of(DockerSandboxes.HOME, root.toString())).exec();
    }

    private Started start(String application, SandboxSpec limits) {
        return Started.of(sandboxes.runtime(), application, "b1", "d1", limits);
    }

    private void awaitBlank(int sandbox) {
        await().until(() -> endpoints.size() >= sandbox && endpoints.get(sandbox - 1).supervisorReady().isDone());
    }

    @Test
    void aClaimMakesNoEngineCall() throws Exception {
        open(1, Duration.ofSeconds(10));
        awaitBlank(1);
        // The engine's answer to the start comes after the supervisor's connection; what is counted begins after both.
        await().until(() -> proxy.requests().stream().anyMatch(line -> line.contains("/start")));
        await().during(Duration.ofMillis(300)).until(() -> proxy.requests().size(), size -> size > 0);
        List<String> before = proxy.requests();

        Started.Sandbox sandbox = start("app", SandboxSpec.DEFAULT).sandbox();

        assertThat(proxy.requests()).isEqualTo(before);
        assertThat(sandbox.warm()).isTrue();
        assertThat(sandbox.run("import sys; sys.path.insert(0, directory + '/app/.dependencies'); import library; print(library.name)"))
                .isEqualTo("library");
        assertThat(sandbox.run("print(open(directory + '/app/grains/hello/handler.py').read())")).contains("hello");
        awaitBlank(2);
        await().until(() -> ours().stream().anyMatch(container -> container.getNames()[0].endsWith(sandbox.id() + "-app-v1")));
    }

    @Test
    void otherLimitsGetASandboxOfTheirOwn() throws Exception {
        open(1, Duration.ofSeconds(10));
        awaitBlank(1);

        assertThat(start("app", SMALL).sandbox().warm()).isFalse();
        assertThat(start("other", SandboxSpec.DEFAULT).sandbox().warm()).isTrue();
    }

    @Test
    void theSecondTimeFilesAreRenamedIntoPlace() throws Exception {
        open(0, Duration.ofSeconds(10));
        start("one", SMALL).sandbox();
        Path spare = root.resolve("spares/bundles-b1");
        await().until(() -> Files.exists(spare) && Files.exists(root.resolve("spares/dependencies-d1")));

        Started.Sandbox second = start("two", SMALL).sandbox();

        assertThat(spare).doesNotExist();
        assertThat(second.run("print(open(directory + '/app/.dependencies/library/__init__.py').read())")).contains("library");
        await().until(() -> Files.exists(spare));
    }

    @Test
    void anEngineThatIsGoneFailsStartsWithACauseAndNothingElse() throws Exception {
        open(0, Duration.ofSeconds(10));
        Started running = start("one", SMALL);
        running.sandbox();

        proxy.cut();

        assertThat(start("two", SMALL).failure()).contains("two", "does not answer", "is it running?");
        assertThat(running.sandbox().run("print('still here')")).isEqualTo("still here");

        proxy.restore();
        start("three", SMALL).sandbox();
        assertThat(running.sandbox().run("print('still here')")).isEqualTo("still here");
    }

    @Test
    void anEngineThatHangsFailsStartsInTime() throws Exception {
        open(0, Duration.ofSeconds(1));
        proxy.silence();

        assertThat(start("app", SMALL).failure()).contains("does not answer within 1 s");
    }

    @Test
    void aDeathWhileTheEngineIsAwayIsNoticed() throws Exception {
        open(0, Duration.ofSeconds(10));
        Started started = start("app", SMALL);
        started.sandbox();
        proxy.cut();

        docker.killContainerCmd(ours().getFirst().getId()).exec();

        assertThat(started.end()).isNotEmpty();
        proxy.restore();
        await().until(() -> ours().isEmpty());
    }
}
