package dev.sand.hostagent.journal;

import dev.sand.event.Payload;
import dev.sand.hostagent.process.ProcessChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Values of a process's change as they are, one behind the other, after the record's JSON, which has their sizes, and a line feed: base64 takes as long as
 * all the rest of a record of 64 KiB, and a third more bytes. Only where no host of an earlier version reads it.
 */
final class RecordBodies {
    /** A smaller one is in the JSON. */
    private static final int LEAST_BYTES = 1024;
    private static final String BEHIND = "behind";

    private final List<byte[]> bodies = new ArrayList<>(1);
    private int bytes;

    /** @return what stands for it in the JSON */
    Payload put(Payload value) {
        if (value.bytes() == null || value.bytes().length < LEAST_BYTES) {
            return value;
        }
        bodies.add(value.bytes());
        bytes += value.bytes().length;
        return new Payload(value.contentType(), null, new Payload.Reference(BEHIND, value.bytes().length));
    }

    boolean isEmpty() {
        return bodies.isEmpty();
    }

    byte[] behind(byte[] json) {
        byte[] all = Arrays.copyOf(json, json.length + 1 + bytes);
        int at = json.length;
        all[at++] = '\n';
        for (byte[] body : bodies) {
            System.arraycopy(body, 0, all, at, body.length);
            at += body.length;
        }
        return all;
    }

    /** @throws UncheckedIOException they are not there */
    static ProcessChange taken(ProcessChange change, byte[] record) {
        long begin = record.length - change.change().values().stream().filter(RecordBodies::isBehind).mapToLong(Payload::size).sum();
        if (begin < 1 || record[(int) begin - 1] != '\n') {
            throw new UncheckedIOException(new IOException("a record of " + record.length + " bytes has other values behind it than it says"));
        }
        int[] at = {(int) begin};
        return change.map(value -> {
            if (!isBehind(value)) {
                return value;
            }
            int from = at[0];
            at[0] += (int) value.size();
            return new Payload(value.contentType(), Arrays.copyOfRange(record, from, at[0]), null);
        });
    }

    static boolean areIn(ProcessChange change) {
        return change.change().values().stream().anyMatch(RecordBodies::isBehind);
    }

    private static boolean isBehind(Payload value) {
        return value.reference() != null && value.reference().object().equals(BEHIND);
    }
}
