package dev.sand.hostagent;

import com.sun.net.httpserver.HttpServer;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.UsageStore;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import dev.sand.hostagent.dataplane.Live;
import dev.sand.hostagent.usage.UsageWriter;
import dev.sand.hostlink.Loop;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A host agent with a data plane that is open, a control plane of the test's own, and the frames that a client begins with. */
abstract class OpenDataPlane {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Map<String, String> HANDLERS = Map.of(
            "echo", "def handle(event, context):\n    return event\n",
            "boom", "def handle(event, context):\n    raise ValueError('boom')\n",
            "count", "import time\ndef handle(event, context):\n    n = context.process.state('n', default=0) + 1\n"
                    + "    context.process.state('n', n)\n    time.sleep(event)\n    return n\n");
    TestPlatform platform;
    ApplicationVersion version;
    volatile int deletedUpTo;
    final MemoryStore store = new MemoryStore();
    final UsageStore kept = new UsageStore(store);
    final UsageWriter usage = UsageWriter.start("test", kept, System::currentTimeMillis, Duration.ofHours(1));
    Grants grants;
    DataPlane plane;
    HttpServer control;
    /** Grants to come that are of an earlier owner's. */
    final AtomicInteger stale = new AtomicInteger();

    @BeforeEach
    void start() throws Exception {
        platform = new TestPlatform();
        version = platform.deploy("shop", HANDLERS);
        grants = new Grants(PlatformKeys.of(platform.store, Grants.KEY));
        open(null);
        control = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        control.createContext("/", exchange -> {
            boolean makes = "create=true".equals(exchange.getRequestURI().getQuery());
            byte[] answer = place(makes ? ProcessCommand.Kind.CONNECT : ProcessCommand.Kind.LOCATE).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        control.start();
    }

    final void open(SslContext tls) throws IOException {
        open(tls, DataPlaneOptions.DEFAULT);
    }

    final void open(SslContext tls, DataPlaneOptions options) throws IOException {
        open(tls, options, platform.agent.loop(DataPlane.THREAD));
    }

    final void open(SslContext tls, DataPlaneOptions options, Loop loop) throws IOException {
        plane = new DataPlane(new InetSocketAddress("127.0.0.1", 0), null, "localhost", new DataPlane.Parts("test", platform.agent,
                platform.agent.epochs(), platform.segments(), grants, new RecordedResults(platform.invocations),
                application -> Optional.of(new Live(version, deletedUpTo)).filter(each -> each.version().application().equals(application)), tls, System::currentTimeMillis,
                usage.meter()), options, loop);
        platform.agent.opens(plane);
    }

    final String place(ProcessCommand.Kind how) {
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", how)).join();
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

    final ProcessClient client() throws IOException {
        return ProcessClient.connect(URI.create("http://127.0.0.1:" + control.getAddress().getPort()), "shop", "p");
    }

    final String grant() {
        return place(ProcessCommand.Kind.CONNECT).replaceAll(".*\"grant\": \"", "").replace("\"}", "");
    }

    static void hello(Socket socket, String grant) throws IOException {
        socket.getOutputStream().write(Frames.PREFACE);
        send(socket, new Frame.Hello(Frames.VERSION, grant, "test"));
    }

    static void send(Socket socket, Frame frame) throws IOException {
        ByteBuffer bytes = Frames.encode(frame);
        socket.getOutputStream().write(bytes.array(), 0, bytes.remaining());
    }
}
