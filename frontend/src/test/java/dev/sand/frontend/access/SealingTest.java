package dev.sand.frontend.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;

/** A box opens for the request and the field that it was closed for, and for nothing else. */
class SealingTest {
    private final Sealing sealing = new Sealing(() -> new byte[32]);

    @Test
    void what_was_closed_opens_there_alone() {
        String box = sealing.seal("01E", "/password", "pass wörd");
        assertThat(box).isNotEqualTo(sealing.seal("01E", "/password", "pass wörd"));
        assertThat(sealing.open("01E", "/password", box)).hasValue("pass wörd");
        assertThat(sealing.open("01F", "/password", box)).isEmpty();
        assertThat(sealing.open("01E", "/invitation", box)).isEmpty();
        assertThat(new Sealing(() -> new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}).open("01E", "/password", box)).isEmpty();
    }

    @Test
    void a_changed_box_and_no_box_open_for_nobody() {
        byte[] box = Base64.getUrlDecoder().decode(sealing.seal("01E", "/password", "x"));
        for (int i = 0; i < box.length; i++) {
            byte[] changed = box.clone();
            changed[i] ^= 1;
            assertThat(sealing.open("01E", "/password", Base64.getUrlEncoder().withoutPadding().encodeToString(changed))).isEmpty();
        }
        for (String none : new String[] {"", "x", "pass word", "AQ"}) {
            assertThat(sealing.open("01E", "/password", none)).isEmpty();
        }
    }
}
