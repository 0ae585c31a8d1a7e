package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.AccessTables.QuotaRow;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.client.InvocationException;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.dataplane.DataPlaneFigures;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.DataInputStream;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java client against a host agent's data plane. */
class DataPlaneTest extends OpenDataPlane {
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
        assertThat(counted.invocations()).isEqualTo(4);
        assertThat(counted.failed()).isEqualTo(1);
        assertThat(counted.bytesIn()).isEqualTo((9 << 20) + 8);
        assertThat(counted.bytesOut()).isEqualTo((9 << 20) + 7);
        assertThat(plane.figures().read().getFirst().application()).isEqualTo("shop");
        ProcessView shown = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.DESCRIBE)).join();
        assertThat(shown.dataPlane().invocations()).isEqualTo(4);
        assertThat(shown.dataPlane().bytesIn()).isEqualTo((9 << 20) + 8);
        long mb = shown.memoryBytes() >> 20;
        assertThat(shown.dataPlane().mbMs()).isBetween(shown.dataPlane().ms() * mb, (shown.dataPlane().ms() + 1) * mb);
        assertThat(plane.lately()).containsExactly(Map.entry("shop/p", 4L));
    }

    @Test
    void whoseTenantIsOverItsRateIsToldWhenToComeBackAndNothingRuns() throws Exception {
        plane.rates().are(Map.of("default", new QuotaRow(null, 2, null, null, null)));
        try (ProcessClient client = client()) {
            Value large = Value.bytes(new byte[1 << 20]);
            client.invoke("echo", Value.json("1"), PATIENCE);
            client.invoke("echo", large, PATIENCE);
            for (Value input : List.of(Value.json("2"), large)) {
                assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        client.invoke("echo", input, PATIENCE);
                    }
                }).isInstanceOfSatisfying(InvocationException.class, over -> {
                    assertThat(over.error()).isEqualTo("Sand.Overloaded");
                    assertThat(over.isRetryable()).isTrue();
                }).hasMessageContaining("tenant 'default' may send 2 requests a second");
            }
            long before = plane.figures().read("shop", "p").invocations();
            plane.rates().are(Map.of("default", new QuotaRow(null, 0, null, null, null)));
            assertThatThrownBy(() -> client.invoke("echo", large, PATIENCE)).hasMessageContaining("0 requests a second");
            assertThat(plane.figures().read("shop", "p").invocations()).isEqualTo(before);
            plane.rates().are(Map.of());
            assertThat(client.invoke("echo", Value.json("3"), PATIENCE).text()).isEqualTo("3");
        }
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
    void aKilledProcessStaysKilledUntilSomebodyCallsAgain() throws Exception {
        try (ProcessClient client = client()) {
            assertThat(client.invoke("count", Value.json("0"), PATIENCE).text()).isEqualTo("1");
            platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.KILL)).join();
            await().until(() -> client.reconnects() == 1);
            assertThat(platform.agent.processes("shop").join()).isEmpty();
            assertThat(client.invoke("count", Value.json("0"), PATIENCE).text()).as("it began anew").isEqualTo("1");
            assertThat(platform.agent.processes("shop").join()).hasSize(1);
        }
    }

    @Test
    void whoConnectsWhileOthersMakeTheProcessFindsIt() {
        for (int turn = 0; turn < 20; turn++) {
            ProcessCommand connect = new ProcessCommand("shop", 1, "at-once-" + turn, ProcessCommand.Kind.CONNECT);
            List<CompletableFuture<ProcessView>> all = Stream.generate(() -> platform.agent.process(connect)).limit(8).toList();
            assertThat(all).allSatisfy(one -> assertThat(one.join().address()).contains(plane.address()));
        }
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
