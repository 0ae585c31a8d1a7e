package dev.sand.hostagent.shard;

import dev.sand.datalayer.ProcessImages;
import dev.sand.event.Codec;
import dev.sand.hostagent.shard.ImageHead.Unread;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose a process's unread messages are and how they are named, and what its mailbox has taken, where that is too much for the head of its
 * image: in parts of the image, beside the values, in the order in which they were in the head. So a full mailbox is swapped out too.
 */
record ImageNames(List<Unread> messages, Map<String, byte[]> taken) {
    static final String PREFIX = "n/";
    /** Of each of the two in a head, and of both in a part: a head has 16 MiB at most. */
    static final long MOST_BYTES = 6 << 20;
    /** Around a name, with its number and its time. */
    private static final int AROUND_BYTES = 90;
    /** A character of JSON, at most. */
    private static final int CHARACTER_BYTES = 6;

    /** One part of the image. */
    record Source(String name, byte[] bytes) implements ProcessImages.Source {
        @Override
        public String contentType() {
            return "application/json";
        }

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }
    }

    /** Whether a head has no room for them. */
    boolean isLong() {
        return messages.stream().mapToLong(ImageNames::bytes).sum() > MOST_BYTES
                || taken.entrySet().stream().mapToLong(each -> bytes(each.getKey(), each.getValue())).sum() > MOST_BYTES;
    }

    private static long bytes(Unread message) {
        return AROUND_BYTES + (long) CHARACTER_BYTES * (message.source().length() + message.key().length());
    }

    private static long bytes(String sender, byte[] numbers) {
        return AROUND_BYTES + (long) CHARACTER_BYTES * sender.length() + numbers.length * 4L / 3;
    }

    List<Source> sources() {
        List<Source> sources = new ArrayList<>();
        ImageNames part = none();
        long bytes = 0;
        for (Unread message : messages) {
            if ((bytes += bytes(message)) > MOST_BYTES) {
                part.addTo(sources);
                part = none();
                bytes = bytes(message);
            }
            part.messages.add(message);
        }
        for (Map.Entry<String, byte[]> each : taken.entrySet()) {
            if ((bytes += bytes(each.getKey(), each.getValue())) > MOST_BYTES) {
                part.addTo(sources);
                part = none();
                bytes = bytes(each.getKey(), each.getValue());
            }
            part.taken.put(each.getKey(), each.getValue());
        }
        part.addTo(sources);
        return sources;
    }

    private void addTo(List<Source> sources) {
        sources.add(new Source(PREFIX + String.format("%09d", sources.size()), Codec.encode(this)));
    }

    private static ImageNames none() {
        return new ImageNames(new ArrayList<>(), new LinkedHashMap<>());
    }

    /** @param parts in their order */
    static ImageNames decode(List<byte[]> parts) {
        ImageNames all = none();
        for (byte[] part : parts) {
            ImageNames some = Codec.decode(part, ImageNames.class);
            all.messages.addAll(some.messages);
            all.taken.putAll(some.taken);
        }
        return all;
    }
}
