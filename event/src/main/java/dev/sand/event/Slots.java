package dev.sand.event;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Which slot an execution falls into: the same for every program of the platform, in every language. */
public final class Slots {
    /** Of an id of {@link Ids}, what names its request; what is behind it, 15 bits, is drawn for the slot. */
    private static final int NAMING = Ids.LENGTH - 3;
    private static final int PLACES = 1 << 15;
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
            crc = next(crc, c);
        }
        return slot(crc, slots);
    }

    private static int next(int crc, char c) {
        return crc >>> 8 ^ TABLE[(crc ^ c) & 0xFF];
    }

    private static int slot(int crc, int slots) {
        return (int) ((~crc & 0xFFFFFFFFL) % slots);
    }

    /**
     * The id of the same request that falls into a slot: itself, or one with another end. What runs in a cloud process has an id of the
     * slot where that lives, and gets another one when it is found to live elsewhere.
     *
     * @param id of {@link Ids}
     */
    public static String placed(String id, int slot, int slots) {
        int naming = -1;
        int drawn = 0;
        for (int i = 0; i < Ids.LENGTH; i++) {
            if (i < NAMING) {
                naming = next(naming, id.charAt(i));
            } else {
                drawn = drawn << 5 | Ids.digit(id.charAt(i));
            }
        }
        for (int i = 0; i < PLACES; i++) {
            int place = drawn + i & PLACES - 1;
            char first = Ids.character(place >>> 10);
            char second = Ids.character(place >>> 5);
            char third = Ids.character(place);
            if (slot(next(next(next(naming, first), second), third), slots) == slot) {
                return i == 0 ? id : id.substring(0, NAMING) + first + second + third;
            }
        }
        throw new IllegalArgumentException("no id of " + id + " is in slot " + slot + " of " + slots);
    }

    /** The name that an execution, or an event {@code id/step} of it, has in whatever slot its request runs: without what places it. */
    public static String request(String id) {
        if (id.length() < Ids.LENGTH || id.charAt(NAMING) == '/') {
            return id; // it is one
        }
        String naming = id.substring(0, NAMING);
        return id.length() == Ids.LENGTH ? naming : naming + id.substring(Ids.LENGTH);
    }

    private static int ofAnyText(String id, int slots) {
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % slots);
    }
}
