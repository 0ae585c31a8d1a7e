package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MasksTest {
    @Test
    void aValueIsMaskedAsItIsLineByLineAndInBase64() {
        String key = "-----BEGIN KEY-----\nabcdefghijkl>>>???\n-----END KEY-----\n";
        Masks masks = Masks.NONE.with(List.of(key, "abc"));
        assertThat(masks.masked("it is " + key)).isEqualTo("it is ***");
        assertThat(masks.masked("second: abcdefghijkl>>>???!")).isEqualTo("second: ***!");
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        assertThat(masks.masked("x" + Base64.getEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("x***");
        assertThat(masks.masked(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("***");
        assertThat(masks.masked(null)).isNull();
    }

    @Test
    void earlierValuesAreMaskedStillAndTheOldestAreForgotten() {
        Masks masks = Masks.NONE.with(List.of("the first value"));
        for (int i : IntStream.range(0, 1000).toArray()) {
            masks = masks.with(List.of("value number " + i + "."));
        }
        assertThat(masks.masked("value number 999. value number 0. the first value")).isEqualTo("*** *** ***");
        masks = masks.with(List.of("one more of them"));
        assertThat(masks.masked("one more of them, the first value")).isEqualTo("***, the first value");
    }

    @Test
    void aValueThatIsPartOfAnotherLeavesNothingOfIt() {
        assertThat(Masks.NONE.with(List.of("password", "password-of-ada")).masked("password-of-ada")).isEqualTo("***");
    }
}
