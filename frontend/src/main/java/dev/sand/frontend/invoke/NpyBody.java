package dev.sand.frontend.invoke;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Arrays in numpy's .npy format (NEP 1), as far as they are known without numpy: how one begins, and that its header is there. */
final class NpyBody {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int LENGTH_AT = MAGIC.length + 2;
    /** No longer header is read by anybody (docs/LIMITS.md, `sand.arrays`). */
    private static final int HEADER_BYTES = 256 << 10;

    private NpyBody() {}

    /** @return null: it may be one; else why it is none */
    static String fault(ByteBuffer body) {
        ByteBuffer rest = body.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (rest.remaining() < LENGTH_AT + Integer.BYTES || !rest.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            return "it does not begin as one";
        }
        int version = rest.get(MAGIC.length);
        if (version < 1 || version > 3 || rest.get(MAGIC.length + 1) != 0) {
            return "it is of version " + Byte.toUnsignedInt(rest.get(MAGIC.length)) + "."
                    + Byte.toUnsignedInt(rest.get(MAGIC.length + 1));
        }
        long length = version == 1 ? Short.toUnsignedInt(rest.getShort(LENGTH_AT)) : Integer.toUnsignedLong(rest.getInt(LENGTH_AT));
        int start = LENGTH_AT + (version == 1 ? Short.BYTES : Integer.BYTES);
        if (start + length > rest.remaining()) {
            return "its header has " + length + " bytes, and ends behind the body";
        }
        if (length > HEADER_BYTES) {
            return "its header has " + length + " bytes; the limit is " + HEADER_BYTES;
        }
        String header = StandardCharsets.ISO_8859_1.decode(rest.slice(start, (int) length)).toString();
        return Stream.of("descr", "fortran_order", "shape").allMatch(header::contains) ? null
                : "its header does not say what is in it";
    }
}
