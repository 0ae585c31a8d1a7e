package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Several values in one payload: the input of a function that several messages invoke. A JSON array when all of them are JSON; else a
 * list as grain-worker's lists.py reads it: of each the length of its type (u16), its type, its size (u64), zeros up to a multiple of
 * 64, its bytes, zeros up to a multiple of 64.
 */
public final class PayloadList {
    private static final String LIST = "application/x-sand-list";
    private static final int ALIGNMENT = 64;

    private PayloadList() {}

    /** @param values with their bytes */
    public static Payload of(List<Payload> values) {
        return values.stream().allMatch(Payload::isJson) ? json(values) : list(values);
    }

    private static Payload json(List<Payload> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < values.size(); i++) {
            out.write(i == 0 ? '[' : ',');
            byte[] bytes = values.get(i).bytes();
            out.writeBytes(bytes.length == 0 ? Payload.nullJson().bytes() : bytes);
        }
        out.write(']');
        return Payload.json(out.toByteArray());
    }

    private static Payload list(List<Payload> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Payload value : values) {
            byte[] type = value.contentType().getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ByteBuffer.allocate(2 + type.length + 8).putShort((short) type.length).put(type)
                    .putLong(value.bytes().length).array());
            align(out);
            out.writeBytes(value.bytes());
            align(out);
        }
        return new Payload(LIST, out.toByteArray(), null);
    }

    private static void align(ByteArrayOutputStream out) {
        out.writeBytes(new byte[Math.floorMod(-out.size(), ALIGNMENT)]);
    }
}
