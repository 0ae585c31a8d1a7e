package dev.sand.frontend.access;

import dev.sand.frontend.http.Problem;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** Which site's page made a browser ask, by what the browser says of it. Whoever is no browser says nothing, or what he wants. */
final class Origins {
    private Origins() {}

    /** Null: a page of this server's own, or none. */
    static Problem refuse(Request request) {
        String origin = request.getHeaders().get("Origin");
        if (origin != null && !isSame(origin, request.getHeaders().get(HttpHeader.HOST))) {
            return denied("A page of '" + origin + "' may not change anything here.");
        }
        String site = request.getHeaders().get("Sec-Fetch-Site");
        return site == null || site.equals("same-origin") || site.equals("none") ? null
                : denied("A page of another site may not change anything here.");
    }

    /** Scheme and host against the host: both have the port unless it is the scheme's. */
    private static boolean isSame(String origin, String host) {
        int begin = origin.indexOf("://") + 3;
        return host != null && begin > 2 && origin.length() - begin == host.length()
                && origin.regionMatches(true, begin, host, 0, host.length());
    }

    private static Problem denied(String detail) {
        return Problem.caller(403, "denied", "Not allowed", detail);
    }
}
