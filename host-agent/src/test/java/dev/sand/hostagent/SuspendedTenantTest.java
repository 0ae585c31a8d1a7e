package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.client.InvocationException;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import dev.sand.event.Errors;
import dev.sand.event.Ids;
import dev.sand.event.ProcessCommand;
import java.io.DataInputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Over the data plane a suspended tenant begins nothing, whatever it has had before. */
class SuspendedTenantTest extends OpenDataPlane {
    private static final Set<String> OURS = Set.of("acme", "default");

    private static Frame read(Socket from) throws Exception {
        DataInputStream in = new DataInputStream(from.getInputStream());
        return Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
    }

    private static Frame.Invoke invoke(long request, String id, boolean repeated) {
        byte[] input = "0".getBytes();
        return new Frame.Invoke(request, id, repeated, 0, "count", "application/json", input.length, ByteBuffer.wrap(input));
    }

    @Test
    void anOpenClientIsDeniedWhatItBeginsAndGoesOnAfterwards() throws Exception {
        try (ProcessClient client = client()) {
            Value large = Value.bytes(new byte[1 << 20]);
            assertThat(client.invoke("count", Value.json("0"), PATIENCE).text()).isEqualTo("1");
            plane.suspend(OURS);
            for (Value input : List.of(Value.json("0"), large)) {
                assertThatThrownBy(() -> client.invoke("count", input, PATIENCE))
                        .isInstanceOfSatisfying(InvocationException.class, denied -> {
                            assertThat(denied.error()).isEqualTo(Errors.DENIED);
                            assertThat(denied.isRetryable()).isFalse();
                        }).hasMessageContaining("tenant 'default' is suspended");
            }
            plane.suspend(Set.of("acme"));
            assertThat(client.invoke("count", Value.json("0"), PATIENCE).text()).as("nothing ran meanwhile").isEqualTo("2");
            assertThat(client.reconnects()).isZero();
        }
        assertThat(plane.figures().read("shop", "p").invocations()).isEqualTo(2);
    }

    @Test
    void whatRunsGoesOnAndItsResultIsGiven() throws Exception {
        try (ProcessClient client = client()) {
            CompletableFuture<Value> runs = client.submit("count", Value.json("1"), PATIENCE);
            await().until(() -> platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.DESCRIBE)).join().running() == 1);
            plane.suspend(OURS);
            assertThat(runs.get().text()).isEqualTo("1");
        }
    }

    @Test
    void aGrantFromBeforeOpensNothing() throws Exception {
        String grant = grant();
        plane.suspend(OURS);
        try (Socket raw = new Socket("127.0.0.1", plane.port())) {
            hello(raw, grant);
            assertThat(read(raw)).isInstanceOfSatisfying(Frame.Refused.class, refused -> {
                assertThat(refused.error()).isEqualTo(Errors.DENIED);
                assertThat(refused.cause()).contains("tenant 'default' is suspended");
                assertThat(refused.retryable()).isFalse();
            });
            assertThat(raw.getInputStream().read()).as("closed").isEqualTo(-1);
        }
        plane.suspend(Set.of());
        try (Socket raw = new Socket("127.0.0.1", plane.port())) {
            hello(raw, grant);
            assertThat(read(raw)).isInstanceOf(Frame.Welcome.class);
        }
    }

    @Test
    void whoSaysThatHeAsksAgainBeginsNothingEither() throws Exception {
        try (Socket raw = new Socket("127.0.0.1", plane.port())) {
            hello(raw, grant());
            assertThat(read(raw)).isInstanceOf(Frame.Welcome.class);
            String known = Ids.next(System.currentTimeMillis(), new Random(1));
            send(raw, invoke(1, known, false));
            assertThat(read(raw)).isInstanceOf(Frame.Result.class);
            plane.suspend(OURS);
            send(raw, invoke(2, Ids.next(System.currentTimeMillis(), new Random(2)), true));
            send(raw, invoke(3, known, false));
            for (long request : new long[] {2, 3}) {
                assertThat(read(raw)).isInstanceOfSatisfying(Frame.Failed.class, denied -> {
                    assertThat(denied.request()).isEqualTo(request);
                    assertThat(denied.error()).isEqualTo(Errors.DENIED);
                });
            }
        }
    }
}
