package dev.sand.frontend.invoke;

import dev.sand.frontend.http.Problems;

/**
 * What {@code /invoke/{app}/{target}[@alias|@version]} names.
 *
 * @param qualifier alias or version, null when there is none
 */
record Target(String application, String name, String qualifier) {
    private static final String PREFIX = "/invoke/";

    /** @throws dev.sand.frontend.http.ProblemException when the path has another shape */
    static Target of(String path) {
        int slash = path.indexOf('/', PREFIX.length());
        if (slash < 0 || slash == PREFIX.length() || slash == path.length() - 1 || path.indexOf('/', slash + 1) >= 0) {
            throw Problems.notFound("An invocation goes to /invoke/{app}/{target} with @alias or @version if need be, not to "
                    + path + ".").asException();
        }
        String application = path.substring(PREFIX.length(), slash);
        int at = path.indexOf('@', slash);
        return at < 0 ? new Target(application, path.substring(slash + 1), null)
                : new Target(application, path.substring(slash + 1, at), path.substring(at + 1));
    }
}
