package dev.sand.workflow;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;

/**
 * The signals of one open execution as {@link KeptSignals} keeps them, each time that there are more: what was packed before is not
 * packed again, but for the last few. A gzipped text may be cut into several members, one behind the other. One thread at a time,
 * and any one after the other.
 */
public final class GrowingSignals {
    /** Text of a member that is packed once for all: smaller ones pack badly. */
    private static final int MEMBER_BYTES = 64 * 1024;
    private static final byte[] BEGIN = ("{\"schema\":" + KeptSignals.SCHEMA + ",\"signals\":[").getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = {']', '}'};

    /** @param signals how many of the first ones are in these bytes; @param plain bytes as text */
    private record Packed(int signals, byte[] bytes, long plain) {
        static final Packed NOTHING = new Packed(0, new byte[0], 0);

        boolean isTooMuch() {
            return bytes.length > KeptSignals.MOST_BYTES || plain > KeptSignals.UNPACKED_BYTES;
        }

        Packed with(int more, byte[] text) {
            return new Packed(signals + more, gzipped(bytes, text), plain + text.length);
        }
    }

    private volatile Packed packed = Packed.NOTHING;

    /**
     * @param signals all of them, those that were given before first; none: they were too many
     * @param resolve a value by reference to one with its bytes, where it can be had
     * @return null when it is too much to keep
     */
    public byte[] encode(List<Signal> signals, UnaryOperator<Payload> resolve) {
        if (signals.isEmpty()) {
            packed = Packed.NOTHING;
            return null;
        }
        Packed before = packed.signals <= signals.size() ? packed : Packed.NOTHING;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int i = before.signals; i < signals.size() && !before.isTooMuch(); i++) {
            text.writeBytes(i == 0 ? BEGIN : new byte[] {','});
            text.writeBytes(Json.bytes(KeptSignals.encode(signals.get(i), resolve)));
            if (text.size() >= MEMBER_BYTES) {
                before = before.with(i + 1 - before.signals, text.toByteArray());
                text.reset();
            }
        }
        packed = before;
        text.writeBytes(END);
        Packed whole = before.isTooMuch() ? before : before.with(0, text.toByteArray());
        return whole.isTooMuch() ? null : whole.bytes;
    }

    private static byte[] gzipped(byte[] before, byte[] text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(before.length + text.length / 4 + 64);
        bytes.writeBytes(before);
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
