package dev.sand.frontend.hosts;

import dev.sand.event.Slots;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slots of processes that were moved by hand, as their owners have told: all others are in that which their id falls into, whose owner
 * says so when it is asked for one that went. On any thread.
 */
final class ProcessRoutes {
    private static final int MOST = 10_000;
    private final int slots;
    private final Map<String, Integer> moved = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST;
        }
    };
    private volatile boolean any;

    ProcessRoutes(int slots) {
        this.slots = slots;
    }

    int slotOf(String application, String process) {
        if (any) {
            synchronized (moved) {
                Integer known = moved.get(application + '/' + process);
                if (known != null) {
                    return known;
                }
            }
        }
        return Slots.of(process, slots);
    }

    void heard(String application, String process, int slot) {
        synchronized (moved) {
            if (slot == Slots.of(process, slots)) {
                moved.remove(application + '/' + process);
            } else {
                moved.put(application + '/' + process, slot);
                any = true;
            }
        }
    }
}
