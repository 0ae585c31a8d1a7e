package dev.sand.hostagent.shard;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sand.datalayer.StoreException;
import dev.sand.event.BusRecords;
import dev.sand.event.Codec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an image has beside the values, as it is stored: JSON.
 *
 * @param view as the process was when it was written
 * @param schema 4 of one whose messages and taken ones are in {@link ImageNames}, 3 of one with times of messages, 2 of one with {@code cold}; else 1: what a platform does not understand it refuses
 * @param taken by sender, numbers of messages that were taken, as a bit set's bytes
 * @param cold of the state's values, counted in the order of their names, those that are to stay in the image when the process comes
 *             back, as a bit set's bytes; null: none
 */
record ImageHead(short schema, ProcessImage.About about, ProcessView view, List<Unread> messages, Map<String, byte[]> taken, byte[] cold) {
    private static final short SCHEMA = 1;
    private static final short OF_OVERFLOW = 2;
    private static final short OF_TIMES = 3;
    private static final short OF_NAMES = 4;

    /** A message without its value. @param atMs when it came, of one that invokes: a time-out counts from that; else 0, and not written */
    record Unread(long number, String source, String key, @JsonInclude(JsonInclude.Include.NON_DEFAULT) long atMs) {}

    /** @param keys of the state, in the order of the image's names */
    static ImageHead of(ProcessImage image, ProcessView view, List<String> keys) {
        Map<String, byte[]> taken = new LinkedHashMap<>();
        image.taken().forEach((sender, ordinals) -> taken.put(sender, ordinals.toByteArray()));
        BitSet cold = new BitSet();
        for (int i = 0; i < keys.size(); i++) {
            cold.set(i, image.cold().contains(keys.get(i)));
        }
        boolean overflows = !cold.isEmpty() || view.overflowBytes() != null;
        boolean isTimed = image.messages().stream().anyMatch(message -> message.atNs() != 0);
        return new ImageHead(isTimed ? OF_TIMES : overflows ? OF_OVERFLOW : SCHEMA, image.about(), view, image.messages().stream()
                .map(message -> new Unread(message.order(), message.source(), message.key(), message.atNs() / 1_000_000)).toList(), taken,
                cold.isEmpty() ? null : cold.toByteArray());
    }

    /** @throws StoreException BROKEN when a newer platform has written it */
    static ImageHead decode(byte[] bytes) {
        int schema = BusRecords.schema(bytes);
        if (schema > OF_NAMES) {
            throw new StoreException(StoreException.Kind.BROKEN, "an image of schema " + schema + " was written by a newer platform: this"
                    + " one understands " + OF_NAMES, 0, null);
        }
        return Codec.decode(bytes, ImageHead.class);
    }

    ImageNames names() {
        return new ImageNames(messages, taken);
    }

    /** The names are elsewhere in the image. */
    boolean isWithoutNames() {
        return schema == OF_NAMES;
    }

    ImageHead withoutNames() {
        return new ImageHead(OF_NAMES, about, view, List.of(), Map.of(), cold);
    }

    ImageHead with(ImageNames names) {
        return new ImageHead(schema, about, view, names.messages(), names.taken(), cold);
    }

    BitSet coldOnes() {
        return cold == null ? new BitSet() : BitSet.valueOf(cold);
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
                values.get(messagePrefix + String.format("%019d", message.number())), message.number(),
                message.atMs() * 1_000_000)).toList();
        return new ProcessImage(number, about, state, Set.of(), unread, sent);
    }

    /** As users are told of it while it is nowhere else. */
    ProcessView swapped() {
        return new ProcessView(view.application(), view.process(), "swapped", view.host(), view.createdMs(), view.concurrency(),
                view.memoryBytes(), view.stateKeys(), view.stateBytes(), view.unread(), view.mailboxBytes(), 0, 0, view.invocations(),
                view.busyMs(), view.failures(), view.sent(), view.received(), about.counts().swapsOut(), view.swapsIn(),
                about.counts().checkpoints()).in(view.dedicated());
    }
}
