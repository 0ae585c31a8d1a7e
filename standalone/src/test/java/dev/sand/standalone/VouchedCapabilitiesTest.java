package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostlink.ClusterKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts with an older and a newer management, as while a cluster is upgraded: each lets both control the platform, and no third. */
class VouchedCapabilitiesTest {
    private static final String NAME = "0sand-management";
    private static final ClusterKey KEY = ClusterKey.of("the secret of this test's cluster, 32 bytes and more".getBytes(StandardCharsets.UTF_8));
    @TempDir
    private Path folder;
    private final MemoryStore store = new MemoryStore();
    private Path older;
    private Path newer;

    @BeforeEach
    void write() throws Exception {
        older = Files.writeString(Files.createDirectory(folder.resolve("older")).resolve("sand.yaml"), "name: management\n").getParent();
        newer = Files.writeString(Files.createDirectory(folder.resolve("newer")).resolve("sand.yaml"), "name: management # newer\n").getParent();
    }

    /** What a part is that was started with the management in that folder. */
    private record Part(Capabilities capabilities, VouchedCapabilities vouched) {
        /** As a host does: it loads the version first. */
        Capabilities.Application of(String bundle) {
            ApplicationVersion version = version(bundle);
            vouched.load(version);
            return capabilities.of(version);
        }

        String bundle() {
            return capabilities.byName().get(NAME).bundle();
        }
    }

    private Part part(ClusterKey key, ManagementOptions options) throws Exception {
        VouchedCapabilities vouched = new VouchedCapabilities(store, key);
        return new Part(CapabilitiesFile.read(options, vouched), vouched);
    }

    private Part part(Path management) throws Exception {
        return part(KEY, new ManagementOptions(management, null, false));
    }

    private static ApplicationVersion version(String bundle) {
        return new ApplicationVersion((short) 1, NAME, 1, bundle, null, SandboxSpec.DEFAULT, Map.of(), Map.of(),
                List.of(), Map.of(), null, 1, Map.of(), Map.of(), null);
    }

    @Test
    void hostsOfBothVersionsLetBothControlThePlatform() throws Exception {
        Part before = part(older);
        Part after = part(newer);
        assertThat(before.bundle()).isNotEqualTo(after.bundle());
        assertThat(after.of(before.bundle()).allows("aliases", "moveAlias")).isTrue();
        assertThat(before.of(after.bundle()).allows("aliases", "moveAlias")).isTrue();
        assertThat(before.of("0".repeat(64))).isNull();
    }

    @Test
    void whoWritesTheStoreGivesNobodyACapability() throws Exception {
        Part own = part(older);
        Part stranger = part(ClusterKey.of("another secret, which is not that of this cluster".getBytes(StandardCharsets.UTF_8)),
                new ManagementOptions(newer, null, false));
        assertThat(own.of(stranger.bundle())).isNull();
        // Nor does a note of ours about other files.
        byte[] sealed = store.get("capabilities", NAME, own.bundle()).orElseThrow().value();
        String changed = new String(sealed, StandardCharsets.UTF_8).replace(own.bundle(), "1".repeat(64));
        store.put("capabilities", NAME, "1".repeat(64), changed.getBytes(StandardCharsets.UTF_8), GlobalStore.ANY);
        assertThat(own.of("1".repeat(64))).isNull();
    }

    @Test
    void whereTheOperatorSaysWhichOrNoneNoNoteCounts() throws Exception {
        Part other = part(newer);
        Part none = part(KEY, new ManagementOptions(older, null, true));
        Part off = part(KEY, new ManagementOptions(null, null, false));
        Path file = Files.writeString(folder.resolve("capabilities.yaml"), "applications: {" + NAME + ": {bundle: \"" + "2".repeat(64)
                + "\", grains: {aliases: [moveAlias]}}}\n");
        Part named = part(KEY, new ManagementOptions(older, file, false));
        for (Part part : List.of(none, off, named)) {
            assertThat(part.of(other.bundle())).isNull();
        }
        assertThat(named.of("2".repeat(64)).grains()).isEqualTo(Map.of("aliases", Set.of("moveAlias")));
    }

    @Test
    void aPlatformOfOneProcessNotesNothing() throws Exception {
        Part alone = part(null, new ManagementOptions(older, null, false));
        assertThat(alone.of(alone.bundle())).isNotNull();
        assertThat(store.scan("capabilities", NAME, "", null, 10)).isEmpty();
    }
}
