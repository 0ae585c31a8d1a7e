package dev.sand.frontend.access;

import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Problem;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * The door of a platform that others reach too: who wants in shows the operator's key, as {@code Authorization: Bearer KEY}. No
 * browser sends that by itself, so that a page of another site can do nothing here, whatever name it reaches this server by.
 */
public final class KeyedDoor implements Door {
    private static final String BEARER = "Bearer ";
    private final OperatorKey key;

    public KeyedDoor(OperatorKey key) {
        this.key = key;
    }

    @Override
    public Problem refuse(Request request) {
        String shown = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (isKey(shown)) {
            return null;
        }
        return Problem.caller(401, "unauthenticated", "A key is needed", shown == null
                ? "Show the platform's key as 'Authorization: Bearer KEY'; the sand command takes it from SAND_KEY, or from a file"
                        + " that --key-file or SAND_KEY_FILE names."
                : "What 'Authorization' shows is no key of this platform.");
    }

    @Override
    public Problem refuseVisitor(Request request) {
        return null;
    }

    @Override
    public String caller() {
        return "operator";
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public boolean isShown(Request request) {
        return isKey(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    }

    private boolean isKey(String shown) {
        return shown != null && shown.regionMatches(true, 0, BEARER, 0, BEARER.length()) && key.is(shown, BEARER.length());
    }
}
