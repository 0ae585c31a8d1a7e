package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.Use;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.dataplane.InvocationIds;
import dev.sand.dataplane.client.InvocationException;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.DataPlaneFigures;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import dev.sand.hostagent.usage.UsageWriter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java client against a host agent's data plane, with a control plane of the test's own. */
class DataPlaneTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, String> HANDLERS = Map.of(
            "echo", "def handle(event, context):\n    return event\n",
            "boom", "def handle(event, context):\n    raise ValueError('boom')\n",
            "count", "import time\ndef handle(event, context):\n    n = context.process.state('n', default=0) + 1\n"
                    + "    context.process.state('n', n)\n    time.sleep(event)\n    return n\n");
    private TestPlatform platform;
    private ApplicationVersion version;
    private final MemoryStore store = new MemoryStore();
    private final UsageStore kept = new UsageStore(store);
    private final UsageWriter usage = UsageWriter.start("test", kept, System::currentTimeMillis, Duration.ofHours(1));
    private Grants grants;
    private DataPlane plane;
    private HttpServer control;

    @BeforeEach
    void start() throws Exception {
        platform = new TestPlatform();
        version = platform.deploy("shop", HANDLERS);
        grants = new Grants(PlatformKeys.of(platform.store, Grants.KEY));
        open(null);
        control = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        control.createContext("/", exchange -> {
            byte[] answer = place().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        control.start();
    }

    private void open(SslContext tls) throws IOException {
        open(tls, DataPlaneOptions.DEFAULT);
    }

    private void open(SslContext tls, DataPlaneOptions options) throws IOException {
        plane = new DataPlane(new InetSocketAddress("127.0.0.1", 0), null, "localhost", new DataPlane.Parts("test", platform.agent,
                platform.agent.epochs(), platform.segments(), grants, new RecordedResults(platform.invocations),
                application -> Optional.of(version).filter(each -> each.application().equals(application)), tls, System::currentTimeMillis,
                usage.meter()), options);
        platform.agent.opens(plane);
    }

    /** Grants that are of an earlier owner's. */
    private final AtomicInteger stale = new AtomicInteger();

    private String place() {
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        long nowMs = System.currentTimeMillis();
        String grant = grants.sign(new Grant("shop", "p", view.host(),
                view.epoch() + (stale.getAndUpdate(left -> Math.max(0, left - 1)) > 0 ? 1 : 0), Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000));
        boolean tls = view.address().startsWith("tls://");
        return "{\"address\": \"" + view.address().replace("tls://", "") + "\", \"tls\": " + tls + ", \"grant\": \"" + grant + "\"}";
    }

    @AfterEach
    void stop() throws Exception {
        control.stop(0);
        plane.close();
        platform.close();
        usage.close();
    }

    private ProcessClient client() throws IOException {
        return ProcessClient.connect(URI.create("http://127.0.0.1:" + control.getAddress().getPort()), "shop", "p");
    }

    @Test
    void valuesGoThereAndBackAndAreCounted() throws Exception {
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.json("{\"n\":1}"), PATIENCE).text()).isEqualTo("{\"n\":1}");
            byte[] large = new byte[9 << 20];
            new Random(7).nextBytes(large);
            assertThat(client.invoke("echo", Value.bytes(large), PATIENCE).bytes()).isEqualTo(large);
            assertThat(client.invoke("echo", Value.bytes(new byte[0]), PATIENCE).bytes()).isEmpty();
            assertThatThrownBy(() -> client.invoke("boom", Value.json("1"), PATIENCE))
                    .isInstanceOfSatisfying(InvocationException.class, failed -> {
                        assertThat(failed.error()).isEqualTo("ValueError");
                        assertThat(failed.isOfFunction()).isTrue();
                    }).hasMessageContaining("boom");
            assertThatThrownBy(() -> client.invoke("nobody", Value.json("1"), PATIENCE)).hasMessageContaining("has no grain nobody");
        }
        DataPlaneFigures.Reading counted = plane.figures().read("shop", "p");
        assertThat(counted.invocations()).isEqualTo(5);
        assertThat(counted.failed()).isEqualTo(2);
        assertThat(counted.bytesIn()).isEqualTo((9 << 20) + 9);
        assertThat(counted.bytesOut()).isEqualTo((9 << 20) + 7);
        assertThat(plane.figures().read().getFirst().application()).isEqualTo("shop");
        ProcessView shown = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.DESCRIBE)).join();
        assertThat(shown.dataPlane().invocations()).isEqualTo(5);
        assertThat(shown.dataPlane().bytesIn()).isEqualTo((9 << 20) + 9);
        long mb = shown.memoryBytes() >> 20;
        assertThat(shown.dataPlane().mbMs()).isBetween(shown.dataPlane().ms() * mb, (shown.dataPlane().ms() + 1) * mb);
        assertThat(plane.lately()).containsExactly(Map.entry("shop/p", 5L));
    }

    /** The owner, as far as the others know. */
    private HostAgentPort owner(CompletableFuture<ProcessView> told, AtomicInteger asked) {
        return (HostAgentPort) Proxy.newProxyInstance(HostAgentPort.class.getClassLoader(), new Class<?>[] {HostAgentPort.class},
                (proxy, method, arguments) -> {
                    assertThat(((ProcessCommand) arguments[0]).kind()).isEqualTo(ProcessCommand.Kind.CONNECT);
                    asked.incrementAndGet();
                    return told;
                });
    }

    @Test
    void whoIsToldThatItMovedIsToldWhereTo() throws Exception {
        ProcessView here = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        AtomicInteger asked = new AtomicInteger();
        plane.reaches(owner(CompletableFuture.completedFuture(here.at("10.0.0.9:7265", 7)), asked));
        stale.set(1);
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.json("1"), PATIENCE).text()).isEqualTo("1");
            assertThat(client.movedTo()).contains("10.0.0.9:7265");
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void aProcessThatIsNowhereIsNotMadeByBeingLookedFor() throws Exception {
        plane.reaches(platform.agent);
        stale.set(1);
        try (ProcessClient client = client()) {
            assertThat(client.movedTo()).as("it is there: the grant alone was another's").contains(plane.address());
        }
        platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.KILL)).join();
        assertThatThrownBy(() -> platform.agent.process(new ProcessCommand("shop", 0, "p", ProcessCommand.Kind.CONNECT)).join())
                .hasMessageContaining("shop");
        assertThat(platform.agent.processes("shop").join()).isEmpty();
    }

    @Test
    void anOwnerThatDoesNotAnswerIsNotWaitedFor() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        plane.reaches(owner(new CompletableFuture<>(), asked));
        stale.set(1);
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.json("1"), PATIENCE).text()).isEqualTo("1");
            assertThat(client.movedTo()).isEmpty();
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void manyAreUnderWayAtOnce() throws Exception {
        try (ProcessClient client = client()) {
            List<CompletableFuture<Value>> futures = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                futures.add(client.submit("echo", Value.json(Integer.toString(i)), PATIENCE));
            }
            for (int i = 0; i < 300; i++) {
                assertThat(futures.get(i).get().text()).isEqualTo(Integer.toString(i));
            }
            assertThat(client.reconnects()).isZero();
        }
    }

    @Test
    @Tag("slow")
    void aDataPlaneThatIsOpenedAnewIsFoundAndNothingRunsTwice() throws Exception {
        try (ProcessClient client = client()) {
            CompletableFuture<Value> counted = client.submit("count", Value.json("1.5"), PATIENCE);
            Thread.sleep(500); // it runs
            plane.close();
            open(null);
            assertThat(counted.get().text()).isEqualTo("1");
            assertThat(client.invoke("count", Value.json("0"), PATIENCE).text()).isEqualTo("2");
            assertThat(client.reconnects()).isEqualTo(1);
        }
    }

    @Tag("slow")
    @Test
    void whoSubmitsMoreThanTheProcessTakesWaitsAndIsNotRefused() throws Exception {
        platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CREATE, 2, 0, null)).join();
        ProcessSpec spec = version.processSpec();
        try (Socket raw = new Socket("127.0.0.1", plane.port())) {
            hello(raw, grant());
            DataInputStream in = new DataInputStream(raw.getInputStream());
            assertThat(Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())))).isInstanceOfSatisfying(Frame.Welcome.class, welcome ->
                    assertThat(welcome.inFlight()).as("two run at once in this one").isEqualTo(2 + spec.queueDepth()));
        }
        try (ProcessClient client = client()) {
            List<CompletableFuture<Value>> answers = new ArrayList<>();
            for (int i = 0; i < 3 * spec.queueDepth(); i++) {
                answers.add(client.submit("echo", Value.json("" + i), PATIENCE));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get().text()).isEqualTo("" + i);
            }
            assertThat(client.reconnects()).isZero();
        }
    }

    @Test
    void aGrantInvokesOnlyWithTheRightToInvokeAndOnlyWhatItNames() throws Exception {
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        long nowMs = System.currentTimeMillis();
        record Case(Set<String> rights, Set<String> functions, boolean opens) {}
        for (Case each : List.of(new Case(Set.of(), Set.of(), false), new Case(Set.of("look"), Set.of("echo"), false),
                new Case(Set.of("INVOKE"), Set.of(), false), new Case(Set.of(Grant.INVOKE), Set.of("count"), false),
                new Case(Set.of(Grant.INVOKE, "look"), Set.of("echo"), true), new Case(Set.of(Grant.INVOKE), Set.of(), true))) {
            String grant = grants.sign(new Grant("shop", "p", view.host(), view.epoch(), each.rights, each.functions, nowMs, nowMs + 60_000));
            try (Socket client = new Socket("127.0.0.1", plane.port())) {
                hello(client, grant);
                DataInputStream in = new DataInputStream(client.getInputStream());
                in.skipNBytes(in.readInt());
                send(client, new Frame.Invoke(1, Ids.next(nowMs, new Random()), false, 0, "echo", "x/y", 1, ByteBuffer.allocate(1)));
                Frame answer = Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
                if (each.opens) {
                    assertThat(answer).as("%s", each).isInstanceOf(Frame.Result.class);
                } else {
                    assertThat(answer).as("%s", each).isInstanceOfSatisfying(Frame.Failed.class, failed ->
                            assertThat(failed.error()).isEqualTo(Errors.DENIED));
                }
            }
        }
    }

    @Test
    void aGrantOfAnEarlierEpochIsToldToAskAgain() throws Exception {
        long nowMs = System.currentTimeMillis();
        for (Grant stale : List.of(new Grant("shop", "p", "test", 99, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000),
                new Grant("shop", "p", "elsewhere", 1, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000))) {
            try (Socket socket = new Socket("127.0.0.1", plane.port())) {
                socket.getOutputStream().write(Frames.PREFACE);
                send(socket, new Frame.Hello(Frames.VERSION, grants.sign(stale), "test"));
                byte[] answer = socket.getInputStream().readAllBytes();
                assertThat(answer[4]).as("moved").isEqualTo((byte) 11);
            }
        }
    }

    @Test
    void whoSaysNothingIsCutOffBeforeAndAfterItsGrant() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(30)));
        String grant = grant();
        try (Socket silent = new Socket("127.0.0.1", plane.port()); Socket half = new Socket("127.0.0.1", plane.port());
                Socket known = new Socket("127.0.0.1", plane.port())) {
            half.getOutputStream().write(Frames.PREFACE); // both before the 2 s are over, on a busy machine too
            hello(known, grant);
            assertThat(known.getInputStream().readNBytes(5)[4]).as("welcome").isEqualTo((byte) 2);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(half.getInputStream().read()).isEqualTo(-1);
            assertThat(new String(known.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains("nothing was heard");
        }
    }

    @Test
    void anInputThatIsAnnouncedAndDoesNotComeKeepsItsRoomFromNobody() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(5), Duration.ofSeconds(3), Duration.ofSeconds(30)));
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            send(client, new Frame.Invoke(1, Ids.next(System.currentTimeMillis(), new Random()), false, Integer.MAX_VALUE, "echo",
                    "x/y", 200 << 20, ByteBuffer.allocate(0)));
            String said = "";
            for (int number = 0; !said.contains("nothing came"); number++) {
                Thread.sleep(200);
                send(client, new Frame.Ping(number)); // it is there, and sends nothing of its input
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                said = new String(frame, StandardCharsets.UTF_8);
            }
        }
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.bytes(new byte[3 << 20]), PATIENCE).bytes()).hasSize(3 << 20);
        }
    }

    @Test
    @Tag("slow")
    void whoNeverReadsIsCutOffWithWhatWaitsForIt() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofMillis(700)));
        try (Socket deaf = new Socket()) {
            deaf.setReceiveBufferSize(4096);
            deaf.connect(new InetSocketAddress("127.0.0.1", plane.port()));
            hello(deaf, grant());
            assertThatThrownBy(() -> {
                for (int request = 1;; request++) {
                    askForEcho(deaf, request, 8 << 20);
                }
            }).isInstanceOf(SocketException.class);
            await().atMost(PATIENCE).untilAsserted(() ->
                    assertThat(plane.figures().read("shop", "p").connections()).isZero());
        }
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.json("1"), PATIENCE).text()).isEqualTo("1");
        }
    }

    @Test
    void aLargeResultIsKeptUntilItsClientHasGotItAndNoLonger() throws Exception {
        RecordedResults results = new RecordedResults(platform.invocations);
        int size = 3 << 20;
        String got = Ids.next(System.currentTimeMillis(), new Random());
        String lost = Ids.next(System.currentTimeMillis(), new Random());
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            askForEcho(client, 1, got, false, size);
            String execution = readResult(in, size);
            assertThat(results.find("shop", execution)).as("it is not known yet whether it is to be kept").isEmpty();
            send(client, new Frame.Got(1));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(platform.invocations.get("shop", execution)).hasValueSatisfying(record -> {
                assertThat(record.status()).isEqualTo(InvocationResult.Status.SUCCEEDED);
                assertThat(record.output().size()).isEqualTo(size);
            }));
            assertThat(results.find("shop", execution).orElseThrow().failure().cause()).contains("is not kept");
            askForEcho(client, 2, lost, false, size);
            readResult(in, size);
        }
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            askForEcho(client, 1, lost, true, size);
            String execution = readResult(in, size);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(results.find("shop", execution)).as("its first connection has ended")
                    .hasValueSatisfying(result -> assertThat(result.output().bytes()).hasSize(size)));
        }
    }

    @Test
    void whatARecordSaysIsFinalWhateverItSays() throws Exception {
        String id = Ids.next(System.currentTimeMillis(), new Random());
        String execution = InvocationIds.execution("shop", "p", id, platform.agent.epochs().slots());
        platform.invocations.record(new InvocationRecord(Limits.SCHEMA_VERSION, execution, "shop", 1, "echo", InvocationResult.Status.FAILED,
                Payload.nullJson(), null, Failure.platform(Errors.MOVED, "it is elsewhere", true), 1, 2, 0, 0, List.of()), failure -> { });
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            send(client, new Frame.Invoke(1, id, true, 0, "echo", "x/y", 1, ByteBuffer.allocate(1)));
            assertThat(Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())))).isInstanceOfSatisfying(Frame.Failed.class,
                    failed -> assertThat(failed.error()).isEqualTo(Errors.MOVED));
        }
    }

    /** @return the execution's id */
    private static String readResult(DataInputStream in, int size) throws IOException {
        String execution = "";
        for (int left = size; left > 0;) {
            byte[] frame = in.readNBytes(in.readInt());
            switch (Frames.decode(ByteBuffer.wrap(frame))) {
                case Frame.Result result -> execution = result.execution();
                case Frame.Part part -> left -= part.bytes().remaining();
                default -> throw new AssertionError(new String(frame, StandardCharsets.UTF_8));
            }
        }
        return execution;
    }

    private static void askForEcho(Socket socket, int request, int size) throws IOException {
        askForEcho(socket, request, Ids.next(System.currentTimeMillis(), new Random()), false, size);
    }

    private static void askForEcho(Socket socket, int request, String id, boolean repeated, int size) throws IOException {
        send(socket, new Frame.Invoke(request, id, repeated, 0, "echo", "x/y", size, ByteBuffer.allocate(0)));
        for (int sent = 0; sent < size; sent += 1 << 20) {
            send(socket, new Frame.Part(request, ByteBuffer.allocate(1 << 20)));
        }
    }

    private String grant() {
        return place().replaceAll(".*\"grant\": \"", "").replace("\"}", "");
    }

    private static void hello(Socket socket, String grant) throws IOException {
        socket.getOutputStream().write(Frames.PREFACE);
        send(socket, new Frame.Hello(Frames.VERSION, grant, "test"));
    }

    private static void send(Socket socket, Frame frame) throws IOException {
        ByteBuffer bytes = Frames.encode(frame);
        socket.getOutputStream().write(bytes.array(), 0, bytes.remaining());
    }

    @Tag("slow")
    @Test
    void nothingComesInTheClearWhenThereIsTls(@TempDir Path folder) throws Exception {
        plane.close();
        Path store = folder.resolve("store.p12");
        Process made = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-keyalg",
                "EC", "-alias", "sand", "-dname", "CN=localhost", "-ext", "san=dns:localhost", "-keystore", store.toString(), "-storepass",
                "changeit", "-storetype", "PKCS12").redirectErrorStream(true).start();
        assertThat(made.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "changeit".toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("sand", keys.getCertificate("sand"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        open(SslContextBuilder.forServer(own).build());
        URI server = URI.create("http://127.0.0.1:" + control.getAddress().getPort());
        try (ProcessClient client = ProcessClient.connect(server, "shop", "p", new ProcessClient.Options(null, List.of(), tls))) {
            assertThat(client.invoke("echo", Value.json("7"), PATIENCE).text()).isEqualTo("7");
            byte[] large = new byte[3 << 20];
            large[large.length - 1] = 5;
            assertThat(client.invoke("echo", Value.bytes(large), PATIENCE).bytes()).isEqualTo(large);
        }
        try (Socket plain = new Socket("127.0.0.1", plane.port())) {
            plain.getOutputStream().write("SDP1".getBytes(StandardCharsets.UTF_8));
            assertThat(plain.getInputStream().read()).isEqualTo(-1);
        }
    }
}
