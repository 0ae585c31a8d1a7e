package dev.sand.hostagent.leftovers;

import java.util.Map;

/** One kind of what crashes leave in the global layer, see {@link LeftoverCollector}. Both calls block. */
interface Leftovers {
    /** Of all slots or of some: a name that is nobody's now, with its version, 0 where it has none. */
    Map<String, Long> nobodys();

    /** Into which slot it falls. */
    int slotOf(String name);

    /** Deletes it, unless it is somebody's after all, or at another version. */
    void delete(String name, long version);
}
