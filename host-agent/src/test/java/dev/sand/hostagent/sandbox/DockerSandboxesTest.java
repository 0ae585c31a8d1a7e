package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a container of ours may and may not do, seen through the Engine and from inside. */
@Tag("slow")
@Tag("docker")
final class DockerSandboxesTest {
    private static DockerClient docker;
    private Path root;
    private Home home;
    private Sandboxes sandboxes;

    @BeforeAll
    static void engine() {
        docker = TestImage.require();
    }

    @AfterAll
    static void done() throws IOException {
        if (docker != null) {
            docker.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        root = Files.createTempDirectory("sand-d");
        home = new Home(root).prepare();
        TestTrees.bundle(home, "b1", Map.of("grains/hello/handler.py", "def handle(event, context):\n    return 'hello'\n"));
        TestTrees.bundle(home, "b2", Map.of("grains/other/handler.py", "secret = 'of another application'\n"));
        sandboxes = Sandboxes.open(configuration(), home, new TestSockets());
    }

    @AfterEach
    void close() {
        sandboxes.runtime().close();
        assertThat(ours()).isEmpty();
        LinkedTrees.delete(root);
    }

    private static SandboxConfiguration configuration() {
        return SandboxConfiguration.defaults("test").withKind(SandboxConfiguration.Kind.DOCKER).withImage(TestImage.NAME).withBlank(0);
    }

    private List<Container> ours() {
        return docker.listContainersCmd().withShowAll(true)
                .withLabelFilter(Map.of(DockerSandboxes.HOST, "test", DockerSandboxes.HOME, root.toString())).exec();
    }

    private Started.Sandbox start(String application, String bundle, SandboxSpec limits) {
        return Started.of(sandboxes.runtime(), application, bundle, null, limits).sandbox();
    }

    private InspectContainerResponse inspect() {
        return docker.inspectContainerCmd(ours().getFirst().getId()).exec();
    }

    @Test
    void theEngineHoldsEveryLimit() {
        Started.Sandbox sandbox = start("app", "b1", new SandboxSpec(256L << 20, 0.5, 64, false, List.of(), 1000));

        InspectContainerResponse container = inspect();
        HostConfig host = container.getHostConfig();
        assertThat(container.getName()).isEqualTo("/sand-test-" + sandbox.id() + "-app-v1");
        assertThat(container.getConfig().getLabels()).containsEntry("dev.sand.application", "app")
                .containsEntry("dev.sand.version", "1").containsEntry("dev.sand.sandbox", sandbox.id());
        assertThat(host.getNetworkMode()).isEqualTo("none");
        assertThat(host.getReadonlyRootfs()).isTrue();
        assertThat(host.getPrivileged()).isFalse();
        assertThat(host.getCapDrop()).containsExactly(Capability.ALL);
        assertThat(host.getCapAdd()).isNullOrEmpty();
        assertThat(host.getSecurityOpts()).containsExactly("no-new-privileges");
        assertThat(host.getMemory()).isEqualTo((256L << 20) + ContainerShape.RESERVE_MEMORY_BYTES);
        assertThat(host.getMemorySwap()).isEqualTo(host.getMemory());
        assertThat(host.getPidsLimit()).isEqualTo(64L + ContainerShape.RESERVE_PIDS);
        assertThat(host.getNanoCPUs()).isEqualTo(500_000_000L);
        assertThat(container.getMounts()).singleElement().satisfies(mount -> {
            assertThat(mount.getSource()).isEqualTo(home.run(sandbox.id()).toString());
            assertThat(mount.getRW()).isFalse();
        });
    }

    @Test
    void moreCoresThanTheMachineHasAreAllOfThem() {
        start("app", "b1", new SandboxSpec(256L << 20, 1_024, 64, false, List.of(), 1000));

        assertThat(inspect().getHostConfig().getNanoCPUs()).isZero();
    }

    @Test
    void insideThereIsNoPrivilegeAndNoNetwork() {
        Started.Sandbox sandbox = start("app", "b1", SandboxSpec.DEFAULT);

        assertThat(sandbox.endpoint().presentedToken()).isEqualTo(sandbox.endpoint().token());
        assertThat(sandbox.run("import os; print(os.getpid(), os.getuid() >= 20000, os.getgid() == os.getuid(), os.getgroups())"))
                .startsWith("1 True True [");
        String status = sandbox.run("print(open('/proc/self/status').read())");
        assertThat(status).contains("CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2");
        assertThat(sandbox.run("import os; print(os.listdir('/sys/class/net'))")).isEqualTo("['lo']");
        assertThat(sandbox.endpoint().failure("import socket; socket.create_connection(('1.1.1.1', 53), 2)")).contains("unreachable");
        assertThat(sandbox.endpoint().failure("open('/opt/sand/x', 'w')")).contains("Read-only file system");
        assertThat(sandbox.endpoint().failure("import os; os.setuid(0)")).contains("not permitted");
        assertThat(sandbox.endpoint().failure("import os; os.mknod('/tmp/disk', 0o60644, os.makedev(254, 0))")).contains("not permitted");
        assertThat(sandbox.endpoint().failure(
                "import ctypes, os; l = ctypes.CDLL(None, use_errno=True)\nif l.mount(b'none', b'/tmp', b'tmpfs', 0, None): "
                        + "raise OSError(os.strerror(ctypes.get_errno()))")).contains("not permitted");
    }

    @Test
    void filesAreReadableAndNeverWritable() {
        Started.Sandbox sandbox = start("app", "b1", SandboxSpec.DEFAULT);

        assertThat(sandbox.run("print(open(directory + '/app/grains/hello/handler.py').read())")).contains("return 'hello'");
        for (String attempt : List.of(
                "open(directory + '/app/grains/hello/handler.py', 'a')",
                "open(directory + '/app/new.py', 'w')",
                "import os; os.chmod(directory + '/app/grains/hello/handler.py', 0o777)",
                "import os; os.unlink(directory + '/bus.sock')",
                "import os; os.rename(directory + '/app', directory + '/gone')",
                "import os; os.symlink('/etc', directory + '/etc')")) {
            assertThat(sandbox.endpoint().failure(attempt)).as(attempt).containsAnyOf("Read-only file system", "Permission denied");
        }
        assertThat(home.bundles().resolve("b1/grains/hello/handler.py")).hasContent(TestTrees.HELLO);
        assertThat(sandbox.run("import os; open('/tmp/x', 'wb').write(b'x'); print(os.stat('/tmp').st_mode & 0o7777 == 0o1777)")).isEqualTo("True");
    }

    @Test
    void oneApplicationSeesNothingOfAnother() {
        Started.Sandbox one = start("one", "b1", SandboxSpec.DEFAULT);
        Started.Sandbox two = start("two", "b2", SandboxSpec.DEFAULT);

        assertThat(one.run("import os; print(os.listdir('" + home.run() + "'))")).isEqualTo("['" + one.id() + "']");
        assertThat(one.endpoint().failure("import socket; socket.socket(socket.AF_UNIX).connect('" + two.endpoint().directory() + "/bus.sock')"))
                .contains("No such file");
        assertThat(one.endpoint().failure("open(directory + '/../" + two.id() + "/app/grains/other/handler.py')")).contains("No such file");
        assertThat(one.endpoint().failure("open('" + home.root() + "/store.db')")).contains("No such file");
        String pids = "import os; print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))";
        assertThat(one.run(pids)).isEqualTo("[1]");
        assertThat(one.run("import os; print(os.getuid())")).isNotEqualTo(two.run("import os; print(os.getuid())"));
    }

    @Test
    void whoMayHaveANetworkReachesTheWorldAndNoOtherSandbox() {
        SandboxSpec networked = new SandboxSpec(256L << 20, 0, 64, true, List.of(), 1000);
        Started.Sandbox one = start("one", "b1", networked);
        Started.Sandbox two = start("two", "b2", networked);

        String own = one.run("import builtins, socket; builtins.listening = socket.create_server(('', 5555)); "
                + "print(socket.gethostbyname(socket.gethostname()))");
        String connect = "import socket; socket.create_connection(('" + own + "', 5555), 2).close(); print('reached')";
        assertThat(one.run(connect)).as("it listens").isEqualTo("reached");
        assertThat(two.endpoint().failure(connect)).containsAnyOf("timed out", "unreachable", "refused");
        assertThat(two.run("print('\\t00000000\\t' in open('/proc/net/route').read())")).as("there is a way out").isEqualTo("True");
    }

    @Test
    void memoryAndProcessesAreBounded() {
        Started.Sandbox sandbox = start("app", "b1", new SandboxSpec(64L << 20, 0, 32, false, List.of(), 1000));

        String fork = """
                import os, signal
                pids = []
                try:
                    while len(pids) < 1000:
                        pid = os.fork()
                        if pid == 0:
                            signal.pause()
                        pids.append(pid)
                except BlockingIOError:
                    print(len(pids))
                for pid in pids:
                    os.kill(pid, 9); os.waitpid(pid, 0)
                """;
        assertThat(Integer.parseInt(sandbox.run(fork))).isBetween(32, 32 + ContainerShape.RESERVE_PIDS);
        String eat = """
                import os
                pid = os.fork()
                if pid == 0:
                    open('/proc/self/oom_score_adj', 'w').write('1000')
                    b = bytearray(400 << 20)
                    os._exit(0)
                print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                """;
        assertThat(sandbox.run(eat)).isEqualTo("-9");
        assertThat(sandbox.endpoint().failure("open('/tmp/big', 'wb').write(bytes(40 << 20))")).contains("No space left");
    }

    @Test
    void aNetworkIsThereWhenGranted() {
        Started.Sandbox sandbox = start("app", "b1", new SandboxSpec(64L << 20, 0, 32, true, List.of(), 1000));

        assertThat(sandbox.run("import os; print(sorted(os.listdir('/sys/class/net')))")).contains("eth0");
    }

    @Test
    void aStoppedSandboxLeavesNothing() {
        Started started = Started.of(sandboxes.runtime(), "app", "b1", null, SandboxSpec.DEFAULT);
        String id = started.sandbox().id();

        sandboxes.runtime().forceKill("core-app");

        assertThat(started.end()).contains("killed");
        assertThat(ours()).isEmpty();
        await().until(() -> Files.notExists(home.run(id)));
    }

    @Test
    void aContainerKilledBehindOurBackIsNoticed() {
        Started started = Started.of(sandboxes.runtime(), "app", "b1", null, SandboxSpec.DEFAULT);
        started.sandbox();

        docker.killContainerCmd(ours().getFirst().getId()).exec();

        assertThat(started.end()).contains("exit code 137");
        assertThat(ours()).isEmpty();
    }

    @Test
    void aMissingSupervisorSaysWhatItWrote() throws Exception {
        sandboxes.runtime().close();
        Path broken = root.resolve("bundles/b3");
        Files.createDirectories(broken);
        sandboxes = Sandboxes.open(configuration(), home, (place, directory) -> {
            TestSockets.Endpoint endpoint = new TestSockets().open(place, directory);
            Files.delete(directory.resolve("bus.sock"));
            return endpoint;
        });

        String cause = Started.of(sandboxes.runtime(), "app", "b3", null, SandboxSpec.DEFAULT).failure();

        assertThat(cause).contains("exit code 1", "FileNotFoundError");
    }

    @Test
    void onlyOurOwnOrphansAreRemoved() throws Exception {
        Started.Sandbox orphan = start("app", "b1", SandboxSpec.DEFAULT);
        Path otherRoot = Files.createTempDirectory("sand-d");
        Home other = new Home(otherRoot).prepare();
        Files.createDirectories(other.bundles().resolve("b1"));
        Sandboxes neighbour = Sandboxes.open(configuration(), other, new TestSockets());
        Started.of(neighbour.runtime(), "theirs", "b1", null, SandboxSpec.DEFAULT).sandbox();

        Sandboxes again = Sandboxes.open(configuration(), home, new TestSockets());

        assertThat(ours()).noneMatch(container -> container.getLabels().get(DockerSandboxes.SANDBOX).equals(orphan.id()));
        assertThat(docker.listContainersCmd().withLabelFilter(Map.of(DockerSandboxes.HOME, otherRoot.toString())).exec()).hasSize(1);
        again.runtime().close();
        neighbour.runtime().close();
        LinkedTrees.delete(otherRoot);
    }
}
