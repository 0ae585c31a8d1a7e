package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.ImageLeftovers;
import dev.sand.datalayer.Registry;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.objects.GlobalObjects;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Topics, large values and images of processes of applications that are deleted: one that ended late made its journal anew, or the
 * deletion was not carried to its end. Names are those of topics, and {@code values.} or {@code images.} with the application's.
 */
record DeletedApplications(Registry registry, GlobalBus bus, GlobalObjects objects, ImageLeftovers images, int slots)
        implements Leftovers {
    private static final List<String> TOPICS = List.of("journal", "requests", "returns", "work", "queue");
    private static final String VALUES = "values";
    private static final String IMAGES = "images";

    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        Map<String, Long> deleted = registry.deleted();
        for (String topic : bus.topics()) {
            Long deployments = TOPICS.contains(part(topic, 0)) ? deleted.get(part(topic, 1)) : null;
            if (deployments != null) {
                found.put(topic, deployments);
            }
        }
        deleted.forEach((application, deployments) -> {
            if (!objects.executions(application).isEmpty()) {
                found.put(VALUES + "." + application, deployments);
            }
            if (images.hasAny(application)) {
                found.put(IMAGES + "." + application, deployments);
            }
        });
        return found;
    }

    private static String part(String name, int index) {
        List<String> parts = Arrays.asList(name.split("\\."));
        return index < parts.size() ? parts.get(index) : "";
    }

    @Override
    public int slotOf(String name) {
        return LeftoverParts.slotOf(part(name, 1), slots);
    }

    @Override
    public void delete(String name, long deployments) {
        String application = part(name, 1);
        if (!Long.valueOf(deployments).equals(registry.deleted().get(application))) {
            return; // deployed again
        }
        if (part(name, 0).equals(VALUES)) {
            objects.deleteApplication(application);
        } else if (part(name, 0).equals(IMAGES)) {
            images.deleteAll(application);
        } else {
            bus.deleteTopic(name);
        }
    }
}
