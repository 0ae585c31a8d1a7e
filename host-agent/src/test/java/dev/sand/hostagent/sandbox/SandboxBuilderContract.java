package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a build makes of an application folder, whatever sandboxes are made of. */
abstract class SandboxBuilderContract {
    private static final SandboxSpec LIMITS = new SandboxSpec(512L << 20, 0, 128, false, List.of(), 1000);
    private final List<String> progress = new CopyOnWriteArrayList<>();
    private Path root;
    private Path source;
    Home home;
    Sandboxes sandboxes;

    abstract SandboxConfiguration configuration();

    /** Whether this machine can keep a build's user code from the network and from this user's files. */
    abstract boolean hasWalls();

    @BeforeEach
    void open() throws Exception {
        root = Files.createTempDirectory("sand-b");
        source = Files.createTempDirectory("sand-src");
        home = new Home(root);
        sandboxes = Sandboxes.open(configuration(), home, new TestSockets());
    }

    @AfterEach
    void close() {
        sandboxes.runtime().close();
        assertThat(home.staging()).isEmptyDirectory();
        LinkedTrees.delete(root);
        LinkedTrees.delete(source);
    }

    private BuildResult build(Map<String, String> files, String... grains) throws IOException {
        TestTrees.write(source, files);
        Map<String, GrainSpec> specs = Stream.of(grains).collect(Collectors.toMap(name -> name, GrainSpec::withDefaults));
        try {
            return sandboxes.builder().build(new BuildRequest("app", source, LIMITS, specs), progress::add).join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private Failure refusal(Map<String, String> files, String... grains) throws IOException {
        try {
            build(files, grains);
        } catch (BuildException e) {
            return e.failure();
        }
        throw new AssertionError("it was built");
    }

    @Test
    void filesBecomeAnImmutableBundleWithByteCode() throws IOException {
        Map<String, String> files = Map.of("grains/hello/handler.py", TestTrees.HELLO, "shared_code.py", "x = 1\n", ".git/config", "x");

        BuildResult first = build(files, "hello");
        BuildResult second = build(files, "hello");

        assertThat(second).isEqualTo(first);
        assertThat(progress).contains("grain hello: imports", "grains: as before, import already");
        assertThat(first.dependencies()).isNull();
        Path bundle = home.bundles().resolve(first.bundle());
        assertThat(bundle.resolve(".git")).doesNotExist();
        assertThat(bundle.resolve("grains/hello/handler.py")).hasContent(TestTrees.HELLO);
        assertThat(Files.getPosixFilePermissions(bundle.resolve("grains/hello/handler.py"))).noneMatch(p -> p.name().endsWith("WRITE"));
        assertThat(bundle.resolve("grains/hello/__pycache__")).isDirectoryContaining("glob:**handler.cpython-*.pyc");
        assertThat(bundle.resolve("__pycache__")).isDirectoryContaining("glob:**shared_code.cpython-*.pyc");
    }

    @Test
    void anotherFileIsAnotherBundle() throws IOException {
        String before = build(Map.of("grains/hello/handler.py", TestTrees.HELLO), "hello").bundle();

        assertThat(build(Map.of("grains/hello/data.txt", "more"), "hello").bundle()).isNotEqualTo(before);
    }

    @Test
    void requirementsAreInstalledOnceForAllGrains() throws IOException {
        BuildResult result = build(Map.of(
                "grains/one/handler.py", "import idna\n" + TestTrees.HELLO, "grains/one/requirements.txt", "idna>=3,<4  # names\n",
                "grains/two/handler.py", "import idna\n" + TestTrees.HELLO, "grains/two/requirements.txt", "idna<4,>=3\n"), "one", "two");

        assertThat(result.resolved()).singleElement().asString().matches("idna==3.*");
        Path installed = home.dependencies().resolve(result.dependencies());
        assertThat(installed.resolve("idna/core.py")).exists();
        assertThat(Files.getPosixFilePermissions(installed.resolve("idna/core.py"))).noneMatch(p -> p.name().endsWith("WRITE"));
        assertThat(progress).anyMatch(line -> line.startsWith("pip: Collecting idna"));

        progress.clear();
        build(Map.of("grains/one/other.py", "y = 2\n"), "one", "two");
        assertThat(progress).anyMatch(line -> line.contains("installed already"));
    }

    /** No index has these: what is installed came along. */
    @Test
    void pinnedRequirementsThatCameWithTheProgramNeedNoIndex() throws Exception {
        Path wheels = Files.createTempDirectory("sand-wheels");
        wheel(wheels.resolve("sand_came_along-1.0-py3-none-any.whl"));
        sandboxes.runtime().close();
        sandboxes = Sandboxes.open(configuration().withWheels(wheels), home, new TestSockets());

        BuildResult result = build(Map.of("requirements.txt", "sand-came-along==1.0\n",
                "grains/hello/handler.py", "import sand_came_along\n" + TestTrees.HELLO), "hello");

        assertThat(result.resolved()).singleElement().asString().matches("sand.came.along==1.0");
        assertThat(progress).contains("requirements: from wheels that came with the platform").noneMatch(line -> line.contains("asking the index"));
        LinkedTrees.delete(wheels);
    }

    private static void wheel(Path file) throws IOException {
        String info = "sand_came_along-1.0.dist-info/";
        Map<String, String> files = Map.of("sand_came_along.py", "here = True\n",
                info + "METADATA", "Metadata-Version: 2.1\nName: sand-came-along\nVersion: 1.0\n",
                info + "WHEEL", "Wheel-Version: 1.0\nGenerator: this test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                info + "RECORD", "sand_came_along.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, String> each : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(each.getKey()));
                zip.write(each.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
    }

    @Test
    void requirementsThatContradictEachOtherNameWhoAskedForThem() throws IOException {
        Failure failure = refusal(Map.of(
                "grains/one/handler.py", TestTrees.HELLO, "grains/one/requirements.txt", "idna==3.4\n",
                "grains/two/handler.py", TestTrees.HELLO, "grains/two/requirements.txt", "idna==3.6\n"), "one", "two");

        assertThat(failure.error()).isEqualTo(Errors.BAD_REQUEST);
        assertThat(failure.source()).isEqualTo(Failure.Source.CALLER);
        assertThat(failure.cause()).contains("grain one: idna==3.4", "grain two: idna==3.6");
    }

    @Test
    void aRequirementThatIsNowhereIsNamed() throws IOException {
        Failure failure = refusal(Map.of("grains/one/handler.py", TestTrees.HELLO,
                "grains/one/requirements.txt", "idna==99999.1\n"), "one");

        assertThat(failure.cause()).contains("grain one: idna==99999.1");
        assertThat(failure.stackTrace()).contains("No matching distribution");
    }

    @Test
    void optionsAndLocalPathsInRequirementsAreRefused() throws IOException {
        for (String line : List.of("--index-url https://example.invalid", "-e .", "./vendor/x.whl", "x @ file:///etc/passwd", "/etc/x.whl")) {
            Failure failure = refusal(Map.of("grains/one/handler.py", TestTrees.HELLO, "grains/one/requirements.txt", line + "\n"), "one");
            assertThat(failure.cause()).as(line).contains("grain one", line);
        }
    }

    @Test
    void aHandlerThatDoesNotImportIsRefusedWithItsTraceback() throws IOException {
        Failure failure = refusal(Map.of("grains/bad/handler.py", "import nothing_like_it\n"), "bad");

        assertThat(failure.error()).isEqualTo(Errors.IMPORT_FAILED);
        assertThat(failure.source()).isEqualTo(Failure.Source.GRAIN);
        assertThat(failure.cause()).contains("grain bad", "No module named 'nothing_like_it'");
        assertThat(failure.stackTrace()).contains("File \"grains/bad/handler.py\", line 1");
        assertThat(home.bundles()).isEmptyDirectory();
    }

    @Test
    void everyWayNotToImportIsReported() throws IOException {
        Map<String, String> ways = Map.of(
                "syntax", "def handle(:\n",
                "crash", "import os; os.kill(os.getpid(), 11)\n",
                "exit", "import os; os._exit(3)\n",
                "asynchronous", "async def handle(event, context): pass\n",
                "missing", "def other(event, context): pass\n",
                "empty", "");
        Map<String, String> words = Map.of("syntax", "SyntaxError", "crash", "signal 11", "exit", "exited with code 3",
                "asynchronous", "async def", "missing", "no function handle", "empty", "no function handle");
        List<String> wrong = new ArrayList<>();
        for (var way : ways.entrySet()) {
            Failure failure = refusal(Map.of("grains/" + way.getKey() + "/handler.py", way.getValue()), way.getKey());
            if (!failure.cause().contains(words.get(way.getKey())) || !failure.cause().contains("grain " + way.getKey())) {
                wrong.add(way.getKey() + ": " + failure.cause());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(refusal(Map.of("grains/nothing/readme", ""), "nothing").cause()).contains("there is no module 'handler' in grains/nothing");
    }

    @Test
    void userCodeIsImportedWithoutANetworkAndCannotChangeItsFiles() throws IOException {
        Assumptions.assumeTrue(hasWalls(), "plain processes have walls only as root");
        assertThat(refusal(Map.of("grains/net/handler.py", "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)\n"), "net").cause())
                .contains("unreachable");
        assertThat(refusal(Map.of("grains/write/handler.py", "open(__file__, 'a')\n"), "write").cause())
                .containsAnyOf("Read-only", "Permission denied");
        build(Map.of("grains/noise/handler.py", "print('{}')\n" + TestTrees.HELLO), "noise");
    }

    @Test
    void linksAreRefused() throws IOException {
        TestTrees.write(source, Map.of("grains/hello/handler.py", TestTrees.HELLO));
        Files.createSymbolicLink(source.resolve("grains/hello/passwd"), Path.of("/etc/passwd"));

        assertThatThrownBy(() -> build(Map.of(), "hello")).isInstanceOf(BuildException.class).hasMessageContaining("grains/hello/passwd is a link");
    }
}
