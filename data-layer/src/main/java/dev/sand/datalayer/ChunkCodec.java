package dev.sand.datalayer;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import dev.sand.event.Digests;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes of a chunk as they are stored: compressed with zstd, or as they are when that saves little. */
final class ChunkCodec {
    /** The quickest of the regular ones: what is swapped is waited for. */
    private static final int LEVEL = 1;
    private static final int LEAST_SAVED = 16;

    /** Much of what is packed turns out not to be worth it. */
    private static final ThreadLocal<byte[]> ROOM = ThreadLocal.withInitial(() -> new byte[(int) Zstd.compressBound(ImageCuts.CHUNK_BYTES)]);

    private ChunkCodec() {}

    /** The library is unpacked when it is first used: better at the start than with the first image. */
    static void load() {
        Native.load();
    }

    static String hash(byte[] bytes) {
        return HexFormat.of().formatHex(Digests.sha256(bytes));
    }

    /** @return as they are to be stored: the same array when they are not compressed, which then is as long */
    static byte[] pack(byte[] bytes) {
        byte[] packed = ROOM.get();
        long length = Zstd.compressByteArray(packed, 0, packed.length, bytes, 0, bytes.length, LEVEL);
        if (Zstd.isError(length) || length > bytes.length - bytes.length / LEAST_SAVED - 1) {
            return bytes;
        }
        return Arrays.copyOf(packed, (int) length);
    }

    /** @return the bytes, or null when these are not what was stored */
    static byte[] unpack(byte[] stored, String hash, int length) {
        byte[] bytes = stored.length == length ? stored : inflate(stored, length);
        return bytes != null && MessageDigest.isEqual(Digests.sha256(bytes), HexFormat.of().parseHex(hash)) ? bytes : null;
    }

    private static byte[] inflate(byte[] stored, int length) {
        byte[] bytes = new byte[length];
        try {
            return Zstd.decompressByteArray(bytes, 0, length, stored, 0, stored.length) == length ? bytes : null;
        } catch (ZstdException e) {
            return null;
        }
    }
}
