package dev.sand.frontend.invoke;

import dev.sand.event.Ids;
import dev.sand.event.Slots;
import java.util.concurrent.ThreadLocalRandom;

/** Ids of new executions. One that runs in a cloud process has an id that falls into the process's slot: both have one owner. */
final class ExecutionIds {
    private final int slots;

    ExecutionIds(int slots) {
        this.slots = slots;
    }

    /** @param process or null: any slot */
    String next(long nowMs, String process) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return process == null ? Ids.next(nowMs, random) : derived(nowMs, random.nextInt() & 0xFFFF, random.nextLong(), process);
    }

    /** Always the same for the same bits, time and process. */
    String derived(long nowMs, int high16, long low64, String process) {
        if (process == null) {
            return Ids.encode(nowMs, high16, low64);
        }
        int slot = Slots.of(process, slots);
        for (long low = low64;; low++) {
            String id = Ids.encode(nowMs, high16, low);
            if (Slots.of(id, slots) == slot) {
                return id;
            }
        }
    }
}
