package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DigestsTest {
    /** FIPS 180-2, appendix B.1. */
    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void aDigestHasSeenNothingOfTheOnesBefore() {
        MessageDigest half = Digests.sha256();
        half.update((byte) 'a');

        assertThat(HexFormat.of().formatHex(Digests.sha256("abc"))).isEqualTo(OF_ABC);

        half.update(new byte[] {'b', 'c'});
        assertThat(HexFormat.of().formatHex(half.digest())).isEqualTo(OF_ABC);
    }
}
