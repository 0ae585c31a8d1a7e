package dev.sand.dataplane.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.dataplane.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client says that it has all of a large answer: with its next call, or when none comes, or at its end. */
@Timeout(60)
@Tag("slow")
class GotTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final byte[] ANSWER = new byte[100_000];
    private FakeHost host;
    private ProcessClient client;

    @BeforeEach
    void connect() throws IOException {
        host = new FakeHost();
        host.reads = true;
        host.greeting = FakeHost.welcome(3_600_000, 2); // no ping comes, which would take it along
        host.answers = invoke -> List.of(
                new Frame.Result(invoke.request(), "e", "application/octet-stream", ANSWER.length, ByteBuffer.allocate(0)),
                new Frame.Part(invoke.request(), ByteBuffer.wrap(ANSWER)));
        client = ProcessClient.connect(host.server(), "shop", "p");
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        host.close();
    }

    private Frame heard() throws InterruptedException {
        return host.heard.poll(30, TimeUnit.SECONDS);
    }

    private void call() throws Exception {
        assertThat(client.invoke("f", Value.json("1"), LONG).bytes()).hasSize(ANSWER.length);
    }

    @Test
    void it_is_said_before_the_next_call() throws Exception {
        call();
        call();

        assertThat(heard()).isInstanceOf(Frame.Invoke.class);
        assertThat(heard()).isEqualTo(new Frame.Got(1));
        assertThat(heard()).isInstanceOfSatisfying(Frame.Invoke.class, second -> assertThat(second.request()).isEqualTo(2));
    }

    @Test
    void it_is_said_when_no_call_comes() throws Exception {
        call();

        assertThat(heard()).isInstanceOf(Frame.Invoke.class);
        assertThat(heard()).isEqualTo(new Frame.Got(1));
    }

    @Test
    void it_is_said_at_the_end() throws Exception {
        call();
        client.close();

        assertThat(heard()).isInstanceOf(Frame.Invoke.class);
        assertThat(heard()).isEqualTo(new Frame.Got(1));
    }
}
