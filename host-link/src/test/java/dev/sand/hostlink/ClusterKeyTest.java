package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterKeyTest {
    private static final byte[] A = new byte[32];
    private static final byte[] B = new byte[] {1};

    @TempDir
    Path folder;

    @Test
    void a_proof_is_of_its_role_its_nonces_and_its_names_alone() {
        ClusterKey key = ClusterKey.of(new byte[32]);
        Set<String> proofs = new HashSet<>();
        for (ClusterKey.Role role : ClusterKey.Role.values()) {
            for (byte[][] nonces : new byte[][][] {{A, B}, {B, A}, {B, B}}) {
                for (String[] names : new String[][] {{"a", "bc"}, {"ab", "c"}}) {
                    proofs.add(HexFormat.of().formatHex(key.prove(role, nonces[0], nonces[1], names[0], names[1])));
                }
            }
        }
        assertThat(proofs).hasSize(12);
        assertThat(key.prove(ClusterKey.Role.HOST, A, B, "a", "b")).isNotEqualTo(
                ClusterKey.of("another key of more than 32 bytes".getBytes()).prove(ClusterKey.Role.HOST, A, B, "a", "b"));
    }

    @Test
    void a_key_comes_from_a_file_without_the_space_around_it() throws Exception {
        Path file = Files.writeString(folder.resolve("key"), "\n  0123456789abcdef0123456789abcdef  \r\n");
        Path same = Files.writeString(folder.resolve("same"), "0123456789abcdef0123456789abcdef");
        assertThat(ClusterKey.read(file).prove(ClusterKey.Role.HOST, A, B, "a", "b"))
                .isEqualTo(ClusterKey.read(same).prove(ClusterKey.Role.HOST, A, B, "a", "b"));
        assertThat(ClusterKey.read(file).toString()).doesNotContain("0123");
    }

    @Test
    void a_key_that_could_be_guessed_is_refused() throws Exception {
        Path file = Files.writeString(folder.resolve("key"), "secret\n");
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("32 to 4096 bytes, not 6").hasMessageNotContaining("secret");
        Files.write(file, new byte[5000]);
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("more than");
    }
}
