package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;

/**
 * JSONata's functions of whole URLs, which the library has only for the part behind a question mark, and what is malformed told as on
 * AWS. Public and static because the library calls them by name.
 */
public final class QueryUrls {
    static final Map<String, String> SIGNATURES = Map.of("encodeUrl", "<s-:s>", "encodeUrlComponent", "<s-:s>", "decodeUrl", "<s-:s>", "decodeUrlComponent", "<s-:s>");
    private static final String OF_URLS = ";,/?:@&=+$-_.!~*'()#";

    private QueryUrls() {}

    /** Every byte of UTF-8 is escaped, but for letters, digits and what has a meaning in a URL. */
    public static String encodeUrl(Object text) {
        String url = whole(text, "encodeUrl");
        if (url == null) {
            return null;
        }
        QueryRun.current().budget().spend(url.length() / 16);
        StringBuilder encoded = new StringBuilder(url.length() + 16);
        for (byte one : url.getBytes(StandardCharsets.UTF_8)) {
            if (one >= 'a' && one <= 'z' || one >= 'A' && one <= 'Z' || one >= '0' && one <= '9' || one > 0 && OF_URLS.indexOf(one) >= 0) {
                encoded.append((char) one);
            } else {
                encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(one));
            }
        }
        return encoded.toString();
    }

    public static String encodeUrlComponent(Object text) {
        return Functions.encodeUrlComponent(whole(text, "encodeUrlComponent"));
    }

    /** Half of a pair of surrogates has no bytes. */
    private static String whole(Object text, String function) {
        String url = text(text, function);
        if (url != null && !StandardCharsets.UTF_8.newEncoder().canEncode(url)) {
            throw malformed(url, function);
        }
        return url;
    }

    private static String text(Object text, String function) {
        if (text != null && !(text instanceof String)) {
            throw new JException("T0410", -1, 1, function);
        }
        return (String) text;
    }

    private static StatesError malformed(String url, String function) {
        return QueryRun.failure("D3140: Malformed URL passed to $" + function + "(): " + QueryText.quoted(url));
    }

    public static String decodeUrl(Object text) {
        return decoded(text, "decodeUrl");
    }

    public static String decodeUrlComponent(Object text) {
        return decoded(text, "decodeUrlComponent");
    }

    private static String decoded(Object text, String function) {
        String url = text(text, function);
        try {
            return url == null ? null : URLDecoder.decode(url, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw malformed(url, function);
        }
    }
}
