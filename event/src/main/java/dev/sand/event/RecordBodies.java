package dev.sand.event;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A record's values as they are, one behind the other, after its JSON, which has their sizes, and a line feed: base64 takes as long as
 * all the rest of a record of 64 KiB, and a third more bytes. Only where no program of an earlier version reads it.
 */
public final class RecordBodies {
    /** A smaller one is in the JSON. */
    private static final int LEAST_BYTES = 1024;
    private static final String BEHIND = "behind";

    private final List<byte[]> bodies = new ArrayList<>(2);
    private int bytes;

    /** Those of a record that was read, in the order in which they were put. */
    public static final class Taken {
        private final byte[] record;
        private int at;

        private Taken(byte[] record, int begin) {
            this.record = record;
            this.at = begin;
        }

        /** @return the value that stood behind the JSON, or what was given where none did */
        public Payload take(Payload value) {
            if (!isBehind(value)) {
                return value;
            }
            int from = at;
            at += (int) value.size();
            return new Payload(value.contentType(), Arrays.copyOfRange(record, from, at), null);
        }
    }

    /** @param value or null @return what stands for it in the JSON */
    public Payload put(Payload value) {
        if (value == null || value.bytes() == null || value.bytes().length < LEAST_BYTES) {
            return value;
        }
        bodies.add(value.bytes());
        bytes += value.bytes().length;
        return new Payload(value.contentType(), null, new Payload.Reference(BEHIND, value.bytes().length));
    }

    public boolean isEmpty() {
        return bodies.isEmpty();
    }

    /** The record. @param json in which other payloads stand for what was put */
    public byte[] behind(byte[] json) {
        if (isEmpty()) {
            return json;
        }
        byte[] all = Arrays.copyOf(json, json.length + 1 + bytes);
        int at = json.length;
        all[at++] = '\n';
        for (byte[] body : bodies) {
            System.arraycopy(body, 0, all, at, body.length);
            at += body.length;
        }
        return all;
    }

    /** @param values of the record's JSON, some of which may be null @throws UncheckedIOException those behind it are not there */
    public static Taken of(byte[] record, Collection<Payload> values) {
        List<Payload> behind = values.stream().filter(RecordBodies::isBehind).toList();
        long begin = record.length - behind.stream().mapToLong(Payload::size).sum();
        if (behind.stream().anyMatch(value -> value.size() < 0 || value.size() > record.length) || begin < 1 || record[(int) begin - 1] != '\n') {
            throw new UncheckedIOException(new IOException("a record of " + record.length + " bytes has other values behind it than it says"));
        }
        return new Taken(record, (int) begin);
    }

    public static boolean areIn(Collection<Payload> values) {
        return values.stream().anyMatch(RecordBodies::isBehind);
    }

    private static boolean isBehind(Payload value) {
        return value != null && value.reference() != null && value.reference().object().equals(BEHIND);
    }
}
