package dev.sand.frontend.invoke;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.frontend.access.SessionToken;
import dev.sand.frontend.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;

/**
 * Headers that a grain gives with its response. All applications are of one host name, and of one with the platform: what a browser, or
 * a proxy, would hold for more than the application's own pages is left out.
 */
final class PageHeaders {
    private static final String COOKIE = "set-cookie";
    /** These belong to the connection or follow from the body, or are about the whole of this host. */
    private static final Set<String> OURS = Set.of("connection", "content-length", "transfer-encoding", "keep-alive",
            "upgrade", "trailer", "te", "proxy-connection", "server-timing", "sand-execution-id", "service-worker-allowed", "clear-site-data",
            "strict-transport-security", "alt-svc", "nel", "report-to", "set-login", "public-key-pins", "x-sendfile");
    /** Tells nginx where to take the answer from instead, and how. */
    private static final String OF_NGINX = "x-accel-";

    private PageHeaders() {}

    /**
     * @param pages path of the application's pages, as {@code /web/shop}; null: these are none, and have no cookies
     * @param path that was asked for
     * @throws dev.sand.frontend.http.ProblemException when these are no headers: the grain's mistake
     */
    static void copy(JsonNode given, String pages, String path, HttpFields.Mutable headers) {
        if (given.isMissingNode() || given.isNull()) {
            return;
        }
        if (!given.isObject()) {
            throw WebResponse.bad("headers is an object of names and values");
        }
        for (Map.Entry<String, JsonNode> header : given.properties()) {
            String name = header.getKey();
            String lower = name.toLowerCase(Locale.ROOT);
            if (OURS.contains(lower) || lower.startsWith(OF_NGINX) || lower.equals(COOKIE) && pages == null) {
                continue;
            }
            if (!isToken(name)) {
                throw WebResponse.bad("'" + name + "' is no name of a header");
            }
            if (!lower.equals("content-security-policy")) { // one more says less, and the platform's own stays
                headers.remove(name);
            }
            for (JsonNode value : header.getValue().isArray() ? header.getValue() : Json.array().add(header.getValue())) {
                String text = value.asText("");
                if (value.isContainerNode() || !text.chars().allMatch(PageHeaders::isSent)) {
                    throw WebResponse.bad("the value of header " + name + " has characters that a header cannot have");
                }
                String kept = lower.equals(COOKIE) ? cookie(text, pages, path.equals(pages)) : text;
                if (kept != null) {
                    headers.add(name, kept);
                }
            }
        }
    }

    /** As it is. Anything over a byte would be sent as a space: another text than the one that was looked at. */
    private static boolean isSent(int c) {
        return c == '\t' || c >= ' ' && c <= 0xFF && c != 0x7F;
    }

    /**
     * The cookie, for the application's own pages and this host alone.
     *
     * @param above the page lies beside those of others, and so would a cookie that does not say where it belongs
     * @return null: it would be none of theirs
     */
    static String cookie(String text, String pages, boolean above) {
        String[] parts = text.split(";", -1);
        int end = parts[0].indexOf('=');
        String name = end < 0 ? "" : parts[0].substring(0, end).strip();
        // Of one without a name, browsers send the value alone: it may look like any other.
        if (!isToken(name) || name.equals(SessionToken.COOKIE)) {
            return null;
        }
        List<String> kept = new ArrayList<>(List.of(parts[0].strip()));
        boolean placed = !above;
        for (int i = 1; i < parts.length; i++) {
            String attribute = parts[i].strip();
            int equals = attribute.indexOf('=');
            String what = (equals < 0 ? attribute : attribute.substring(0, equals)).strip();
            boolean isPath = what.equalsIgnoreCase("path");
            boolean below = isPath && isBelow(equals < 0 ? "" : attribute.substring(equals + 1).strip(), pages);
            placed |= below;
            if (isPath ? below : !what.isEmpty() && !what.equalsIgnoreCase("domain")) {
                kept.add(attribute);
            }
        }
        return placed ? String.join("; ", kept) : null;
    }

    /** Whatever path a proxy has put before ours. */
    private static boolean isBelow(String path, String pages) {
        return path.startsWith("/") && (path.endsWith(pages) || path.contains(pages + "/"));
    }

    private static boolean isToken(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7F && "()<>@,;:\\\"/[]?={}".indexOf(c) < 0);
    }
}
