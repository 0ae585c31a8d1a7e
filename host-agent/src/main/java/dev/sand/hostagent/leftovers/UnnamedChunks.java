package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.GlobalStore;
import java.util.HashMap;
import java.util.Map;

/** Chunks of large values whose entry was not written, or was replaced or deleted by a host that died at once. Names are part/id. */
record UnnamedChunks(GlobalStore store, int slots) implements Leftovers {
    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        for (int part = 0; part < GlobalStore.PARTS; part++) {
            for (String id : store.unnamed(part)) {
                found.put(part + "/" + id, 0L);
            }
        }
        return found;
    }

    @Override
    public int slotOf(String name) {
        return Integer.parseInt(name.substring(0, name.indexOf('/'))) % slots;
    }

    @Override
    public void delete(String name, long version) {
        store.deleteUnnamed(name.substring(name.indexOf('/') + 1));
    }
}
