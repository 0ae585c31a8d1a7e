package dev.sand.datalayer;

import dev.sand.datalayer.ProcessImage.Part;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Where an image is cut into chunks, so that what did not change is cut as it was before. A large value is cut on its own, at
 * fixed places: one that is written to in the middle keeps its other chunks. Small values lie together, and which of them ends
 * a chunk follows from its name and size alone: one more or less, or a changed one, moves no cut but those next to it.
 */
final class ImageCuts {
    /** Room for an array's header within 1 MiB, and a chunk is a single piece in Cassandra. */
    static final int CHUNK_BYTES = 1020 * 1024;
    /** A larger value shares no chunk. */
    static final int SMALL_BYTES = 128 * 1024;
    /** Of small values, on average. */
    private static final int TOGETHER_BYTES = 64 * 1024;
    private static final int MOST_TOGETHER_BYTES = 256 * 1024;

    private ImageCuts() {}

    /** Lengths of the chunks of these values, in order. */
    static List<Integer> of(List<Part> parts) {
        List<Integer> cuts = new ArrayList<>();
        int together = 0;
        for (Part part : parts) {
            if (part.size() > SMALL_BYTES || together + part.size() > MOST_TOGETHER_BYTES) {
                add(cuts, together);
                together = 0;
            }
            if (part.size() > SMALL_BYTES) {
                large(cuts, part.size());
            } else {
                together += (int) part.size();
                if (endsChunk(part)) {
                    add(cuts, together);
                    together = 0;
                }
            }
        }
        add(cuts, together);
        return cuts;
    }

    /** The list of values, in pieces: its beginning stays while names and sizes do. */
    static List<byte[]> ofIndex(byte[] index) {
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < index.length; at += SMALL_BYTES) {
            pieces.add(Arrays.copyOfRange(index, at, Math.min(index.length, at + SMALL_BYTES)));
        }
        return pieces;
    }

    private static void large(List<Integer> cuts, long size) {
        for (long left = size; left > 0; left -= CHUNK_BYTES) {
            cuts.add((int) Math.min(left, CHUNK_BYTES));
        }
    }

    private static void add(List<Integer> cuts, int length) {
        if (length > 0) {
            cuts.add(length);
        }
    }

    /** The larger, the likelier. */
    private static boolean endsChunk(Part part) {
        CRC32 name = new CRC32();
        name.update(part.name().getBytes(StandardCharsets.UTF_8));
        long drawn = name.getValue() * 0x9E3779B97F4A7C15L >>> 48;
        return drawn * TOGETHER_BYTES < part.size() << 16;
    }
}
