package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.event.Codec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.Mailbox;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.localbus.KeyedQueues.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A mailbox as full as it may be is written to the global data layer as any other, and read again as it was. */
@Tag("slow")
class ManyMessagesTest {
    private static final int MOST_MESSAGES = 1_000_000; // of a sand.yaml
    private static final int REMEMBERED_SENDERS = 10_000;
    private static final ProcessImage.About ABOUT = new ProcessImage.About(1, 1, 0, 0, null, ProcessImage.Counts.NONE);
    private static final Payload VALUE = Payload.json("1".getBytes(StandardCharsets.UTF_8));

    private final ProcessImages images = new ProcessImages(new MemoryStore(), () -> 1);
    private final ProcessStore store = new ProcessStore(images, null, null, () -> { });

    private ProcessImage backAgain(ProcessImage image) throws Exception {
        ProcessView view = new ProcessView("shop", "p", "swapped", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        assertThat(store.write(new Action.WriteImage("shop", "p", ProcessPlace.first(0), 1, true, image, view, failure -> { }))).isNull();
        return store.read("shop", "p", true, new ArrayList<>()).image();
    }

    private static ProcessImage image(List<Message> messages, Map<String, BitSet> taken) {
        return new ProcessImage(7, ABOUT, Map.of("model", VALUE), Set.of(), messages, taken);
    }

    private static List<String> names(List<Message> messages) {
        return messages.stream().map(message -> message.order() + " " + message.source() + " " + message.key() + " "
                + new String(message.payload().bytes(), StandardCharsets.UTF_8)).toList();
    }

    @Test
    void aMillionUnreadMessagesComeBackInOrder() throws Exception {
        CloudProcess process = new CloudProcess("p", new ProcessSpec(4, 1_000, MOST_MESSAGES, 64L << 20, 256L << 20, 1_000, 600_000, Map.of()));
        for (int i = 0; i < MOST_MESSAGES; i++) {
            assertThat(process.offer(new Change.Arrived("sender-" + i / 50_000, i % 50_000, "q" + i % 7, "key-" + i, VALUE), 1))
                    .isEqualTo(Mailbox.Sent.TAKEN);
        }
        ProcessImage written = process.image(ABOUT, 0);
        ProcessImage read = backAgain(new ProcessImage(written.number(), ABOUT, Map.of("model", VALUE), Set.of(), written.messages(), written.taken()));
        assertThat(names(read.messages())).isEqualTo(names(written.messages()));
        assertThat(read.taken()).isEqualTo(written.taken());
        assertThat(read.state()).containsOnlyKeys("model");
    }

    @Test
    void soAreTheLongestAndOddestKeysOfAMailbox() throws Exception {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            messages.add(new Message("q".repeat(128), String.format("%06d", i) + "\1".repeat(1018), VALUE, i + 1, 0));
        }
        assertThat(names(backAgain(image(messages, Map.of())).messages())).isEqualTo(names(messages));
        assertThat(backAgain(image(messages.subList(0, 3), Map.of())).messages()).as("and few after many").hasSize(3);
    }

    @Test
    void soIsWhatManySendersHaveSentThatSentMuch() throws Exception {
        Map<String, BitSet> taken = new LinkedHashMap<>();
        for (int sender = 0; sender < REMEMBERED_SENDERS; sender++) {
            BitSet numbers = new BitSet();
            numbers.set(sender % 3, 16_000);
            taken.put("01JD3Q8Z9X7N4T2M6K5R1H" + sender, numbers);
        }
        ProcessImage read = backAgain(image(List.of(new Message("q", "k", VALUE, 1, 0)), taken));
        assertThat(read.taken()).isEqualTo(taken);
        assertThat(List.copyOf(read.taken().keySet())).as("those that were heard last go last").isEqualTo(List.copyOf(taken.keySet()));
        assertThat(read.messages()).hasSize(1);
    }

    @Test
    void aHeadThatHasRoomForAllIsAsHostsBeforeReadIt() throws Exception {
        backAgain(image(List.of(new Message("q", "k", VALUE, 1, 0)), Map.of()));
        byte[] head = images.find("shop", "p").orElseThrow().head();
        assertThat(Codec.decode(head, ImageHead.class).schema()).isEqualTo((short) 1);
        assertThat(new String(head, StandardCharsets.UTF_8)).contains("\"key\":\"k\"");
    }
}
