package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.ObjectStore;
import java.util.HashMap;
import java.util.Map;

/** Pieces of objects and bundles whose manifest was not written, or was replaced by a host that died at once. Names are place/piece. */
record UnnamedPieces(Places places, int slots) implements Leftovers {
    /** All scopes that have objects. */
    interface Places {
        void each(Visitor visitor);
    }

    interface Visitor {
        void accept(String place, ObjectStore objects, String scope);
    }

    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        places.each((place, objects, scope) -> objects.unnamed(scope).forEach(piece -> found.put(place + "/" + piece, 0L)));
        return found;
    }

    @Override
    public int slotOf(String name) {
        return LeftoverParts.slotOf(name, slots);
    }

    @Override
    public void delete(String name, long version) {
        String piece = name.substring(name.lastIndexOf('/') + 1);
        places.each((place, objects, scope) -> {
            if (name.equals(place + "/" + piece)) {
                objects.deleteUnnamed(scope, piece);
            }
        });
    }
}
