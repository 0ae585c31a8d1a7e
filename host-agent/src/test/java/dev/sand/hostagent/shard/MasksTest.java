package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MasksTest {
    @Test
    void aValueIsMaskedAsItIsLineByLineAndInBase64() {
        String key = "-----BEGIN KEY-----\nabcdefghijkl>>>???\n-----END KEY-----\n";
        Masks masks = Masks.NONE.with(List.of(key, "abc"));
        assertThat(masked(masks, "it is " + key)).isEqualTo("it is ***");
        assertThat(masked(masks, "second: abcdefghijkl>>>???!")).isEqualTo("second: ***!");
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        assertThat(masked(masks, "x" + Base64.getEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("x***");
        assertThat(masked(masks, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("***");
        assertThat(masked(masks, null)).isNull();
    }

    @Test
    void earlierValuesAreMaskedStillAndTheOldestAreForgotten() {
        Masks masks = Masks.NONE.with(List.of("the first value"));
        for (int i : IntStream.range(0, 1000).toArray()) {
            masks = masks.with(List.of("value number " + i + "."));
        }
        assertThat(masked(masks, "value number 999. value number 0. the first value")).isEqualTo("*** *** ***");
        masks = masks.with(List.of("one more of them"));
        assertThat(masked(masks, "one more of them, the first value")).isEqualTo("***, the first value");
    }

    @Test
    void aValueThatIsPartOfAnotherLeavesNothingOfIt() {
        assertThat(masked(Masks.NONE.with(List.of("password", "password-of-ada")), "password-of-ada")).isEqualTo("***");
    }

    @Test
    void whatIsCutOffIsNotLookedAtAndWhatGoesOnBehindTheCutIsMasked() {
        Masks masks = Masks.NONE.with(List.of("the secret value"));
        assertThat(masks.masked("it is the secret value", 10)).isEqualTo("it is ***");
        assertThat(masks.masked("the secret value, the secret value", 20)).as("no part of the second one").isEqualTo("***, ***");
        assertThat(masks.masked("0123456789the secret value", 10)).isEqualTo("0123456789");
        assertThat(Masks.NONE.masked("0123456789", 4)).isEqualTo("0123");
    }

    @Test
    void thereAreSoManyAndThoseInForceAreAllMasked() {
        String[] large = IntStream.range(0, 20).mapToObj(i -> IntStream.range(0, 3000)
                .mapToObj(line -> "line " + line + " of value " + i).collect(Collectors.joining("\n"))).toArray(String[]::new);
        Masks masks = Masks.NONE;
        for (String value : large) {
            masks = masks.with(List.of(value));
        }
        assertThat(masks.texts().stream().mapToInt(String::length).sum()).isLessThan(4 << 20);
        assertThat(masked(masks, large[19])).isEqualTo("***");
        assertThat(masked(masks, large[18])).isEqualTo("***");
        assertThat(masked(masks, "line 7 of value 19")).isEqualTo("***");
        assertThat(Masks.NONE.with(List.of(large)).texts()).hasSizeLessThanOrEqualTo(20 * 3 + 4096);
        assertThat(masked(Masks.NONE.with(List.of(large)), String.join(" and ", large))).isEqualTo("***" + " and ***".repeat(19));
    }

    @Test
    void formsOfAnUnchangedValueAreKept() {
        Masks masks = Masks.NONE.with(List.of("the secret value"));
        String form = masks.texts().stream().filter(each -> !each.equals("the secret value")).findFirst().orElseThrow();
        assertThat(masks.with(List.of("the secret value", "another one")).texts()).anyMatch(each -> each == form);
    }

    private static String masked(Masks masks, String text) {
        return masks.masked(text, Integer.MAX_VALUE);
    }
}
