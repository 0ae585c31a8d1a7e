package dev.sand.event;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Which slot an execution falls into: the same for every program of the platform, in every language. */
public final class Slots {
    /** Slots of a new platform: the most hosts that can share the work, and partitions of each of its topics. */
    public static final int DEFAULT = 16;
    private static final int[] TABLE = table();

    private Slots() {}

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0xEDB88320;
            }
            table[i] = crc;
        }
        return table;
    }

    /** CRC-32 of the id's UTF-8, modulo the number of slots. Ids are ASCII: reckoned without an allocation, once a request. */
    public static int of(String id, int slots) {
        int crc = -1;
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (c >= 128) {
                return ofAnyText(id, slots);
            }
            crc = crc >>> 8 ^ TABLE[(crc ^ c) & 0xFF];
        }
        return (int) ((~crc & 0xFFFFFFFFL) % slots);
    }

    private static int ofAnyText(String id, int slots) {
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % slots);
    }
}
