package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.datalayer.AccessTables.QuotaRow;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that send much that brings nothing: what they may, and that it is nobody else's loss. */
@Tag("slow")
class DataPlaneFloodTest extends OpenDataPlane {
    private static final int SENT = 4_000;
    private static final long NAP = 1;
    private static final long BEHIND = 2;
    private final Random random = new Random();

    enum Kind { PING, PONG, CANCEL, GOT, UNKNOWN, NO_SUCH_FUNCTION, NO_ID, OVER_ITS_QUOTA, PART_OF_NOTHING }

    private void allow(int atOnce, int perSecond) throws IOException {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withChatter(atOnce, perSecond));
    }

    private byte[] flood(Kind kind) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int each = 0; each < SENT; each++) {
            long request = 1_000 + each;
            byte[] bytes = switch (kind) {
                case PING -> bytes(new Frame.Ping(request));
                case PONG -> bytes(new Frame.Pong(request));
                case CANCEL -> bytes(new Frame.Cancel(request));
                case GOT -> bytes(new Frame.Got(request));
                case UNKNOWN -> new byte[] {0, 0, 0, 1, 99};
                case NO_SUCH_FUNCTION -> invoke(request, newId(), "nope", "1");
                case NO_ID -> invoke(request, "none", "echo", "1");
                case OVER_ITS_QUOTA -> invoke(request, newId(), "echo", "1");
                case PART_OF_NOTHING -> bytes(new Frame.Part(request, ByteBuffer.allocate(3)));
            };
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    private String newId() {
        return Ids.next(System.currentTimeMillis(), random);
    }

    private static byte[] invoke(long request, String id, String function, String json) {
        byte[] input = json.getBytes(StandardCharsets.UTF_8);
        return bytes(new Frame.Invoke(request, id, false, 0, function, Payload.JSON, input.length, ByteBuffer.wrap(input)));
    }

    private static byte[] bytes(Frame frame) {
        ByteBuffer bytes = Frames.encode(frame);
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        return all;
    }

    private DataPlaneClient open(boolean webSocket) throws Exception {
        DataPlaneClient client = webSocket ? DataPlaneClient.overWebSocket(plane.port()) : DataPlaneClient.overTcp(plane.port());
        client.send(Frames.PREFACE);
        client.send(bytes(new Frame.Hello(Frames.VERSION, grant(), "test")));
        assertThat(client.next()).isInstanceOf(Frame.Welcome.class);
        return client;
    }

    private void answers(DataPlaneClient client) throws Exception {
        for (int each = 0; each < 20; each++) {
            client.send(invoke(each, newId(), "echo", "7"));
            assertThat(client.next()).isInstanceOf(Frame.Result.class);
        }
    }

    /** One second brings one frame: all of them would take longer than an hour. */
    @ParameterizedTest
    @CsvSource({"PING, false", "PING, true", "PONG, false", "CANCEL, false", "GOT, false", "UNKNOWN, false", "UNKNOWN, true",
            "NO_SUCH_FUNCTION, false", "NO_SUCH_FUNCTION, true", "NO_ID, false", "PART_OF_NOTHING, false"})
    void whoSendsTooMuchOfItIsNotReadWhileOthersAre(Kind kind, boolean webSocket) throws Exception {
        allow(100, 1);
        try (DataPlaneClient flooding = open(webSocket); DataPlaneClient other = open(false)) {
            flooding.send(invoke(NAP, newId(), "count", "1"));
            flooding.sendInTheBackground(flood(kind), invoke(BEHIND, newId(), "echo", "7"));
            answers(other);
            assertWhatRanIsAnsweredAndWhatIsBehindIsNotRead(flooding);
        }
    }

    @Test
    void aWebSocketsOwnPingsAreNoOther() throws Exception {
        allow(100, 1);
        try (DataPlaneClient flooding = open(true); DataPlaneClient other = open(false)) {
            flooding.send(invoke(NAP, newId(), "count", "1"));
            flooding.pingInTheBackground(SENT, invoke(BEHIND, newId(), "echo", "7"));
            answers(other);
            assertWhatRanIsAnsweredAndWhatIsBehindIsNotRead(flooding);
        }
    }

    private static void assertWhatRanIsAnsweredAndWhatIsBehindIsNotRead(DataPlaneClient flooding) throws Exception {
        int answers = 0;
        Frame frame = flooding.next();
        while (!(frame instanceof Frame.Result)) {
            answers++;
            frame = flooding.next();
        }
        assertThat(((Frame.Result) frame).request()).isEqualTo(NAP);
        assertThat(answers).isLessThan(SENT / 4);
    }

    @ParameterizedTest
    @EnumSource
    void allOfItIsReadInTheEnd(Kind kind) throws Exception {
        allow(1_000, 10_000);
        if (kind == Kind.OVER_ITS_QUOTA) {
            plane.rates().are(Map.of("default", new QuotaRow(null, 1, null, null, null)));
        }
        try (DataPlaneClient flooding = open(false)) {
            flooding.sendInTheBackground(flood(kind), bytes(new Frame.Ping(BEHIND)));
            Frame frame = flooding.next();
            while (!frame.equals(new Frame.Pong(BEHIND))) {
                frame = flooding.next();
            }
        }
    }

    @Test
    void whoInvokesMayCancelAsOftenAsThat() throws Exception {
        allow(20, 0); // nothing comes back with time
        try (DataPlaneClient client = open(false)) {
            for (int each = 0; each < 60; each++) {
                client.send(invoke(each, newId(), "echo", "7"));
                assertThat(client.next()).isInstanceOf(Frame.Result.class);
                client.send(bytes(new Frame.Cancel(each)));
            }
            client.send(bytes(new Frame.Ping(BEHIND)));
            assertThat(client.next()).isEqualTo(new Frame.Pong(BEHIND));
        }
    }
}
