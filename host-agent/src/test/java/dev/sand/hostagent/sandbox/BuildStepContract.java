package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One command in a sandbox of its own: its output, its end, its limits, whatever sandboxes are made of. */
abstract class BuildStepContract {
    private static final SandboxSpec LIMITS = new SandboxSpec(64L << 20, 0, 64, false, List.of(), 0);
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private Path root;
    private SandboxEngine engine;

    abstract SandboxEngine engine(Home home) throws SandboxException;

    @BeforeEach
    void open() throws Exception {
        root = Files.createTempDirectory("sand-t");
        engine = engine(new Home(root).prepare());
    }

    @AfterEach
    void close() {
        engine.close();
        LinkedTrees.delete(root);
    }

    private SandboxEngine.TaskResult run(String python, Duration limit) throws SandboxException {
        return run(python, limit, List.of());
    }

    private SandboxEngine.TaskResult run(String python, Duration limit, List<SandboxEngine.Mount> mounts) throws SandboxException {
        return engine.run(new SandboxEngine.Task("try", engine.nextUid(), List.of("python3", "-c", python), Map.of("WORD", "hello"),
                mounts, LIMITS, null, limit, 1000), lines::add);
    }

    @Test
    void itsOutputAndItsExitCodeComeBack() throws Exception {
        SandboxEngine.TaskResult result = run("import os, sys; print(os.environ['WORD']); print('oh', file=sys.stderr); sys.exit(3)", Duration.ofMinutes(1));

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.succeeded()).isFalse();
        assertThat(result.killedFor()).isNull();
        assertThat(result.stdout()).isEqualTo("hello\n");
        assertThat(result.stderr()).isEqualTo("oh\n");
        assertThat(lines).containsExactlyInAnyOrder("hello", "oh");
    }

    @Test
    void itIsKilledWithAllItStartedWhenItsTimeIsUp() throws Exception {
        SandboxEngine.TaskResult result = run("import os, time; print('begun', flush=True); os.fork(); time.sleep(1000)", Duration.ofSeconds(2));

        assertThat(result.killedFor()).contains("longer than 2 s");
        assertThat(result.succeeded()).isFalse();
    }

    /** With all that it started: nothing goes on to write where the host has stopped. */
    @Test
    void itDoesNotOutliveItsEngine() throws Exception {
        Path beats = Files.createDirectory(root.resolve("beats"));
        Files.setPosixFilePermissions(beats, PosixFilePermissions.fromString("rwxrwxrwx"));
        Future<?> step = ForkJoinPool.commonPool().submit(() -> run("""
                import os, time
                os.fork()
                os.write(1, b"begun\\n")
                while True:
                    open(f"%s/{os.getpid()}", "a").write("x")
                    time.sleep(0.01)
                """.formatted(beats), Duration.ofMinutes(10), List.of(new SandboxEngine.Mount(beats, true))));
        await().until(() -> lines.size() == 2);

        engine.close();

        assertThatThrownBy(step::get).hasRootCauseMessage("cannot run the build step try: the host agent is stopping");
        List<Long> sizes = sizes(beats);
        Thread.sleep(300);
        assertThat(sizes(beats)).hasSize(2).isEqualTo(sizes);
        assertThatThrownBy(() -> run("print()", Duration.ofMinutes(1))).hasMessageContaining("the host agent is stopping");
    }

    private static List<Long> sizes(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().map(file -> file.toFile().length()).toList();
        }
    }

    @Test
    void itHasNotEndedWhenItsOutputHas() throws Exception {
        assertThat(run("import os, time; os.close(1); os.close(2); time.sleep(0.5); os._exit(4)", Duration.ofMinutes(1)).exitCode()).isEqualTo(4);
    }

    @Test
    void itCannotHaveMoreMemoryThanItsLimit() throws Exception {
        assertThat(run("b = bytearray(400 << 20); print('got it')", Duration.ofMinutes(1)).succeeded()).isFalse();
    }

    @Test
    void onlyTheEndOfItsOutputIsKept() throws Exception {
        SandboxEngine.TaskResult result = run("for i in range(20000): print(i)", Duration.ofMinutes(1));

        assertThat(result.succeeded()).isTrue();
        assertThat(result.stdout()).hasSize(1000).endsWith("19998\n19999\n");
    }
}
