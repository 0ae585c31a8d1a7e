package dev.sand.hostagent.mask;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MasksTest {
    @Test
    void aValueIsMaskedAsItIsLineByLineAndInBase64() {
        String key = "-----BEGIN KEY-----\nabcdefghijkl>>>???\n-----END KEY-----\n";
        Masks masks = Masks.of(List.of(key, "abc"));
        assertThat(masked(masks, "it is " + key)).isEqualTo("it is ***");
        assertThat(masked(masks, "second: abcdefghijkl>>>???!")).isEqualTo("second: ***!");
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        assertThat(masked(masks, "x" + Base64.getEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("x***");
        assertThat(masked(masks, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes))).isEqualTo("***");
        assertThat(masked(masks, null)).isNull();
    }

    @Test
    void earlierValuesAreMaskedStillAndTheOldestAreForgotten() {
        Masks masks = Masks.of(List.of("the first value"));
        for (int batch : IntStream.range(0, 20).toArray()) {
            masks = masks.with(IntStream.range(0, 50).mapToObj(i -> "value number " + (50 * batch + i) + ".").toList());
        }
        assertThat(masked(masks, "value number 999. value number 0. the first value")).isEqualTo("*** *** ***");
        masks = masks.with(List.of("one more of them"));
        assertThat(masked(masks, "one more of them, the first value")).isEqualTo("***, the first value");
    }

    @Test
    void aValueThatIsPartOfAnotherLeavesNothingOfIt() {
        assertThat(masked(Masks.of(List.of("password", "password-of-ada")), "password-of-ada")).isEqualTo("***");
    }

    @Test
    void whatIsCutOffIsNotLookedAtAndWhatGoesOnBehindTheCutIsMasked() {
        Masks masks = Masks.of(List.of("the secret value"));
        assertThat(masks.masked("it is the secret value", 10, false)).isEqualTo("it is ***");
        assertThat(masks.masked("the secret value, the secret value", 20, false)).as("no part of the second one").isEqualTo("***, ***");
        assertThat(masks.masked("0123456789the secret value", 10, false)).isEqualTo("0123456789");
        assertThat(Masks.NONE.masked("0123456789", 4, false)).isEqualTo("0123");
    }

    @Test
    void thereAreSoManyAndThoseInForceAreAllMasked() {
        String[] large = IntStream.range(0, 20).mapToObj(i -> IntStream.range(0, 3000)
                .mapToObj(line -> "line " + line + " of value " + i).collect(Collectors.joining("\n"))).toArray(String[]::new);
        Masks masks = Masks.NONE;
        for (String value : large) {
            masks = masks.with(List.of(value));
        }
        assertThat(masks.forms().stream().mapToInt(String::length).sum()).isLessThan(10 << 20);
        assertThat(masked(masks, large[19])).isEqualTo("***");
        assertThat(masked(masks, large[18])).isEqualTo("***");
        assertThat(masked(masks, "line 7 of value 19")).isEqualTo("***");
        assertThat(Masks.of(List.of(large)).forms()).hasSizeLessThanOrEqualTo(20 * 64 + 4096);
        assertThat(masked(Masks.of(List.of(large)), String.join(" and ", large))).isEqualTo("***" + " and ***".repeat(19));
    }

    @Test
    void formsOfAnUnchangedValueAreKept() {
        Masks masks = Masks.of(List.of("the secret value"));
        String form = masks.forms().stream().filter(each -> !each.equals("the secret value")).findFirst().orElseThrow();
        assertThat(masks.with(List.of("the secret value", "another one")).forms()).anyMatch(each -> each == form);
        assertThat(Masks.of(List.of()).forms()).isEmpty();
    }

    @Test
    void aShortValueIsMaskedAsItIsAloneAndAVeryShortOneNowhere() {
        Masks masks = Masks.of(List.of("abc", "hunter2", "dddd"));
        assertThat(masked(masks, "abc hunter2, aHVudGVyMg; dddddd!")).isEqualTo("abc ***, aHVudGVyMg; ***dd!");
        assertThat(masks.masked("it is hunter2", 9, false)).isEqualTo("it is ***");
    }

    @Test
    void whatATextThatGoesOnBeginsAtItsEndIsMasked() {
        Masks masks = Masks.of(List.of("the secret value", "value of another"));
        assertThat(masks.masked("it is the secret val", 1000, true)).isEqualTo("it is ***");
        assertThat(masks.masked("it is the secret val", 1000, false)).isEqualTo("it is the secret val");
        assertThat(masks.masked("it is the ", 1000, true)).isEqualTo("it is ***");
        assertThat(masks.masked("it is the", 1000, true)).as("by chance, perhaps").isEqualTo("it is the");
        assertThat(masks.masked("the secret value of", 1000, true)).as("both").isEqualTo("***");
    }

    @Test
    void ofFormsThatBeginAlikeTheLongestIsMasked() {
        Masks masks = Masks.of(IntStream.rangeClosed(8, 200).mapToObj("a"::repeat).toList());
        assertThat(masked(masks, "a".repeat(7) + " " + "a".repeat(8) + " " + "a".repeat(1000) + " aaaaaaa")).isEqualTo("aaaaaaa *** *** aaaaaaa");
        Masks nested = Masks.of(List.of("password", "password-1-", "password-1-2-3", "password-2"));
        assertThat(masked(nested, "password-1-2-4 password-2 password-1 passwor")).isEqualTo("***2-4 *** ***-1 passwor");
    }

    /** Many random texts against a search for each form by itself. */
    @Test
    void nothingIsMissedAndNothingElseIsMasked() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            List<String> values = IntStream.range(0, 1 + random.nextInt(30)).mapToObj(i -> letters(random, 8 + random.nextInt(6))).toList();
            Masks masks = Masks.of(values);
            String text = letters(random, 400);
            BitSet covered = new BitSet();
            for (String form : masks.forms()) {
                for (int at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
                    covered.set(at, at + form.length());
                }
            }
            StringBuilder expected = new StringBuilder();
            for (int at = 0; at < text.length(); at++) {
                expected.append(!covered.get(at) ? text.substring(at, at + 1) : at == 0 || !covered.get(at - 1) ? "***" : "");
            }
            assertThat(masked(masks, text)).isEqualTo(expected.toString());
        }
    }

    private static String letters(Random random, int length) {
        return random.ints(length, 'a', 'c').collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    private static String masked(Masks masks, String text) {
        return masks.masked(text);
    }
}
