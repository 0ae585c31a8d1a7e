package dev.sand.hostagent.core;

import dev.sand.event.Digests;
import dev.sand.event.Ids;
import dev.sand.event.Slots;
import java.nio.ByteBuffer;

/** Ids of executions that executions start: the same for the same parent and step, and in the parent's slot. */
final class ChildIds {
    private ChildIds() {}

    /** @param askedMs wall clock of the signal that asked for it: the id's time */
    static String of(String parentId, String step, long askedMs, int slot, int slots) {
        ByteBuffer drawn = ByteBuffer.wrap(Digests.sha256(parentId + "/" + step));
        return Slots.placed(Ids.encode(askedMs, drawn.getShort(), drawn.getLong()), slot, slots);
    }

    static long startedMs(String id) {
        return Ids.epochMs(id);
    }
}
