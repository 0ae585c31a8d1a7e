package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.ImageLeftovers;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.Slots;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.triggers.Ownership;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Where leftovers are looked for.
 *
 * @param bundles null: hosts share none
 * @param objects grains' own objects, {@code context.data.objects}
 * @param nowMs the bus's clock
 */
public record LeftoverParts(GlobalStore store, GlobalBus bus, Registry registry, BundleArchive bundles, ObjectStore objects,
                            JournalAdapter journal, Ownership ownership, LongSupplier nowMs) {
    Map<String, Leftovers> kinds() {
        Map<String, Leftovers> kinds = new HashMap<>();
        kinds.put("values", new UnknownExecutions(registry, new GlobalObjects(store), new ImageLeftovers(store), journal,
                ownership.slots()));
        kinds.put("chunks", new UnnamedChunks(store, ownership.slots()));
        kinds.put("applications", new DeletedApplications(registry, bus, new GlobalObjects(store), new ImageLeftovers(store), ownership.slots()));
        kinds.put("images", new UnnamedImages(registry, new ImageLeftovers(store), ownership.slots()));
        kinds.put("pieces", new UnnamedPieces(pieces(), ownership.slots()));
        if (bundles != null) {
            kinds.put("bundles", new UnnamedBundles(registry, bundles, ownership.slots()));
        }
        return kinds;
    }

    private UnnamedPieces.Places pieces() {
        return each -> {
            for (String application : registry.applications()) {
                each.accept("object/" + application, objects, application);
            }
            if (bundles != null) {
                bundles.eachScope((scope, stored) -> each.accept("bundle/" + scope, stored, scope));
            }
        };
    }

    /** For names that follow from no execution. */
    static int slotOf(String name, int slots) {
        return Slots.of(name, slots);
    }
}
