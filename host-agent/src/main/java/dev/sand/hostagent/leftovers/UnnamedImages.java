package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.ImageLeftovers;
import dev.sand.datalayer.Registry;
import dev.sand.event.Slots;
import java.util.HashMap;
import java.util.Map;

/**
 * Parts of images of cloud processes that no manifest names, and rows of processes that were deleted. Each write and deletion of
 * an image gives its row another version before anything else. Names are application/process.
 */
record UnnamedImages(Registry registry, ImageLeftovers images, int slots) implements Leftovers {
    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        for (String application : registry.applications()) {
            images.of(application).forEach((process, version) -> found.put(application + "/" + process, version));
        }
        return found;
    }

    @Override
    public int slotOf(String name) {
        return Slots.of(process(name), slots);
    }

    @Override
    public void delete(String name, long version) {
        images.delete(name.substring(0, name.indexOf('/')), process(name), version);
    }

    private static String process(String name) {
        return name.substring(name.indexOf('/') + 1);
    }
}
