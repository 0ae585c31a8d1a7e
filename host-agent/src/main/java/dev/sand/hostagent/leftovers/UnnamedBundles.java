package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.BundleArchive.Folder;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bundles and requirements that no version names any more. Whoever builds the same content again gives them another version
 * before he registers what names them, so one of the two sees the other. Names are kind/content address.
 */
record UnnamedBundles(Registry registry, BundleArchive bundles, int slots) implements Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(UnnamedBundles.class);

    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        Set<String> named = registry.contentAddresses();
        for (Folder kind : Folder.values()) {
            for (String address : bundles.addresses(kind)) {
                if (!named.contains(address)) {
                    found.put(kind + "/" + address, bundles.version(kind, address));
                }
            }
        }
        return found;
    }

    @Override
    public int slotOf(String name) {
        return LeftoverParts.slotOf(name, slots);
    }

    @Override
    public void delete(String name, long version) {
        String address = name.substring(name.indexOf('/') + 1);
        if (registry.contentAddresses().contains(address)) {
            return;
        }
        try {
            bundles.delete(Folder.valueOf(name.substring(0, name.indexOf('/'))), address, version);
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
            LOG.debug("{} is built again just now, and stays", name);
        }
    }
}
