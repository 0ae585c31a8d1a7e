package dev.sand.dataplane.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against a host that welcomes it, and then says nothing, or reads nothing, or sends it away. */
@Timeout(60)
@Tag("slow")
class SilentHostTest {
    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Value LARGE = Value.bytes(new byte[64 << 20]);
    private FakeHost host;

    @BeforeEach
    void listen() throws IOException {
        host = new FakeHost();
    }

    @AfterEach
    void stop() throws IOException {
        host.close();
    }

    private ProcessClient connect() throws IOException {
        return ProcessClient.connect(host.server(), "shop", "p");
    }

    @Test
    void a_host_that_reads_nothing_holds_nobody_past_his_time() throws Exception {
        try (ProcessClient client = connect()) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> timesOut(client, Value.json("1")));
            timesOut(client, LARGE);
            other.get();
            timesOut(client, LARGE); // over another connection: the first one took nothing
            await().until(() -> host.connections.size() >= 2);
        }
    }

    @Test
    void a_host_that_pings_without_end_and_reads_nothing_is_left() throws Exception {
        ByteBuffer ping = Frames.encode(new Frame.Ping(0));
        byte[] pings = new byte[8192 * ping.remaining()];
        IntStream.range(0, 8192).forEach(i -> System.arraycopy(ping.array(), ping.position(), pings, i * ping.remaining(), ping.remaining()));
        try (ProcessClient client = connect()) {
            await().until(() -> !host.connections.isEmpty());
            Socket first = host.connections.getFirst();
            assertThatThrownBy(() -> {
                while (true) {
                    first.getOutputStream().write(pings);
                }
            }).as("the client has hung up").isInstanceOf(IOException.class);
        }
    }

    private static void timesOut(ProcessClient client, Value input) {
        assertThatThrownBy(() -> client.invoke("f", input, SOON)).isInstanceOfSatisfying(InvocationException.class,
                e -> assertThat(e.error()).isEqualTo("Sand.Timeout"));
    }

    @Test
    void a_host_that_says_nothing_is_left() throws Exception {
        host.greeting = FakeHost.welcome(1_000, 2);
        try (ProcessClient client = connect()) {
            CompletableFuture<Value> waits = client.submit("f", Value.json("1"), LONG);
            await().until(() -> client.reconnects() > 0);
            assertThat(waits).as("asked for again, over the next one").isNotDone();
        }
    }

    @Test
    void a_host_that_takes_nothing_is_left_while_it_is_written_to() throws Exception {
        host.greeting = FakeHost.welcome(1_000, 2);
        try (ProcessClient client = connect()) {
            Thread.startVirtualThread(() -> timesOut(client, LARGE, LONG));
            await().until(() -> client.reconnects() > 0);
        }
    }

    private static void timesOut(ProcessClient client, Value input, Duration within) {
        assertThatThrownBy(() -> client.invoke("f", input, within)).isInstanceOf(IOException.class);
    }

    @Test
    void a_future_that_is_cancelled_cancels_the_function_and_frees_its_place() throws Exception {
        host.reads = true;
        host.greeting = FakeHost.welcome(60_000, 1);
        try (ProcessClient client = connect()) {
            CompletableFuture<Value> first = client.submit("first", Value.json("1"), LONG);
            Frame.Invoke asked = (Frame.Invoke) host.heard.take();
            first.cancel(true);
            assertThat(host.heard.take()).isEqualTo(new Frame.Cancel(asked.request()));
            client.submit("second", Value.json("2"), LONG);
            assertThat(((Frame.Invoke) host.heard.take()).function()).isEqualTo("second");
        }
    }

    @Test
    void after_a_refusal_for_good_the_next_call_begins_anew() throws Exception {
        host.reads = true;
        try (ProcessClient client = connect()) {
            await().until(() -> !host.connections.isEmpty());
            CompletableFuture<Value> first = client.submit("first", Value.json("1"), LONG);
            host.heard.take();
            host.status = 403;
            host.connections.getLast().close();
            assertThatThrownBy(first::get).hasCauseInstanceOf(InvocationException.class);
            assertThatThrownBy(() -> client.invoke("again", Value.json("1"), LONG)).isInstanceOfSatisfying(InvocationException.class,
                    e -> assertThat(e.error()).isEqualTo("Sand.Denied"));
            host.status = 200;
            client.submit("second", Value.json("1"), LONG);
            assertThat(((Frame.Invoke) host.heard.take()).function()).isEqualTo("second");
        }
    }

    @Test
    void all_who_wait_are_told_at_once_of_a_refusal_for_good() throws Exception {
        host.reads = true;
        host.greeting = FakeHost.welcome(60_000, 1);
        try (ProcessClient client = connect()) {
            await().until(() -> !host.connections.isEmpty());
            client.submit("first", Value.json("1"), LONG);
            host.heard.take();
            List<String> told = new CopyOnWriteArrayList<>();
            List<Thread> waiting = IntStream.range(0, 4).mapToObj(i -> Thread.ofPlatform().start(() -> {
                try {
                    client.invoke("later", Value.json("1"), LONG);
                } catch (InvocationException e) {
                    told.add(e.error());
                } catch (IOException | InterruptedException e) {
                    told.add(e.toString());
                }
            })).toList();
            await().until(() -> waiting.stream().allMatch(one -> one.getState() == Thread.State.TIMED_WAITING));
            host.status = 403;
            host.connections.getLast().close();
            await().untilAsserted(() -> assertThat(told).hasSize(4).containsOnly("Sand.Denied"));
            assertThat(host.asked).as("one refusal is all's").hasSize(2);
        }
    }

    @Test
    void the_process_is_made_once_and_not_by_who_connects_again() throws Exception {
        host.reads = true;
        try (ProcessClient client = connect()) {
            await().until(() -> !host.connections.isEmpty());
            host.connections.getLast().close();
            await().until(() -> client.reconnects() == 1);
            assertThat(host.asked).containsExactly("create=true", "null");
        }
    }

    @Test
    void what_is_no_call_takes_no_place() throws Exception {
        host.reads = true;
        assertThatNullPointerException().isThrownBy(() -> new Value(null, new byte[0])).withMessage("a value has a content type");
        try (ProcessClient client = connect()) {
            for (int i = 0; i < 3; i++) {
                assertThatNullPointerException().isThrownBy(() -> client.submit(null, Value.json("1"), LONG));
                assertThatNullPointerException().isThrownBy(() -> client.submit("f", null, LONG));
            }
            client.submit("longest", Value.json("1"), Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(((Frame.Invoke) host.heard.take()).function()).isEqualTo("longest");
        }
    }

    @Test
    void a_control_plane_that_is_not_there_is_named() throws Exception {
        host.reads = true;
        try (ProcessClient client = connect()) {
            await().until(() -> !host.connections.isEmpty());
            host.stopControl();
            host.connections.getLast().close();
            CompletableFuture<Value> first = client.submit("first", Value.json("1"), SOON);
            assertThatThrownBy(first::get).hasMessageContaining("nobody listens at 127.0.0.1:" + host.server().getPort());
        }
    }

    @Test
    void a_host_that_always_says_moved_is_asked_more_and_more_rarely_and_no_longer_than_the_call_may_take() throws Exception {
        host.reads = true;
        host.moves = true;
        try (ProcessClient client = connect()) {
            CompletableFuture<Value> first = client.submit("first", Value.json("1"), Duration.ofSeconds(1));
            assertThatThrownBy(first::get).hasCauseInstanceOf(InvocationException.class).hasMessageContaining("has not answered in its time");
            assertThat(host.connections).hasSizeBetween(2, 30);
            assertThat(client.movedTo()).contains("10.0.0.9:7265");
            host.moves = false;
            host.heard.clear();
            client.submit("second", Value.json("1"), LONG);
            await().until(() -> host.heard.stream().anyMatch(frame -> frame instanceof Frame.Invoke invoke && invoke.function().equals("second")));
        }
    }
}
