package dev.sand.workflow.data;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Utils;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;

/**
 * JSONata's functions of whole URLs, which the library has only for the part behind a question mark, and what is malformed told as on
 * AWS. Public and static because the library calls them by name.
 */
public final class QueryUrls {
    static final Map<String, String> SIGNATURES = Map.of("encodeUrl", "<s-:s>", "decodeUrl", "<s-:s>", "decodeUrlComponent", "<s-:s>");
    private static final String OF_URLS = ";,/?:@&=+$-_.!~*'()#";

    private QueryUrls() {}

    /** Every byte of UTF-8 is escaped, but for letters, digits and what has a meaning in a URL. */
    public static String encodeUrl(Object text) {
        if (text == null) {
            return null;
        }
        if (!(text instanceof String url)) {
            throw new JException("T0410", -1, 1, "encodeUrl");
        }
        Utils.checkUrl(url);
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

    public static String decodeUrl(Object text) {
        return decoded(text, "decodeUrl");
    }

    public static String decodeUrlComponent(Object text) {
        return decoded(text, "decodeUrlComponent");
    }

    private static String decoded(Object text, String function) {
        if (text == null) {
            return null;
        }
        if (!(text instanceof String url)) {
            throw new JException("T0410", -1, 1, function);
        }
        try {
            return URLDecoder.decode(url, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw QueryRun.failure("D3140: Malformed URL passed to $" + function + "(): " + Json.text(Json.NODES.textNode(url)));
        }
    }
}
