package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names of stored values as bytes. A name is compared as its exact UTF-8 bytes and nothing else: no pattern, no path, no
 * normal form has a meaning in it, so that two different names are never one key.
 */
final class Key {
    static final int MAX_BYTES = 1024;

    private Key() {}

    /** @throws StoreException BAD_VALUE when it is empty, too long, or no text (half a surrogate pair) */
    static byte[] of(String name) {
        byte[] bytes = utf8(name, MAX_BYTES);
        if (bytes.length == 0) {
            throw new StoreException(Kind.BAD_VALUE, "a key must not be empty", 0, null);
        }
        return bytes;
    }

    /** As {@link #of}, and empty for every key. */
    static byte[] prefix(String prefix) {
        return utf8(prefix, MAX_BYTES);
    }

    /** The first key after all that start with the prefix, or null when there is none. */
    static byte[] afterPrefix(byte[] prefix) {
        if (prefix.length == 0) {
            return null;
        }
        byte[] end = prefix.clone();
        end[end.length - 1]++; // UTF-8 has no byte 0xFF: this never overflows
        return end;
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** @throws StoreException BAD_VALUE when it is longer than {@code most} bytes, or no text */
    static byte[] utf8(String name, int most) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(name));
            if (encoded.remaining() > most) {
                throw new StoreException(Kind.BAD_VALUE, "a key of " + encoded.remaining() + " bytes is over the limit of "
                        + most, 0, null);
            }
            return Arrays.copyOf(encoded.array(), encoded.remaining());
        } catch (CharacterCodingException e) {
            throw new StoreException(Kind.BAD_VALUE, "a key must be Unicode text", 0, e);
        }
    }
}
