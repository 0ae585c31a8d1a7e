package dev.sand.hostagent.mask;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class FormsTest {
    /** Both quotes, a backslash, what is not ASCII, what is not printable, and what an address escapes. */
    private static final String ODD = "p\"a'ss\\word-\u00e9-\u20ac\u200b\ud83d\ude00-\u007f1 /+";
    /** What Python 3.11 itself makes of it, by the call. */
    private static final String[] WRITTEN = {
            "json.dumps(t)", "p\\\"a'ss\\\\word-\\u00e9-\\u20ac\\u200b\\ud83d\\ude00-\\u007f1 /+",
            "json.dumps(t, ensure_ascii=False)", "p\\\"a'ss\\\\word-\u00e9-\u20ac\u200b\ud83d\ude00-\u007f1 /+",
            "repr(t)", "p\"a\\'ss\\\\word-\u00e9-\u20ac\\u200b\ud83d\ude00-\\x7f1 /+",
            "repr of it in double quotes", "p\"a'ss\\\\word-\u00e9-\u20ac\\u200b\ud83d\ude00-\\x7f1 /+",
            "ascii(t)", "p\"a\\'ss\\\\word-\\xe9-\\u20ac\\u200b\\U0001f600-\\x7f1 /+",
            "repr(t.encode())", "p\"a\\'ss\\\\word-\\xc3\\xa9-\\xe2\\x82\\xac\\xe2\\x80\\x8b\\xf0\\x9f\\x98\\x80-\\x7f1 /+",
            "quote(t)", "p%22a%27ss%5Cword-%C3%A9-%E2%82%AC%E2%80%8B%F0%9F%98%80-%7F1%20/%2B",
            "quote(t, safe='')", "p%22a%27ss%5Cword-%C3%A9-%E2%82%AC%E2%80%8B%F0%9F%98%80-%7F1%20%2F%2B",
            "quote_plus(t)", "p%22a%27ss%5Cword-%C3%A9-%E2%82%AC%E2%80%8B%F0%9F%98%80-%7F1+%2F%2B",
            "t.encode().hex()", "7022612773735c776f72642dc3a92de282ace2808bf09f98802d7f31202f2b",
            "json.dumps(repr(t))", "p\\\"a\\\\'ss\\\\\\\\word-\\u00e9-\\u20ac\\\\u200b\\ud83d\\ude00-\\\\x7f1 /+",
            "json.dumps(json.dumps(t))", "p\\\\\\\"a'ss\\\\\\\\word-\\\\u00e9-\\\\u20ac\\\\u200b\\\\ud83d\\\\ude00-\\\\u007f1 /+",
            "repr(json.dumps(t))", "p\\\\\"a\\'ss\\\\\\\\word-\\\\u00e9-\\\\u20ac\\\\u200b\\\\ud83d\\\\ude00-\\\\u007f1 /+",
            "json.dumps([repr(t.encode())])", "p\\\"a\\\\'ss\\\\\\\\word-\\\\xc3\\\\xa9-\\\\xe2\\\\x82\\\\xac\\\\xe2\\\\x80\\\\x8b\\\\xf0\\\\x9f\\\\x98\\\\x80-\\\\x7f1 /+"};

    @Test
    void whatPythonMakesOfAValueIsMasked() {
        Masks masks = Masks.of(List.of(ODD));
        for (int i = 0; i < WRITTEN.length; i += 2) {
            assertThat(masks.masked("<" + WRITTEN[i + 1] + ">")).as(WRITTEN[i]).isEqualTo("<***>");
        }
    }

    @Test
    void aValueWithNothingToEscapeHasNoEscapedForms() {
        Forms forms = Forms.of("canary-8Kq2vWz");
        assertThat(forms.derived()).hasSizeLessThanOrEqualTo(5).allMatch(form -> !form.contains("canary"));
        assertThat(forms.lines()).isEmpty();
        assertThat(Forms.of("p\"shorts").derived()).as("eight characters").contains("p\\\"shorts");
        assertThat(Forms.of("p\"short").derived()).as("seven").isEmpty();
    }

    @Test
    void base64OfSomethingLongerTellsNothingOfTheValueInIt() {
        byte[] bytes = "canary-8Kq2vWz?>~".getBytes(StandardCharsets.UTF_8);
        Masks masks = Masks.of(List.of(new String(bytes, StandardCharsets.UTF_8)));
        for (String before : List.of("", "u", "u:", "us:", "user:")) {
            for (String after : List.of("", "@", "@h", "@ho")) {
                for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
                    byte[] whole = (before + new String(bytes, StandardCharsets.UTF_8) + after).getBytes(StandardCharsets.UTF_8);
                    String masked = masks.masked("Authorization: Basic " + encoder.encodeToString(whole));
                    assertThat(masked).contains("***");
                    // One character at each side may hold bits of the value and of its neighbour.
                    assertThat(masked.length()).isLessThanOrEqualTo("Authorization: Basic ***".length() + 2
                            + (before.length() + after.length()) * 4 / 3 + 4);
                }
            }
        }
    }

    @Test
    void eachLineOfAKeyIsMaskedEscapedTooAndInBase64ThatIsBrokenIntoLines() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lines.add("line \"" + i + "\" of the key, " + "abcdefgh".repeat(4 + i));
        }
        String key = String.join("\n", lines);
        Masks masks = Masks.of(List.of(key));
        assertThat(masks.masked(lines.get(2))).isEqualTo("***");
        assertThat(masks.masked("{\"m\":\"" + Escapes.json(lines.get(3), true) + "\"}")).isEqualTo("{\"m\":\"***\"}");
        assertThat(masks.masked("{\"m\":\"" + Escapes.json(key, false) + "\"}")).isEqualTo("{\"m\":\"***\"}");
        String mime = Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(key.getBytes(StandardCharsets.UTF_8));
        for (String line : mime.split("\n")) {
            assertThat(masks.masked(line)).isEqualTo("***");
        }
    }
}
