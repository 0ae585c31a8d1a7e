package dev.sand.dataplane;

import dev.sand.event.Digests;
import dev.sand.event.Ids;
import dev.sand.event.Slots;
import java.nio.ByteBuffer;

/**
 * From the id that a client draws to the execution's. It is hashed together with what the grant is for: no client reaches an execution
 * of another application or process, whatever it draws. And it falls into the process's slot, on every host alike: whoever repeats an
 * invocation elsewhere means the same execution.
 */
public final class InvocationIds {
    private InvocationIds() {}

    /** @param drawn 26 characters, see {@link Ids}; its time stays */
    public static String execution(String application, String process, String drawn, int slots) {
        return execution(application, process, drawn, slots, Slots.of(process, slots));
    }

    /** @param slot where the process lives */
    public static String execution(String application, String process, String drawn, int slots, int slot) {
        ByteBuffer hash = ByteBuffer.wrap(Digests.sha256(application + '\0' + process + '\0' + drawn));
        return Slots.placed(Ids.encode(Ids.epochMs(drawn), hash.getShort(), hash.getLong()), slot, slots);
    }
}
