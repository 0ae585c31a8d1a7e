package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Codec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.SendToProcess;
import dev.sand.event.thrift.network.Value;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message to a process of another host, over a connection: that it is in the mailbox comes before that it is durable, or cannot be. */
class EarlySendTest {
    private static final ClusterKey KEY = ClusterKey.of("the key that all of this cluster share".getBytes(StandardCharsets.UTF_8));

    private final EchoHost host = new EchoHost();
    private HostLinkServer server;
    private HostLinks links;
    private HostLink link;

    @TempDir
    Path work;

    @BeforeEach
    void open() throws IOException {
        server = new HostLinkServer(new InetSocketAddress("127.0.0.1", 0),
                new HostLinkServer.Parts("here", host, SlotEpochs.alone(16), KEY, work.resolve("builds")), LinkOptions.DEFAULT);
        links = new HostLinks("there", KEY, LinkOptions.DEFAULT);
        CompletableFuture<Void> up = new CompletableFuture<>();
        link = CompletableFuture.supplyAsync(() -> links.open("here", server.address(), () -> up.complete(null)), links).join();
        up.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @AfterEach
    void close() {
        links.close();
        server.close();
    }

    private CompletableFuture<HostPeer.ProcessOutcome> send(int bytes, Early early) {
        ProcessMessage message = new ProcessMessage("app", 1, "e/g", 7, "p", "q", "k", new Payload(Payload.OCTETS, new byte[bytes], null), 0);
        return CompletableFuture.supplyAsync(() -> link.send(message, early), links).thenCompose(answer -> answer);
    }

    private EchoHost.Sent sent() throws InterruptedException {
        EchoHost.Sent found = host.sent.poll(30, TimeUnit.SECONDS);
        assertThat(found).isNotNull();
        return found;
    }

    private static <T> T soon(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void whoSendsIsToldThatItIsTakenAndThenOfItsEnd() throws InterruptedException {
        for (int bytes : new int[] {10, 3 << 20}) {
            CompletableFuture<Void> taken = new CompletableFuture<>();
            CompletableFuture<HostPeer.ProcessOutcome> ended = send(bytes, new Early(new ProcessMessage.Name("e/g", 6), hurry -> taken.complete(null)));
            EchoHost.Sent sent = sent();
            assertThat(sent.message().payload().bytes()).hasSize(bytes);
            assertThat(sent.early().behind()).isEqualTo(new ProcessMessage.Name("e/g", 6));
            assertThat(taken).isNotDone();
            sent.early().taken().accept(null);
            soon(taken);
            assertThat(ended).isNotDone();
            sent.durable().complete(null);
            assertThat(soon(ended).failure()).isNull();
        }
    }

    @Test
    void aFirstOneIsBehindNothingAndMayFailThoughItWasTaken() throws InterruptedException {
        CompletableFuture<Void> taken = new CompletableFuture<>();
        CompletableFuture<HostPeer.ProcessOutcome> ended = send(10, new Early(null, hurry -> taken.complete(null)));
        EchoHost.Sent sent = sent();
        assertThat(sent.early().behind()).isNull();
        sent.early().taken().accept(null);
        soon(taken);
        sent.durable().completeExceptionally(new ProcessException(Failure.platform(Errors.MOVED, "another host's", true)));
        assertThat(soon(ended).failure().error()).isEqualTo(Errors.MOVED);
    }

    @Test
    void whatIsHeldIsWrittenWhenWhoSentItAsks() throws InterruptedException {
        CompletableFuture<Runnable> taken = new CompletableFuture<>();
        CompletableFuture<HostPeer.ProcessOutcome> ended = send(10, new Early(null, taken::complete));
        EchoHost.Sent sent = sent();
        sent.early().taken().accept(() -> sent.durable().complete(null));
        Runnable hurry = soon(taken);
        assertThat(sent.durable()).isNotDone();
        hurry.run();
        assertThat(soon(ended).failure()).isNull();
        hurry.run(); // of one that has ended: nothing, and the connection is as it was
        CompletableFuture<HostPeer.ProcessOutcome> next = send(10, null);
        sent().durable().complete(null);
        assertThat(soon(next).failure()).isNull();
    }

    /** What is given again then is so in its order. */
    @Test
    void thoseThatBreakWithTheirConnectionAreToldInTheOrderInWhichTheyWereSent() throws InterruptedException {
        List<Integer> told = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            all.add(send(10, null).whenComplete((done, thrown) -> told.add(number)));
            sent();
        }
        links.execute(link::close);
        all.forEach(each -> soon(each.exceptionally(thrown -> null)));
        assertThat(told).isSorted().hasSize(12);
    }

    /** It does not know of that, and would wait for the moment to pass. */
    @Test
    void whatAHostOfAnEarlierPlatformSendsIsWrittenAtOnce() throws Exception {
        try (RawPeer raw = new RawPeer(server.address().getPort())) {
            raw.shakeHands(KEY);
            raw.keepAlive();
            ProcessMessage message = new ProcessMessage("app", 1, "e/g", 7, "p", "q", "k", null, 0);
            raw.send(Message.sendToProcess(new SendToProcess(1, ByteBuffer.wrap(Codec.encode(message)),
                    new Value(Payload.OCTETS).setBytes(new byte[] {1})).setEarly(true)));
            EchoHost.Sent sent = sent();
            CompletableFuture<Void> written = new CompletableFuture<>();
            sent.early().taken().accept(() -> written.complete(null));
            soon(written);
            Message told = raw.read();
            while (!told.isSetAccepted()) {
                told = raw.read(); // a ping
            }
            assertThat(told.getAccepted().isHeld()).isFalse();
        }
    }

    @Test
    void whoWaitsForItsEndIsToldNothingBefore() throws InterruptedException {
        CompletableFuture<HostPeer.ProcessOutcome> ended = send(10, null);
        EchoHost.Sent sent = sent();
        assertThat(sent.early()).isNull();
        sent.durable().complete(null);
        assertThat(soon(ended).failure()).isNull();
    }
}
