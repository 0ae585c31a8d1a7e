package dev.sand.standalone;

import dev.sand.datalayer.GlobalStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Codec;
import dev.sand.event.Limits;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostlink.ClusterKey;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shipped management applications of all parts of a cluster, which are different ones while part after part gets a new version of
 * the platform: each part notes its own in the global store, and lets that of any other control the platform too. Notes are sealed
 * with the cluster's key, so that whoever can write the store alone gives nobody a capability.
 */
final class VouchedCapabilities {
    private static final Logger LOG = LoggerFactory.getLogger(VouchedCapabilities.class);
    private static final String TABLE = "capabilities";
    private static final String PURPOSE = "capability";
    private final GlobalStore store;
    private final ClusterKey key;
    private final Set<String> applications = ConcurrentHashMap.newKeySet();
    private final Map<String, Capabilities.Application> known = new ConcurrentHashMap<>();

    /** @param grains operations by grain; @param seal over all else, null: not sealed yet */
    record Note(short schema, String application, String bundle, TreeMap<String, TreeSet<String>> grains, byte[] seal) {
        static Note of(String application, Capabilities.Application capability) {
            TreeMap<String, TreeSet<String>> grains = new TreeMap<>();
            capability.grains().forEach((grain, operations) -> grains.put(grain, new TreeSet<>(operations)));
            return new Note(Limits.SCHEMA_VERSION, application, capability.bundle(), grains, null);
        }

        Note sealed(ClusterKey key) {
            byte[] content = Codec.encode(new Note(schema, application, bundle, grains, null));
            return new Note(schema, application, bundle, grains, key.seal(PURPOSE, content));
        }

        boolean isSealed(ClusterKey key) {
            return seal != null && MessageDigest.isEqual(seal, sealed(key).seal);
        }

        Capabilities.Application capability() {
            return new Capabilities.Application(bundle, Map.copyOf(grains));
        }
    }

    /** @param key null: there is no other part, and nothing is noted */
    VouchedCapabilities(GlobalStore store, ClusterKey key) {
        this.store = store;
        this.key = key;
    }

    /** This part was started with it. Blocks. */
    void vouch(String application, Capabilities.Application capability) {
        if (key == null) {
            return;
        }
        applications.add(application);
        known.put(capability.bundle(), capability);
        store.put(TABLE, application, capability.bundle(), Codec.encode(Note.of(application, capability).sealed(key)), GlobalStore.ANY);
    }

    /** Looks for whoever was started with it, before {@link #of} is asked. Blocks. */
    void load(ApplicationVersion version) {
        if (applications.contains(version.application()) && !known.containsKey(version.bundle())) {
            store.get(TABLE, version.application(), version.bundle()).flatMap(found -> read(version, found.value()))
                    .ifPresent(capability -> known.put(version.bundle(), capability));
        }
    }

    private Optional<Capabilities.Application> read(ApplicationVersion version, byte[] stored) {
        try {
            Note note = Codec.decode(stored, Note.class);
            if (note.application.equals(version.application()) && note.bundle.equals(version.bundle()) && note.isSealed(key)) {
                return Optional.of(note.capability());
            }
            LOG.warn("the capability of {} {} was not noted by a part of this cluster: it counts for nothing", version.application(), version.bundle());
        } catch (UncheckedIOException e) {
            LOG.warn("the capability of {} {} was noted by a newer platform: {}", version.application(), version.bundle(), e.getMessage());
        }
        return Optional.empty();
    }

    /** From memory. @return null: nobody was started with it, as far as is known */
    Capabilities.Application of(ApplicationVersion version) {
        return applications.contains(version.application()) ? known.get(version.bundle()) : null;
    }
}
