package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Plain processes, with the walls that this machine allows: strongest as root. */
final class ProcessSandboxesTest {
    private Path root;
    private Path python;
    private Home home;
    private Sandboxes sandboxes;

    @BeforeEach
    void open() throws Exception {
        root = Files.createTempDirectory("sand-p");
        home = new Home(root).prepare();
        python = Files.createTempDirectory("sand-py");
        Files.setPosixFilePermissions(python, PosixFilePermissions.fromString("rwxr-xr-x"));
        TestTrees.write(python, Map.of("sand/__init__.py", ""));
        try (InputStream supervisor = getClass().getResourceAsStream("/sandbox/supervisor.py")) {
            Files.copy(supervisor, python.resolve("sand/supervisor.py"));
        }
        TestTrees.bundle(home, "b1", Map.of("grains/hello/handler.py", TestTrees.HELLO));
        sandboxes = Sandboxes.open(configuration(), home, new TestSockets());
    }

    private SandboxConfiguration configuration() {
        return SandboxConfiguration.defaults("test").withKind(SandboxConfiguration.Kind.PROCESS).withPython("python3", python).withBlank(0);
    }

    @AfterEach
    void close() {
        sandboxes.runtime().close();
        LinkedTrees.delete(root);
        LinkedTrees.delete(python);
    }

    private Started start(String application) {
        return Started.of(sandboxes.runtime(), application, "b1", null, SandboxSpec.DEFAULT);
    }

    @Test
    void theSameFolderAndSupervisorAsInAContainer() {
        Started.Sandbox sandbox = start("app").sandbox();

        assertThat(sandboxes.runtime().kind()).isEqualTo("process");
        assertThat(sandbox.endpoint().presentedToken()).isEqualTo(sandbox.endpoint().token());
        assertThat(sandbox.run("print(open(directory + '/app/grains/hello/handler.py').read())")).contains("hello");
        assertThat(sandbox.run("import os; print(sorted(k for k in os.environ if k.startswith('SAND')))"))
                .isEqualTo("['SAND_DIRECTORY', 'SAND_TOKEN']");
    }

    @Test
    void anotherUserCannotWriteItsFilesNorSeeAnothersFolder() {
        Assumptions.assumeTrue(ownUser(), "users can be changed only by root");
        Started.Sandbox one = start("one").sandbox();
        Started.Sandbox two = start("two").sandbox();

        assertThat(one.endpoint().failure("open(directory + '/app/grains/hello/handler.py', 'a')")).contains("Permission denied");
        assertThat(one.endpoint().failure("open(directory + '/app/x', 'w')")).contains("Permission denied");
        assertThat(one.endpoint().failure("import os; os.listdir('" + two.endpoint().directory() + "')")).contains("Permission denied");
        assertThat(one.endpoint().failure("import socket; socket.socket(socket.AF_UNIX).connect('" + two.endpoint().directory() + "/bus.sock')"))
                .contains("Permission denied");
        assertThat(one.endpoint().failure("open('" + root + "/store.db')")).contains("Permission denied");
        assertThat(one.endpoint().failure("import os; os.setuid(0)")).contains("not permitted");
        assertThat(one.run("print(open('/proc/self/status').read())")).contains("NoNewPrivs:\t1", "CapBnd:\t0000000000000000");
    }

    private static boolean ownUser() {
        return System.getProperty("user.name").equals("root");
    }

    @Test
    void escapedProcessesDieWithTheSandbox() {
        Started started = start("app");
        Started.Sandbox sandbox = started.sandbox();
        // Double-forked into a session of its own, parent gone: no process group and no parent leads to it.
        sandbox.run("""
                import os, signal
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        signal.pause()
                    os._exit(0)
                os.wait()
                """);
        assertThat(processesOf(sandbox)).hasSizeGreaterThanOrEqualTo(2);

        sandboxes.runtime().forceKill("core-app");

        assertThat(started.end()).contains("killed");
        assertThat(processesOf(sandbox)).isEmpty();
        await().until(() -> Files.notExists(sandbox.endpoint().directory()));
    }

    private static List<Long> processesOf(Started.Sandbox sandbox) {
        String mark = "SAND_DIRECTORY=" + sandbox.endpoint().directory();
        return ProcessHandle.allProcesses().map(ProcessHandle::pid).filter(pid -> {
            try {
                return Files.readString(Path.of("/proc", pid.toString(), "environ")).contains(mark);
            } catch (IOException | UncheckedIOException gone) {
                return false;
            }
        }).toList();
    }

    @Test
    void aSupervisorKilledBehindOurBackIsNoticed() {
        Started started = start("app");
        Started.Sandbox sandbox = started.sandbox();

        processesOf(sandbox).forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));

        assertThat(started.end()).contains("exit code 137");
    }

    @Test
    void orphansOfAnEarlierRunAreEnded() throws Exception {
        Started.Sandbox orphan = start("app").sandbox();
        Path temporary = Path.of(orphan.run("import os, tempfile; open(tempfile.gettempdir() + '/left', 'w'); print(tempfile.gettempdir())"));
        assertThat(temporary.resolve("left")).exists().startsWith(root);

        Sandboxes again = Sandboxes.open(configuration(), home, new TestSockets());

        assertThat(processesOf(orphan)).isEmpty();
        assertThat(temporary).doesNotExist();
        again.runtime().close();
    }

    @Test
    void aSupervisorThatCannotStartSaysWhy() throws Exception {
        Files.writeString(python.resolve("sand/supervisor.py"), "raise SystemExit('no luck today')\n");

        assertThat(start("app").failure()).contains("exit code 1", "no luck today");
    }
}
