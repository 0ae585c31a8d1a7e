package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Codec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.localbus.KeyedQueues.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an image has beside its values, as hosts of this version and of earlier ones read it. */
class ImageHeadTest {
    private static final ProcessView VIEW = new ProcessView("shop", "p", "swapped", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    private static final Payload VALUE = Payload.json("1".getBytes(StandardCharsets.UTF_8));

    private static byte[] written(long... atMs) {
        List<Message> messages = IntStream.range(0, atMs.length)
                .mapToObj(i -> new Message("q", "k", VALUE, i + 1, atMs[i] * 1_000_000)).toList();
        return Codec.encode(ImageHead.of(new ProcessImage(7, new ProcessImage.About(1, 1, 0, 0, null, ProcessImage.Counts.NONE), Map.of(),
                Set.of(), messages, Map.of()), VIEW, List.of()));
    }

    @Test
    void whenAMessageCameIsKeptWhereATimeOutCountsFromIt() {
        ImageHead read = ImageHead.decode(written(0, 1_795_336_177_331L));
        assertThat(read.schema()).as("hosts before do not understand it").isEqualTo((short) 3);
        Map<String, Payload> values = Map.of("m/" + String.format("%019d", 1), VALUE, "m/" + String.format("%019d", 2), VALUE);
        assertThat(read.image(7, "s/", "m/", values).messages()).extracting(Message::atNs).containsExactly(0L, 1_795_336_177_331_000_000L);
    }

    @Test
    void whatANewerPlatformHasWrittenIsRefusedAsThat() {
        byte[] newer = new String(written(0), StandardCharsets.UTF_8).replaceFirst("\"schema\":1,", "\"schema\":5,\"more\":1,")
                .getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ImageHead.decode(newer)).isInstanceOf(StoreException.class).hasMessageContaining("schema 5");
    }

    @Test
    void anImageWithoutSuchIsAsHostsBeforeWroteAndReadIt() {
        assertThat(new String(written(0), StandardCharsets.UTF_8)).contains("\"messages\":[{\"number\":1,\"source\":\"q\",\"key\":\"k\"}]");
    }
}
