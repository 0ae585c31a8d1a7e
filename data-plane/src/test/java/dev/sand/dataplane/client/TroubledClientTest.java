package dev.sand.dataplane.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.dataplane.Frame;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client when what it is told is no answer, or one that it cannot take: it says so, and goes on. */
@Timeout(60)
@Tag("slow")
class TroubledClientTest {
    private static final Duration SOON = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Value INPUT = Value.json("1");
    private FakeHost host;

    @BeforeEach
    void listen() throws IOException {
        host = new FakeHost();
        host.reads = true;
        host.answers = invoke -> List.of(result(invoke, 1, "1"));
    }

    @AfterEach
    void stop() throws IOException {
        host.close();
    }

    private ProcessClient connect() throws IOException {
        return ProcessClient.connect(host.server(), "shop", "p");
    }

    private static Frame result(Frame.Invoke invoke, long size, String first) {
        return new Frame.Result(invoke.request(), "e", "application/json", size, ByteBuffer.wrap(first.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE})
    void an_answer_that_no_memory_is_there_for_fails_alone(long size) throws Exception {
        try (ProcessClient client = connect()) {
            host.answers = invoke -> List.of(result(invoke, size, ""), new Frame.Part(invoke.request(), ByteBuffer.wrap(new byte[100_000])));
            assertThatThrownBy(() -> client.invoke("f", INPUT, LONG)).isInstanceOfSatisfying(InvocationException.class,
                    e -> assertThat(e.error()).isEqualTo("Sand.TooLarge")).hasMessage("there is no memory for an answer of " + size + " bytes");
            host.answers = invoke -> List.of(result(invoke, 1, "1"));
            for (int i = 0; i < 3; i++) { // more than may be under way at once
                assertThat(client.invoke("f", INPUT, LONG).text()).isEqualTo("1");
            }
            assertThat(client.reconnects()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>maintenance</html>", "", "[]", "{}", "{\"address\": \"h\", \"grant\": \"g\"}", "{\"address\": \"h:99999\", \"grant\": \"g\"}",
            "{\"address\": \"h:1\"}"})
    void what_is_no_grant_is_asked_for_again_and_told(String answer) throws Exception {
        try (ProcessClient client = connect()) {
            await().until(() -> host.connections.size() == 1);
            host.grant = answer;
            host.connections.getLast().close();
            await().until(() -> host.asked.size() >= 3);
            assertThatThrownBy(() -> client.submit("f", INPUT, SOON).get()).hasMessageContaining("the control plane's answer is no grant: " + answer);
            host.grant = host.goodGrant();
            assertThat(client.invoke("f", INPUT, LONG).text()).isEqualTo("1");
        }
    }

    @Test
    void a_fault_of_any_kind_is_told_and_the_connection_made_anew() throws Exception {
        try (ProcessClient client = connect()) {
            await().until(() -> host.connections.size() == 1);
            host.greeting = FakeHost.welcome(-1, 2); // a patience that no socket has
            host.connections.getLast().close();
            await().until(() -> host.connections.size() >= 3);
            CompletableFuture<Value> first = client.submit("f", INPUT, SOON);
            assertThatThrownBy(first::get).hasMessageContaining("IllegalArgumentException");
            host.greeting = FakeHost.welcome(60_000, 2);
            assertThat(client.invoke("f", INPUT, LONG).text()).isEqualTo("1");
        }
    }

    @Test
    void why_a_host_sends_it_away_is_told() throws Exception {
        try (ProcessClient client = connect()) {
            await().until(() -> host.connections.size() == 1);
            host.greeting = new Frame.GoAway("Sand.BadRequest", "a frame of 60008 bytes; the limit is 8192");
            host.connections.getLast().close();
            await().until(() -> host.connections.size() >= 3);
            assertThatThrownBy(() -> client.submit("f", INPUT, SOON).get())
                    .hasMessageContaining("the host ends the connection: Sand.BadRequest: a frame of 60008 bytes; the limit is 8192");
            host.greeting = FakeHost.welcome(60_000, 2);
            assertThat(client.invoke("f", INPUT, LONG).text()).isEqualTo("1");
        }
    }

    @Test
    void a_call_without_a_time_out_takes_as_long_as_it_takes() throws Exception {
        try (ProcessClient client = connect()) {
            assertThat(client.invoke("f", INPUT, null).text()).isEqualTo("1");
            assertThat(client.submit("f", INPUT, null).get().text()).isEqualTo("1");
        }
    }

    @Test
    void a_process_is_asked_for_by_the_name_that_it_has() throws Exception {
        ProcessClient.connect(host.server(), "the shop", "a b+c/ä").close();
        assertThat(host.paths).containsExactly("/api/v1/apps/the%20shop/processes/a%20b%2Bc%2F%C3%A4/connect");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:23000", "//localhost:23000", "ftp://localhost", "http:///path", "localhost"})
    void a_server_that_is_none_is_refused_before_it_is_asked(String server) {
        assertThatIllegalArgumentException().isThrownBy(() -> ProcessClient.connect(URI.create(server), "shop", "p"))
                .withMessage("the control plane is at http://host:port or https://host:port, not at " + server);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", ".."})
    void a_name_that_no_path_has_is_refused_before_anybody_is_asked(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> ProcessClient.connect(host.server(), "shop", name))
                .withMessage("a process's id is neither empty nor '.' nor '..', as '" + name + "' is");
        assertThatIllegalArgumentException().isThrownBy(() -> ProcessClient.connect(host.server(), name, "p"))
                .withMessage("an application's name is neither empty nor '.' nor '..', as '" + name + "' is");
        assertThat(host.asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret\nX: y", "secret\r", "secrét"})
    void a_token_that_is_none_is_refused_before_anybody_is_asked_and_not_shown(String token) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProcessClient.connect(host.server(), "shop", "p", new ProcessClient.Options(token, List.of(), null)))
                .withMessageContaining("a token has").withMessageNotContaining("secr");
        assertThat(host.asked).isEmpty();
    }
}
