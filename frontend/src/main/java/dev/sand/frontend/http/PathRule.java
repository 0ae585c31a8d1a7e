package dev.sand.frontend.http;

import org.eclipse.jetty.http.HttpURI;

/** What a path is to be like, so that it means what it says: the gate asks it of every request, before anybody looks at what it is for. */
final class PathRule {
    private PathRule() {}

    /** @param isRoute of an application's own, whose parameters are data; @return null: it may come in */
    static Problem refusal(HttpURI uri, boolean isRoute) {
        String raw = uri.getPath();
        if (hasParameter(raw, isRoute)) {
            return Problems.badRequest("A path has no parameters: there is no ';' in it" + (isRoute ? ", and %3B where a route's data has one."
                    : ", nor a %3B."));
        }
        if (goesUp(raw)) {
            return Problems.badRequest("A path has no '.' and no '..' between its slashes: what it is about is said in full.");
        }
        return isRoute || !uri.hasViolations() ? null : Problems.badRequest(
                "A slash or a per cent sign as data of a path (%2F, %25) is taken in the parameters of routes alone.");
    }

    /** What stands behind a semicolon is dropped by whoever makes a path canonical: the rest would be something else's. */
    private static boolean hasParameter(String raw, boolean isRoute) {
        return raw.indexOf(';') >= 0 || !isRoute && (raw.contains("%3b") || raw.contains("%3B"));
    }

    /** What stands between two slashes as {@code ..} may be somebody's data, and taken for the way it would be another operation's path. */
    private static boolean goesUp(String raw) {
        for (int from = raw.indexOf("/."); from >= 0; from = raw.indexOf("/.", from + 1)) {
            int end = raw.startsWith("..", from + 1) ? from + 3 : from + 2;
            if (end == raw.length() || raw.charAt(end) == '/') {
                return true;
            }
        }
        return false;
    }
}
