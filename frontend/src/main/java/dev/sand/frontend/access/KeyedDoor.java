package dev.sand.frontend.access;

import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * The door of a platform that others reach too: who wants in shows the operator's key, or an API key, as {@code Authorization: Bearer
 * KEY}. No browser sends that by itself, so that a page of another site can do nothing here, whatever name it reaches this server by.
 */
public final class KeyedDoor implements Door {
    private static final String BEARER = "Bearer ";
    private static final Entrance OPERATOR = Entrance.of(Caller.OPERATOR);
    private final OperatorKey key;
    private final AccessRing ring;

    /** The operator's key alone opens it. */
    public KeyedDoor(OperatorKey key) {
        this(key, null);
    }

    private KeyedDoor(OperatorKey key, AccessRing ring) {
        this.key = key;
        this.ring = ring;
    }

    /** API keys open it too. */
    public KeyedDoor with(AccessRing keys) {
        return new KeyedDoor(key, keys);
    }

    @Override
    public Entrance enter(Request request) {
        return enter(request, false);
    }

    @Override
    public Entrance look(Request request) {
        return enter(request, true);
    }

    private Entrance enter(Request request, boolean mayBlock) {
        String shown = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (isOperators(shown)) {
            return OPERATOR;
        }
        KeyText text = ring == null ? null : apiKey(shown);
        if (text != null) {
            return mayBlock ? ring.look(text) : ring.known(text);
        }
        return shown != null ? AccessRing.none() : AccessRing.refused("Show a key of this platform as 'Authorization: Bearer KEY'; the sand"
                + " command takes it from SAND_KEY, or from a file that --key-file or SAND_KEY_FILE names.");
    }

    @Override
    public Problem refuseVisitor(Request request) {
        return null;
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    /** An API key is taken out whether it is good now or not. */
    @Override
    public boolean isShown(Request request) {
        String shown = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        return isOperators(shown) || apiKey(shown) != null;
    }

    private boolean isOperators(String shown) {
        return isBearer(shown) && key.is(shown, BEARER.length());
    }

    private static KeyText apiKey(String shown) {
        return isBearer(shown) ? KeyText.parse(shown.substring(BEARER.length())) : null;
    }

    private static boolean isBearer(String shown) {
        return shown != null && shown.regionMatches(true, 0, BEARER, 0, BEARER.length());
    }
}
