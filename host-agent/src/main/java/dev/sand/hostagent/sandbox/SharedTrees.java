package dev.sand.hostagent.sandbox;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.BundleArchive.Folder;
import dev.sand.event.ApplicationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bundles and requirements of this host as part of the platform's: what it built goes to the global data layer before the
 * version is registered, and what another host built is fetched when it is first needed here. Blocks; off the shards.
 */
final class SharedTrees {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTrees.class);

    private final Home home;
    private final BundleArchive archive;
    private final boolean giveToRoot;

    /** @param archive null where there is only this host */
    SharedTrees(Home home, BundleArchive archive, boolean giveToRoot) {
        this.home = home;
        this.archive = archive;
        this.giveToRoot = giveToRoot;
    }

    /** @param dependencies or null */
    void share(String bundle, String dependencies) throws IOException {
        if (archive != null) {
            archive.put(Folder.BUNDLE, bundle, home.bundles().resolve(bundle));
            if (dependencies != null) {
                archive.put(Folder.DEPENDENCIES, dependencies, home.dependencies().resolve(dependencies));
            }
        }
    }

    /** The version's trees are on this host when it returns, if they are anywhere. */
    void ensure(ApplicationVersion version) throws IOException {
        if (archive != null) {
            ensure(Folder.BUNDLE, version.bundle(), home.bundles());
            if (version.dependencies() != null) {
                ensure(Folder.DEPENDENCIES, version.dependencies(), home.dependencies());
            }
        }
    }

    private void ensure(Folder kind, String address, Path folder) throws IOException {
        Path named = folder.resolve(address);
        if (Files.exists(named)) {
            return;
        }
        Path half = home.staging().resolve("fetched-" + SandboxIds.next());
        try {
            if (archive.fetch(kind, address, half)) {
                BundleStore.seal(half, giveToRoot);
                BundleStore.commit(half, named);
                LOG.info("fetched {} {}", kind, address);
            }
        } finally {
            if (Files.exists(half)) {
                LinkedTrees.delete(half);
            }
        }
    }
}
