package dev.sand.hostagent.shard;

import dev.sand.event.Payload;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an image has beside the values, as it is stored: JSON.
 *
 * @param view as the process was when it was written
 * @param taken by sender, numbers of messages that were taken, as a bit set's bytes
 */
record ImageHead(short schema, ProcessImage.About about, ProcessView view, List<Unread> messages, Map<String, byte[]> taken) {
    private static final short SCHEMA = 1;

    /** A message without its value. */
    record Unread(long number, String source, String key) {}

    static ImageHead of(ProcessImage image, ProcessView view) {
        Map<String, byte[]> taken = new LinkedHashMap<>();
        image.taken().forEach((sender, ordinals) -> taken.put(sender, ordinals.toByteArray()));
        return new ImageHead(SCHEMA, image.about(), view, image.messages().stream()
                .map(message -> new Unread(message.order(), message.source(), message.key())).toList(), taken);
    }

    /** @param values by name; none: the image is wanted without them */
    ProcessImage image(long number, String statePrefix, String messagePrefix, Map<String, Payload> values) {
        Map<String, Payload> state = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(statePrefix)) {
                state.put(name.substring(statePrefix.length()), value);
            }
        });
        Map<String, BitSet> sent = new LinkedHashMap<>();
        taken.forEach((sender, ordinals) -> sent.put(sender, BitSet.valueOf(ordinals)));
        List<Message> unread = values.isEmpty() ? List.of() : messages.stream().map(message -> new Message(message.source(), message.key(),
                values.get(messagePrefix + String.format("%019d", message.number())), message.number(), 0)).toList();
        return new ProcessImage(number, about, state, unread, sent);
    }

    /** As users are told of it while it is nowhere else. */
    ProcessView swapped() {
        return new ProcessView(view.application(), view.process(), "swapped", view.host(), view.createdMs(), view.concurrency(),
                view.memoryBytes(), view.stateKeys(), view.stateBytes(), view.unread(), view.mailboxBytes(), 0, 0, view.invocations(),
                view.busyMs(), view.failures(), view.sent(), view.received(), about.counts().swapsOut(), view.swapsIn(),
                about.counts().checkpoints()).in(view.dedicated());
    }
}
