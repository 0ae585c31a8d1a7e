package dev.sand.workflow.data;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.sand.event.Nesting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why a text is not JSON, or not within the limits, in a sentence of ours: the reader speaks to programmers of itself. */
public final class JsonFault {
    private static final Pattern NUMBERS = Pattern.compile("\\((\\d+)[^)]*\\)[^(]*\\((\\d+)");

    private static final Pattern SHOWN = Pattern.compile("'.' \\(code (\\d+) / 0x[0-9a-f]+\\)", Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("Unrecognized token '([^']*)'");

    public static final String NO_UTF_8 = "it is not in UTF-8";
    public static final String MARK = "it begins with a byte order mark, which no JSON does";

    /** The white space of JSON (RFC 8259, 2). */
    static final String BLANKS = " \t\r\n";

    private JsonFault() {}

    public static boolean isBlank(String json) {
        return json.chars().allMatch(c -> BLANKS.indexOf(c) >= 0);
    }

    public static String stripped(String text) {
        int begin = 0;
        int end = text.length();
        while (begin < end && BLANKS.indexOf(text.charAt(begin)) >= 0) {
            begin++;
        }
        while (end > begin && BLANKS.indexOf(text.charAt(end - 1)) >= 0) {
            end--;
        }
        return text.substring(begin, end);
    }

    /** Of UTF-8: Jackson passes over it, those who get the bytes do not (RFC 8259, 8.1). */
    public static boolean beginsWithMark(ByteBuffer json) {
        int at = json.position();
        return json.remaining() >= 3 && json.get(at) == (byte) 0xEF && json.get(at + 1) == (byte) 0xBB && json.get(at + 2) == (byte) 0xBF;
    }

    public static boolean isNoUtf8(IOException e) {
        return e instanceof JsonProcessingException known && known.getOriginalMessage().startsWith("Invalid UTF-8");
    }

    /** Whether it is JSON as far as it was read, and over a limit. */
    public static boolean isLimit(IOException e) {
        return e instanceof StreamConstraintsException;
    }

    /** As below. */
    public static String sentence(IOException e, String json) {
        return json.startsWith("\uFEFF") ? MARK : sentence(e, ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)), json);
    }

    /** @param json what was read, or null when it is gone: then only the limit on depth is known, and not the depth */
    public static String sentence(IOException e, ByteBuffer json) {
        return sentence(e, json, null);
    }

    private static String sentence(IOException e, ByteBuffer json, String text) {
        String said = e instanceof JsonProcessingException known ? said(known, text) : e.getMessage();
        if (said == null) {
            return "it cannot be read";
        }
        if (e instanceof StreamConstraintsException) {
            return limit(said, json);
        }
        if (e instanceof JsonEOFException || said.contains("end-of-input")) {
            return "it ends in the middle of a value";
        }
        if (isNoUtf8(e)) {
            return NO_UTF_8;
        }
        if (said.startsWith("Trailing token")) {
            return "more than one JSON value";
        }
        return said.replaceAll(" \\(code \\d+(?: / 0x[0-9a-fA-F]+)?\\)", "")
                .replaceAll(" ?\\(start marker at [^)]*\\)[^)]*\\)?", "")
                .replaceAll("\\(?JSON String, Number(?:, Array, Object)? ?(?:\\(?or 'NaN'/'INF'/'\\+INF'\\))?,? or token 'null', 'true' or 'false'\\)?", "a JSON value")
                .replaceAll("\\(JSON String, Number, Array, Object or token 'null', 'true' or 'false'\\)", "a JSON value")
                .replace("expected a valid value a JSON value", "expected a JSON value")
                .replace("was expecting", "expected").replaceAll(": enable `?JsonReadFeature[^ ]* to allow", "");
    }

    /** As AWS shows it: the reader's own words, and where it stood, which is behind a word that it does not know. */
    public static String located(IOException e, String json) {
        return located(e, ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)), json);
    }

    /** As above. @param json as in {@link #sentence} */
    public static String located(IOException e, ByteBuffer json) {
        return located(e, json, null);
    }

    private static String located(IOException e, ByteBuffer json, String text) {
        if (!(e instanceof JsonProcessingException known) || isLimit(e) || known.getLocation() == null) {
            return sentence(e, json, text);
        }
        if (known.getOriginalMessage().startsWith("Trailing token")) {
            return "Trailing token found after value";
        }
        Matcher word = WORD.matcher(known.getOriginalMessage());
        int column = known.getLocation().getColumnNr() + (word.lookingAt() ? word.group(1).length() : 0);
        return said(known, text) + "\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: "
                + known.getLocation().getLineNr() + ", column: " + column + "]";
    }

    /** The reader's words, in which a character beyond U+FFFF is its half. @param text what was read, or null when it was bytes */
    private static String said(JsonProcessingException e, String text) {
        String said = e.getOriginalMessage();
        Matcher shown = said == null ? null : SHOWN.matcher(said);
        if (shown == null || !shown.find()) {
            return said;
        }
        int code = Integer.parseInt(shown.group(1));
        int at = e.getLocation() == null ? -1 : (int) e.getLocation().getCharOffset();
        if (text != null && at >= 0 && at < text.length() && text.charAt(at) == code) {
            code = text.codePointAt(at);
        }
        return code <= Character.MAX_VALUE ? said : said.substring(0, shown.start()) + "'" + Character.toString(code) + "' (code " + code
                + " / 0x" + Integer.toHexString(code) + ")" + said.substring(shown.end());
    }

    private static String limit(String said, ByteBuffer json) {
        Matcher numbers = NUMBERS.matcher(said);
        if (!numbers.find()) {
            return "it is over a limit";
        }
        String actual = numbers.group(1);
        String limit = numbers.group(2);
        if (said.contains("nesting depth")) {
            return "it is nested " + (json == null ? "more than " + limit : Nesting.deepest(json)) + " levels deep; the limit is " + limit;
        }
        String what = said.contains("Number") ? "a number" : said.contains("Name") ? "a name" : "a text";
        return what + " in it has " + actual + " characters; the limit is " + limit;
    }
}
