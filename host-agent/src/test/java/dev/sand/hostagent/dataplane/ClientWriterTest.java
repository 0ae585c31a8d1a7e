package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.dataplane.Frame;
import io.netty.channel.embedded.EmbeddedChannel;
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
    void anAnswerFromElsewhereGoesAtOnce() {
        writer.hold();
        writer.letGo();
        writer.send(new Frame.Pong(1));
        assertThat(channel.outboundMessages()).hasSize(1);
    }
}
