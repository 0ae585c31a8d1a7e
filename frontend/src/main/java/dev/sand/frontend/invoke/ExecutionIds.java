package dev.sand.frontend.invoke;

import dev.sand.event.Ids;
import dev.sand.event.Slots;
import java.util.concurrent.ThreadLocalRandom;

/** Ids of new executions. One that runs in a cloud process has an id that falls into the slot where that lives: both have one owner. */
final class ExecutionIds {
    static final int ANY = -1;
    private final int slots;

    ExecutionIds(int slots) {
        this.slots = slots;
    }

    int slots() {
        return slots;
    }

    String next(long nowMs, int slot) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return slot == ANY ? Ids.next(nowMs, random) : derived(nowMs, random.nextInt() & 0xFFFF, random.nextLong(), slot);
    }

    /** Always the same for the same bits, time and slot. */
    String derived(long nowMs, int high16, long low64, int slot) {
        String id = Ids.encode(nowMs, high16, low64);
        return slot == ANY ? id : Slots.placed(id, slot, slots);
    }

    /** The same request's, where its process lives. */
    String moved(String id, int slot) {
        return Slots.placed(id, slot, slots);
    }
}
