package dev.sand.frontend.invoke;

import dev.sand.frontend.http.Problems;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.util.URIUtil;

/**
 * A path below {@code /web/{app}}: cut at its slashes first and decoded then, so that a slash that is data (%2F) stays in its
 * segment. What such a slash makes of a segment is never a step up or in place: who joins segments to a file's name is safe.
 *
 * @param segments decoded; the first is what stands before the first slash, so nothing
 * @param text for the event and for people: decoded, but for slashes that are data
 */
record WebPath(List<String> segments, String text) {
    /** @param path as it came, made canonical; @throws dev.sand.frontend.http.ProblemException */
    static WebPath of(String path) {
        List<String> segments = new ArrayList<>();
        StringBuilder text = new StringBuilder(path.length());
        for (String segment : path.split("/", -1)) {
            String decoded = URIUtil.decodePath(segment);
            if (decoded.indexOf('/') >= 0) {
                check(decoded);
            }
            if (!segments.isEmpty()) {
                text.append('/');
            }
            text.append(decoded.replace("/", "%2F"));
            segments.add(decoded);
        }
        return new WebPath(segments, text.toString());
    }

    private static void check(String segment) {
        for (String part : segment.split("/", -1)) {
            if (part.equals("..") || part.equals(".")) {
                throw Problems.badRequest("A segment of the path has '" + part + "' between slashes (%2F).").asException();
            }
        }
    }
}
