package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.InvocationResult;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import dev.sand.hostagent.sandbox.TestEngine;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real runtime in real containers: one an application, and what happens when the engine's side breaks. */
@Tag("slow")
@Tag("docker")
class DockerHostAgentTest {
    private static final String WHERE = """
            import os
            def handle(event, context):
                if event == "crash":
                    os.kill(1, 9)
                    os._exit(1)
                return [os.uname().nodename, os.getpid(), os.getuid()]
            """;

    private TestPlatform platform;
    private TestEngine engine;

    @BeforeEach
    void start() throws Exception {
        engine = TestEngine.require();
        platform = new TestPlatform(new MemoryBus(), HostAgentConfiguration.defaults("test-agent"),
                SandboxConfiguration.defaults("test-agent").withKind(SandboxConfiguration.Kind.DOCKER), before -> { });
    }

    @AfterEach
    void stop() throws Exception {
        if (platform != null) {
            platform.close();
            assertThat(engine.containersOf(platform.home)).isEmpty();
        }
        engine.close();
    }

    @Test
    void anApplicationHasOneContainerAndARequestAProcess() throws Exception {
        ApplicationVersion one = platform.deploy("one", Map.of("where", WHERE, "other", WHERE));
        ApplicationVersion two = platform.deploy("two", Map.of("where", WHERE));

        String first = TestPlatform.text(platform.invoke(one, "where", "1"));
        String second = TestPlatform.text(platform.invoke(one, "where", "1"));
        String other = TestPlatform.text(platform.invoke(one, "other", "1"));
        String elsewhere = TestPlatform.text(platform.invoke(two, "where", "1"));

        assertThat(host(second)).isEqualTo(host(first)).isEqualTo(host(other)).isNotEqualTo(host(elsewhere));
        assertThat(second).isNotEqualTo(first);
        await().untilAsserted(() -> assertThat(engine.containersOf(platform.home))
                .filteredOn(name -> name.endsWith("-one-v1")).hasSize(1));
    }

    private static String host(String answer) {
        return answer.split(",")[0];
    }

    @Test
    void aContainerThatIsKilledFailsNothingButDelaysIt() throws Exception {
        ApplicationVersion version = platform.deploy("app", Map.of("where", WHERE));
        String before = TestPlatform.text(platform.invoke(version, "where", "1"));

        engine.killAll(platform.home);
        String after = TestPlatform.text(platform.invoke(version, "where", "1"));

        assertThat(host(after)).isNotEqualTo(host(before));
    }

    @Test
    void aGrainCannotEndItsSupervisor() throws Exception {
        ApplicationVersion version = platform.deploy("app", Map.of("where", WHERE));
        String before = TestPlatform.text(platform.invoke(version, "where", "1"));

        InvocationResult crash = platform.invoke(version, "where", "\"crash\"");

        assertThat(crash.failure().error()).isEqualTo(Errors.CRASHED);
        assertThat(host(TestPlatform.text(platform.invoke(version, "where", "1")))).isEqualTo(host(before));
    }
}
