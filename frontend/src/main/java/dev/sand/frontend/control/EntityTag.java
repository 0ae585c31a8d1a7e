package dev.sand.frontend.control;

import dev.sand.datalayer.GlobalStore;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Problems;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Versions of what the global store keeps, as ETags: who says which one he has seen changes no other. */
final class EntityTag {
    private static final Pattern PATTERN = Pattern.compile("\"(\\d{1,19})\"");

    private EntityTag() {}

    static String of(long version) {
        return '"' + Long.toString(version) + '"';
    }

    /** The version that the request wants to be there, as {@link GlobalStore#put} takes it. @throws dev.sand.frontend.http.ProblemException 400 */
    static long expected(Exchange exchange) {
        String match = exchange.header("If-Match");
        String none = exchange.header("If-None-Match");
        if (match == null && none == null) {
            return GlobalStore.ANY;
        }
        if (match == null && none.strip().equals("*")) {
            return GlobalStore.ABSENT;
        }
        Matcher tag = PATTERN.matcher(match == null ? "" : match.strip());
        if (none != null || !tag.matches()) {
            throw Problems.badRequest("If-Match takes the ETag of the value, as in \"7\"; If-None-Match takes *.").asException();
        }
        try {
            return Long.parseLong(tag.group(1));
        } catch (NumberFormatException e) {
            throw Problems.badRequest("No value has a version like " + tag.group(1) + ".").asException();
        }
    }
}
