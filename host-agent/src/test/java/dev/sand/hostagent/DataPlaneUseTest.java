package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.Use;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.event.Ids;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import dev.sand.hostagent.dataplane.Live;
import dev.sand.hostagent.usage.UsageWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What clients of a cloud process use, as it comes to the global data layer: each invocation once, whatever becomes of its connection. */
@Tag("slow")
class DataPlaneUseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MEMORY_MB = 7;
    private final UsageStore kept = new UsageStore(new MemoryStore());
    private final UsageWriter usage = UsageWriter.start("test", kept, System::currentTimeMillis, Duration.ofHours(1));
    private TestPlatform platform;
    private DataPlane plane;
    private volatile ApplicationVersion version;
    private String grant;
    private boolean stopped;

    @BeforeEach
    void start() throws Exception {
        platform = new TestPlatform();
        platform.usage = usage.meter();
        version = platform.deploy("shop", Map.of(
                "nap", "import time\ndef handle(event, context):\n    time.sleep(event)\n    return event\n",
                "boom", "def handle(event, context):\n    raise ValueError('boom')\n"));
        Grants grants = new Grants(PlatformKeys.of(platform.store, Grants.KEY));
        plane = new DataPlane(new InetSocketAddress("127.0.0.1", 0), null, "localhost", new DataPlane.Parts("test", platform.agent,
                platform.agent.epochs(), platform.segments(), grants, new RecordedResults(platform.invocations), application ->
                        Optional.of(new Live(version, 0)), null, System::currentTimeMillis, usage.meter()), DataPlaneOptions.DEFAULT, platform.agent.loop(DataPlane.THREAD));
        platform.agent.opens(plane);
        platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CREATE, 0, (long) MEMORY_MB << 20, null)).join();
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        long nowMs = System.currentTimeMillis();
        grant = grants.sign(new Grant("shop", "p", view.host(), view.epoch(), Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 600_000));
    }

    @AfterEach
    void stop() throws Exception {
        if (!stopped) {
            plane.close();
            platform.close();
        }
        usage.close();
    }

    /** All of it, once the host writes it for the last time. */
    private Use used() {
        return used(UsageStore.Kind.DATA_PLANE);
    }

    private Use used(UsageStore.Kind kind) {
        usage.close();
        return kept.read("shop", LocalDate.EPOCH, LocalDate.EPOCH.plusYears(200)).values().stream()
                .map(day -> day.getOrDefault(kind, Use.NONE)).reduce(Use.NONE, Use::plus);
    }

    private static String newId() {
        return Ids.next(System.currentTimeMillis(), new Random());
    }

    private final class Client implements AutoCloseable {
        private final Socket socket = new Socket("127.0.0.1", plane.port());
        private final DataInputStream in = new DataInputStream(socket.getInputStream());

        Client() throws IOException {
            socket.getOutputStream().write(Frames.PREFACE);
            send(new Frame.Hello(Frames.VERSION, grant, "test"));
            assertThat(next()).isInstanceOf(Frame.Welcome.class);
        }

        void send(Frame frame) throws IOException {
            ByteBuffer bytes = Frames.encode(frame);
            socket.getOutputStream().write(bytes.array(), 0, bytes.remaining());
        }

        void ask(String function, String id, boolean repeated, String json) throws IOException {
            byte[] input = json.getBytes(StandardCharsets.UTF_8);
            send(new Frame.Invoke(1, id, repeated, 0, function, Payload.JSON, input.length, ByteBuffer.wrap(input)));
        }

        Frame next() throws IOException {
            return Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void timeIsCountedTimesTheMemoryThatTheProcessMayUse() throws Exception {
        try (Client client = new Client()) {
            client.ask("nap", newId(), false, "0.125");
            assertThat(client.next()).isInstanceOf(Frame.Result.class);
            client.ask("boom", newId(), false, "1");
            assertThat(client.next()).isInstanceOf(Frame.Failed.class);
        }
        Use used = used();
        assertThat(used.us()).isGreaterThanOrEqualTo(125_000);
        assertThat(used).isEqualTo(new Use(2, 1, used.us(), used.us() * MEMORY_MB, 6, 5));
    }

    @Test
    void whatNeverRanIsNotCounted() throws Exception {
        try (Client client = new Client()) {
            client.ask("nope", newId(), false, "1");
            assertThat(client.next()).isInstanceOf(Frame.Failed.class);
            client.ask("nap", "no id", false, "1");
            assertThat(client.next()).isInstanceOf(Frame.Failed.class);
        }
        ApplicationVersion there = version;
        version = new ApplicationVersion(there.schema(), "shop", 99, there.bundle(), there.dependencies(), there.sandbox(), there.grains(),
                there.workflows(), there.routes(), there.placements(), there.durability(), there.createdMs());
        await().atMost(PATIENCE).until(() -> {
            try (Client client = new Client()) { // until the host knows that version, which it cannot load
                client.ask("nap", newId(), false, "0");
                return client.next() instanceof Frame.Failed;
            }
        });
        long ran = plane.figures().read("shop", "p").invocations();
        try (Client client = new Client()) {
            client.ask("nap", newId(), false, "0");
            assertThat(client.next()).isInstanceOf(Frame.Failed.class);
        }
        assertThat(plane.figures().read("shop", "p").invocations()).isEqualTo(ran);
        Use used = used();
        assertThat(used.failed()).isZero();
        assertThat(used.invocations()).isEqualTo(ran);
        assertThat(used.bytesIn()).isEqualTo(ran);
    }

    @Test
    void whatIsAskedForAgainIsCountedOnce() throws Exception {
        String id = newId();
        try (Client half = new Client(); Client second = new Client()) {
            half.ask("nap", id, false, "0.5"); // nobody has noticed yet that its client is gone
            await().atMost(PATIENCE).until(this::runs);
            second.ask("nap", id, true, "0.5");
            assertThat(second.next()).isInstanceOf(Frame.Result.class);
            assertThat(half.next()).isInstanceOf(Frame.Result.class);
        }
        try (Client third = new Client()) {
            third.ask("nap", id, true, "0.5"); // it is told from its record
            assertThat(third.next()).isInstanceOf(Frame.Result.class);
        }
        Use used = used();
        assertThat(used).isEqualTo(new Use(1, 0, used.us(), used.us() * MEMORY_MB, 3, 3));
    }

    @Test
    void whatEndsWhenItsClientIsGoneIsCounted() throws Exception {
        String id = newId();
        try (Client gone = new Client()) {
            gone.ask("nap", id, false, "0.5");
            // What a client that resets its connection has sent may never be read.
            await().atMost(PATIENCE).until(() -> runs() || plane.figures().read("shop", "p").invocations() == 1);
        }
        await().atMost(PATIENCE).until(() -> plane.figures().read("shop", "p").invocations() == 1);
        try (Client again = new Client()) {
            again.ask("nap", id, true, "0.5");
            assertThat(again.next()).isInstanceOf(Frame.Result.class);
        }
        Use used = used();
        assertThat(used).isEqualTo(new Use(1, 0, used.us(), used.us() * MEMORY_MB, 3, 3));
    }

    private boolean runs() {
        return platform.agent.status().join().getFirst().sandboxes().stream().flatMap(sandbox -> sandbox.grains().stream())
                .anyMatch(grain -> grain.running() > 0);
    }

    @Test
    void whatEndsWhileItsHostStopsIsCounted() throws Exception {
        try (Client client = new Client()) {
            client.ask("nap", newId(), false, "1.5");
            await().atMost(PATIENCE).until(() -> platform.agent.status().join().getFirst().sandboxes().stream()
                    .flatMap(sandbox -> sandbox.grains().stream()).anyMatch(grain -> grain.running() > 0));
            plane.close();
            platform.close();
            stopped = true;
        }
        assertThat(used().invocations()).isEqualTo(1);
    }

    @Test
    void whatOthersAskForIsCountedApart() throws Exception {
        assertThat(platform.invoke(version, "nap", "0.25").status()).isEqualTo(InvocationResult.Status.SUCCEEDED);
        assertThat(platform.invoke(version, "boom", "1").status()).isEqualTo(InvocationResult.Status.FAILED);
        try (Client client = new Client()) {
            client.ask("nap", newId(), false, "0");
            assertThat(client.next()).isInstanceOf(Frame.Result.class);
        }
        assertThat(used().invocations()).isEqualTo(1);
        Use grains = used(UsageStore.Kind.GRAINS);
        assertThat(grains.us()).isGreaterThanOrEqualTo(250_000);
        assertThat(grains).isEqualTo(new Use(2, 1, grains.us(), grains.mbUs(), 0, 0));
        long mb = GrainSpec.withDefaults("nap").instanceMemoryBytes(SandboxSpec.DEFAULT) >> 20;
        assertThat(grains.mbUs()).isEqualTo(grains.us() * mb);
    }
}
