package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.thrift.network.Challenge;
import dev.sand.event.thrift.network.Chunk;
import dev.sand.event.thrift.network.Credit;
import dev.sand.event.thrift.network.HostStatus;
import dev.sand.event.thrift.network.Invoke;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Ping;
import dev.sand.event.thrift.network.Status;
import dev.sand.event.thrift.network.Value;
import dev.sand.event.thrift.network.Welcome;
import dev.sand.event.thrift.network.host_agentConstants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that lie, say too much, say nothing, or do not listen. */
@Tag("slow")
class LinkFaultsTest {
    private static final ClusterKey KEY = ClusterKey.of("the key that all of this cluster share".getBytes(StandardCharsets.UTF_8));
    private static final ClusterKey OTHER = ClusterKey.of("a key that somebody made up on their own".getBytes(StandardCharsets.UTF_8));
    /** Whoever shares a busy machine may be silent for a while: where that is not what is tested, it is no fault. */
    private static final LinkOptions PATIENT = LinkOptions.DEFAULT.withSilence(Duration.ofSeconds(20));
    private final EchoHost host = new EchoHost();
    private HostLinkServer server;
    private HostLinks links;

    @TempDir
    Path work;

    private int serve(LinkOptions options) throws IOException {
        server = new HostLinkServer(new InetSocketAddress("127.0.0.1", 0),
                new HostLinkServer.Parts("here", host, SlotEpochs.alone(16), KEY, work.resolve("builds")), options);
        return server.address().getPort();
    }

    private HostLink link(ClusterKey key, int port, LinkOptions options) {
        links = new HostLinks("frontend", key, options);
        return CompletableFuture.supplyAsync(() -> links.open("here", new InetSocketAddress("127.0.0.1", port), () -> { }), links).join();
    }

    @AfterEach
    void close() {
        if (links != null) {
            links.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private CompletableFuture<InvocationResult> invoke(HostLink link, String target, byte[] input) {
        CompletableFuture<InvocationResult> answer = new CompletableFuture<>();
        links.execute(() -> link.invoke(new InvocationRequest("01HZ0000000000000000000000", "demo", 1, target,
                new Payload(Payload.OCTETS, input, null), 20_000, false, null), new HostPeer.Answers() {
                    @Override
                    public void onAccepted(int slot, long epoch) {}

                    @Override
                    public void onEnd(int slot, long epoch, InvocationResult result) {
                        answer.complete(result);
                    }

                    @Override
                    public void onBroken(String why) {
                        answer.completeExceptionally(new LinkException(why));
                    }
                }));
        return answer;
    }

    @Test
    void a_frontend_without_the_key_is_refused() throws Exception {
        int port = serve(PATIENT);
        HostLink link = link(OTHER, port, PATIENT);
        await().untilAsserted(() -> assertThat(link.trouble()).contains("does not have this cluster's key"));
        assertThat(link.isUp()).isFalse();
        try (RawPeer raw = new RawPeer(port)) {
            assertThat(raw.shakeHands(OTHER).isSetRefused()).isTrue();
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        try (RawPeer raw = new RawPeer(port)) {
            assertThat(raw.shakeHands(KEY).isSetWelcome()).isTrue();
        }
    }

    @Test
    void a_host_without_the_key_is_refused() throws Exception {
        try (ServerSocket liar = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (RawPeer raw = new RawPeer(liar.accept())) {
                    raw.read();
                    raw.send(Message.challenge(new Challenge(host_agentConstants.PROTOCOL, "here", ByteBuffer.wrap(new byte[32]))));
                    // It cannot make a proof of its own, so it gives the frontend's back.
                    byte[] proof = raw.read().getProof().getProof();
                    raw.send(Message.welcome(new Welcome(ByteBuffer.wrap(proof), 16)));
                    raw.isClosedByPeer();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            HostLink link = link(KEY, liar.getLocalPort(), PATIENT);
            await().untilAsserted(() -> assertThat(link.trouble()).contains("who answers does not have"));
            assertThat(link.isUp()).isFalse();
        }
    }

    @Test
    void another_host_at_the_address_is_refused() throws Exception {
        int port = serve(PATIENT);
        links = new HostLinks("frontend", KEY, PATIENT);
        HostLink link = CompletableFuture.supplyAsync(() ->
                links.open("somebody-else", new InetSocketAddress("127.0.0.1", port), () -> { }), links).join();
        await().untilAsserted(() -> assertThat(link.trouble()).contains("that is host here, not somebody-else"));
    }

    @Test
    void a_stranger_gets_no_memory_no_call_and_little_time() throws Exception {
        int port = serve(PATIENT);
        try (RawPeer large = new RawPeer(port); RawPeer caller = new RawPeer(port); RawPeer noise = new RawPeer(port);
                RawPeer silent = new RawPeer(port)) {
            large.sendBytes((byte) 0, (byte) 0, (byte) 0x20, (byte) 0);
            caller.send(Message.status(new Status(1)));
            noise.sendBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(large.isClosedByPeer()).isTrue();
            assertThat(caller.isClosedByPeer()).isTrue();
            assertThat(noise.isClosedByPeer()).isTrue();
            assertThat(silent.isClosedByPeer()).isTrue();
        }
    }

    /** Though it would have time for it: many of them would be given memory to be read into. */
    @Test
    void a_stranger_does_not_ping() throws Exception {
        LinkOptions d = LinkOptions.DEFAULT;
        int port = serve(new LinkOptions(d.frameBytes(), d.chunkBytes(), d.windowBytes(), d.valueBytes(), d.incomingBytes(), d.outgoingBytes(),
                d.unsentBytes(), d.calls(), d.connections(), d.strangers(), Duration.ofMinutes(10), d.beat(), d.silence(), d.reconnect()));
        try (RawPeer stranger = new RawPeer(port)) {
            stranger.send(Message.ping(new Ping()));
            assertThat(stranger.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void a_frame_over_the_limit_ends_the_connection_and_no_other() throws Exception {
        int port = serve(PATIENT);
        HostLink link = link(KEY, port, PATIENT);
        await().until(link::isUp);
        try (RawPeer raw = new RawPeer(port)) {
            raw.shakeHands(KEY);
            raw.sendBytes((byte) 0x7F, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF);
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        try (RawPeer raw = new RawPeer(port)) {
            raw.shakeHands(KEY);
            raw.keepAlive();
            raw.send(Message.chunk(new Chunk(1, ByteBuffer.wrap(new byte[10])))); // of a call that there is not: ignored
            raw.send(Message.invoke(new Invoke(2, "01HZ0000000000000000000001", "demo", 1, "echo",
                    new Value(Payload.OCTETS).setStreamed(100_000), 1_000, false)));
            while (!raw.read().isSetCredit()) {
                assertThat(true).isTrue();
            }
            raw.send(Message.chunk(new Chunk(2, ByteBuffer.wrap(new byte[100_001]))));
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        assertThat(invoke(link, "echo", new byte[] {1}).get(20, TimeUnit.SECONDS).output().bytes()).containsExactly(1);
    }

    @Test
    void questions_about_processes_are_answered_over_one_connection() throws Exception {
        HostLink link = link(KEY, serve(PATIENT), PATIENT);
        await().until(link::isUp);
        for (ProcessCommand.Kind kind : ProcessCommand.Kind.values()) {
            HostPeer.ProcessOutcome done = ask(() -> link.process(new ProcessCommand("demo", 1, "p", kind)));
            assertThat(done.view().process()).isEqualTo("p");
            assertThat(done.failure()).isNull();
        }
        HostPeer.ProcessOutcome refused = ask(() -> link.process(new ProcessCommand("demo", 1, "q", ProcessCommand.Kind.DESCRIBE)));
        assertThat(refused.view()).isNull();
        assertThat(refused.failure().error()).isEqualTo(Errors.NOT_FOUND);
        assertThat(ask(() -> link.processes("demo"))).extracting(ProcessView::application).containsExactly("demo");
        assertThat(ask(link::status).sandboxes().getFirst().id()).as("of an application without a sandbox").isNull();
        assertThat(link.isUp()).isTrue();
    }

    @Test
    void more_than_a_frame_has_room_for_is_told_in_longer_steps() throws Exception {
        HostLink link = link(KEY, serve(PATIENT), PATIENT);
        await().until(link::isUp);
        RecentEnds told = ask(() -> link.recentEnds(0));
        assertThat(told.problem()).isNull();
        assertThat(told.steps()).hasSizeBetween(40 * RecentEnds.STEPS / 30, 40 * RecentEnds.STEPS / 2);
        assertThat(told.steps().stream().filter(step -> step.application().equals("application-39"))).satisfies(steps -> {
            assertThat(steps.stream().mapToInt(RecentEnds.Step::ended).sum()).isEqualTo(6 * RecentEnds.STEPS);
            assertThat(steps.stream().mapToInt(RecentEnds.Step::failed).sum()).isEqualTo(RecentEnds.STEPS);
            assertThat(steps.stream().flatMapToInt(step -> Arrays.stream(step.counts())).sum()).isEqualTo(5 * RecentEnds.STEPS);
            assertThat(steps.stream().mapToInt(RecentEnds.Step::firstBucket).min()).hasValue(20);
        });
    }

    @Test
    void as_many_waiting_events_as_are_told_fit_into_a_frame() throws Exception {
        HostLink link = link(KEY, serve(PATIENT), PATIENT);
        await().until(link::isUp);
        QueuedEvents told = ask(() -> link.queued(new QueuedEvents.Look("demo", "echo", QueuedEvents.MOST_EVENTS)));
        assertThat(told.problem()).isNull();
        assertThat(told.events()).hasSize(QueuedEvents.MOST_EVENTS);
        assertThat(told.more()).isTrue();
    }

    /** It takes the question for that of a status, and has no answer to it. */
    @Test
    void a_host_of_an_earlier_platform_says_nothing_of_what_waits() {
        QueuedEvents told = Wire.queued(new HostStatus(1, "old", "", false, List.of()));
        assertThat(told.host()).isEqualTo("old");
        assertThat(told.problem()).contains("earlier");
        assertThat(told.events()).isEmpty();
    }

    @Test
    void an_answer_that_is_too_long_is_told_as_a_failure_at_once() throws Exception {
        HostLink link = link(KEY, serve(PATIENT), PATIENT);
        await().until(link::isUp);
        // A busy machine may take longer to make it than is waited for: then it is asked for again.
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() ->
                assertThatThrownBy(() -> ask(() -> link.processes("many"))).hasMessageContaining("the limit is 1048576"));
        assertThat(ask(() -> link.processes("demo"))).hasSize(1);
    }

    private <T> T ask(Supplier<CompletableFuture<T>> question) throws Exception {
        return CompletableFuture.supplyAsync(question, links).thenCompose(answer -> answer).get(20, TimeUnit.SECONDS);
    }

    @Test
    void a_value_over_the_limit_is_refused_and_the_connection_stays() throws Exception {
        LinkOptions small = PATIENT.withValues(64 << 10, 128 << 10, 200_000, 1 << 20);
        int port = serve(small);
        HostLink link = link(KEY, port, PATIENT);
        await().until(link::isUp);
        var failure = invoke(link, "echo", new byte[200_001]).get(20, TimeUnit.SECONDS).failure();
        assertThat(failure.details()).containsEntry("limit", 200_000).containsEntry("actual", 200_001);
        assertThat(invoke(link, "echo", new byte[200_000]).get(20, TimeUnit.SECONDS).output().bytes()).hasSize(200_000);
    }

    @Test
    void values_wait_for_room_in_memory_and_all_come_through() throws Exception {
        LinkOptions narrow = PATIENT.withValues(16 << 10, 64 << 10, 1 << 20, 1_500_000);
        int port = serve(narrow);
        HostLink link = link(KEY, port, narrow);
        await().until(link::isUp);
        var answers = new ArrayList<CompletableFuture<InvocationResult>>();
        for (int i = 0; i < 12; i++) {
            answers.add(invoke(link, "echo", new byte[1_000_000]));
        }
        for (var answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS).output().bytes()).hasSize(1_000_000);
        }
    }

    @Test
    void a_peer_that_falls_silent_is_taken_for_dead_by_either_side() throws Exception {
        int port = serve(LinkOptions.DEFAULT);
        try (RawPeer raw = new RawPeer(port)) {
            raw.shakeHands(KEY);
            assertThat(raw.isClosedByPeer()).isTrue(); // it never pings
        }
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> met = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try (RawPeer raw = new RawPeer(listening.accept())) {
                    var hello = raw.read().getHello();
                    byte[] nonce = new byte[32];
                    raw.send(Message.challenge(new Challenge(host_agentConstants.PROTOCOL, "here", ByteBuffer.wrap(nonce))));
                    raw.read();
                    raw.send(Message.welcome(new Welcome(ByteBuffer.wrap(KEY.prove(ClusterKey.Role.HOST, hello.getNonce(), nonce,
                            hello.getName(), "here")), 16)));
                    met.complete(null);
                    raw.isClosedByPeer();
                } catch (IOException e) {
                    met.completeExceptionally(e);
                }
            });
            HostLink link = link(KEY, listening.getLocalPort(), LinkOptions.DEFAULT);
            met.join();
            await().until(link::isUp);
            var answer = invoke(link, "echo", new byte[1]);
            await().untilAsserted(() -> assertThat(answer).isCompletedExceptionally());
            assertThat(link.trouble()).contains("nothing was heard");
        }
    }

    @Test
    void who_does_not_read_holds_up_nobody_else() throws Exception {
        int port = serve(PATIENT);
        HostLink link = link(KEY, port, PATIENT);
        await().until(link::isUp);
        try (RawPeer slow = new RawPeer(port)) {
            slow.shakeHands(KEY);
            slow.keepAlive();
            byte[] input = new byte[4 << 20];
            slow.send(Message.invoke(new Invoke(1, "01HZ0000000000000000000001", "demo", 1, "echo",
                    new Value(Payload.OCTETS).setStreamed(input.length), 20_000, false)));
            int sent = 0;
            while (sent < input.length) {
                Message message = slow.read();
                if (message.isSetCredit()) {
                    for (long left = message.getCredit().getBytes(); left > 0; left -= Math.min(left, 256 << 10)) {
                        int length = (int) Math.min(left, 256 << 10);
                        slow.send(Message.chunk(new Chunk(1, ByteBuffer.wrap(input, sent, length))));
                        sent += length;
                    }
                }
            }
            while (!slow.read().isSetEnded()) {
                assertThat(sent).isEqualTo(input.length);
            }
            // All of the output may come, but nobody reads it.
            slow.send(Message.credit(new Credit(1, input.length)));
            for (int i = 0; i < 20; i++) {
                assertThat(invoke(link, "echo", new byte[200_000]).get(20, TimeUnit.SECONDS).output().bytes()).hasSize(200_000);
            }
            int received = 0;
            while (received < input.length) {
                Message message = slow.read();
                received += message.isSetChunk() ? message.getChunk().getBytes().length : 0;
            }
        }
    }

    @Test
    void who_leaves_too_much_unread_is_cut_off() throws Exception {
        int port = serve(PATIENT.withUnsentBytes(32 << 10));
        try (RawPeer raw = new RawPeer(port)) {
            raw.shakeHands(KEY);
            await().until(() -> {
                try {
                    for (int i = 0; i < 200; i++) {
                        raw.send(Message.invoke(new Invoke(System.nanoTime(), "01HZ0000000000000000000001", "demo", 1, "echo",
                                new Value(Payload.OCTETS).setBytes(new byte[60_000]), 20_000, false)));
                    }
                    return false;
                } catch (IOException e) {
                    return true; // reset by the other side
                }
            });
        }
    }

    @Test
    void a_host_that_goes_breaks_its_calls_and_is_connected_to_again() throws Exception {
        int port = serve(PATIENT);
        HostLink link = link(KEY, port, PATIENT);
        await().until(link::isUp);
        var never = invoke(link, "never", new byte[1]);
        await().until(() -> host.invoked.size() == 1);
        server.close();
        await().untilAsserted(() -> assertThat(never).isCompletedExceptionally());
        assertThat(invoke(link, "echo", new byte[1])).isNotNull().satisfies(broken ->
                await().untilAsserted(() -> assertThat(broken).isCompletedExceptionally()));
        server = new HostLinkServer(new InetSocketAddress("127.0.0.1", port),
                new HostLinkServer.Parts("here", host, SlotEpochs.alone(16), KEY, work.resolve("builds")), PATIENT);
        await().until(link::isUp);
        assertThat(invoke(link, "echo", new byte[1]).get(20, TimeUnit.SECONDS).output().bytes()).hasSize(1);
    }
}
