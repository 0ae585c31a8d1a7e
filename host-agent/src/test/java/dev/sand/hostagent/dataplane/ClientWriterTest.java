package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.dataplane.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientWriterTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ClientWriter writer = new ClientWriter(channel, 1 << 20);

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void answersToWhatWasReadAtOnceGoTogetherAtItsEnd() {
        writer.hold();
        writer.send(new Frame.Pong(1));
        writer.send(new Frame.Pong(2));
        assertThat(channel.outboundMessages()).isEmpty();
        writer.letGo();
        assertThat(channel.outboundMessages()).hasSize(2);
    }

    @Test
    void aLargeValueLeavesOthersTheirTurns() {
        List<String> done = new ArrayList<>();
        writer.send(new Frame.Result(1, "e", "application/octet-stream", 5 << 20, ByteBuffer.allocate(0)), ByteBuffer.allocate(5 << 20),
                () -> done.add("sent"));
        long first = sentBytes();
        assertThat(first).isBetween(2L << 20, (2L << 20) + 1_000);
        channel.runScheduledPendingTasks();
        assertThat(sentBytes()).isBetween(2L << 20, (2L << 20) + 1_000);
        assertThat(done).isEmpty();
        channel.runScheduledPendingTasks();
        assertThat(sentBytes()).isBetween(1L << 20, (1L << 20) + 1_000);
        assertThat(done).containsExactly("sent");
    }

    private long sentBytes() {
        long bytes = 0;
        for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
            bytes += each.readableBytes();
            each.release();
        }
        return bytes;
    }

    @Test
    void anAnswerFromElsewhereGoesAtOnce() {
        writer.hold();
        writer.letGo();
        writer.send(new Frame.Pong(1));
        assertThat(channel.outboundMessages()).hasSize(1);
    }
}
