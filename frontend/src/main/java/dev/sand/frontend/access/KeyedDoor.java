package dev.sand.frontend.access;

import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * The door of a platform that others reach too, or where people have accounts: who wants in shows the operator's key, or an API key, as
 * {@code Authorization: Bearer KEY}, which no browser sends by itself; or the cookie of a session. That one a browser does send by
 * itself, so that it counts for pages of this server's own alone, and changes something only with what those were told.
 */
public final class KeyedDoor implements Door {
    private static final String BEARER = "Bearer ";
    private static final Entrance OPERATOR = Entrance.of(Caller.OPERATOR);
    private static final Entrance ANYBODY = Entrance.of(Caller.ANYBODY);
    private static final Entrance NOTHING = Entrance.refused(Problem.caller(401, "unauthenticated", "A key is needed",
            "Sign in, or show a key of this platform as 'Authorization: Bearer KEY'; the sand command has 'sand login', and takes a key"
                    + " from SAND_KEY, or from a file that --key-file or SAND_KEY_FILE names."));
    private final OperatorKey key;
    private final AccessRing ring;
    private final Accounts accounts;

    /** The operator's key alone opens it. @param key null: not even that */
    public KeyedDoor(OperatorKey key) {
        this(key, null, null);
    }

    private KeyedDoor(OperatorKey key, AccessRing ring, Accounts accounts) {
        this.key = key;
        this.ring = ring;
        this.accounts = accounts;
    }

    /** API keys and sessions open it too. */
    public KeyedDoor with(AccessRing known, Accounts those) {
        return new KeyedDoor(key, known, those);
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
        if (shown != null) {
            return Entrance.refused(Problem.caller(401, "unauthenticated", "A key is needed",
                    "What 'Authorization' shows is no key of this platform."));
        }
        SessionToken session = ring == null ? null : SessionToken.of(request);
        return session == null ? NOTHING : withSession(request, session, mayBlock);
    }

    private Entrance withSession(Request request, SessionToken session, boolean mayBlock) {
        Problem page = Origins.refuse(request);
        if (page != null) {
            return Entrance.refused(page);
        }
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD") && !session.isRepeated(request)) {
            return Entrance.refused(Problem.caller(403, "csrf", "Not this server's own page", "With a session's cookie, whatever is not"
                    + " just read needs the header '" + SessionToken.CSRF + "': 'csrf' of what GET /api/v1/session answers."));
        }
        return mayBlock ? ring.look(session) : ring.known(session);
    }

    /** The operator is known by his key; a cookie is not looked at, which may be an old one. */
    @Override
    public Entrance stranger(Request request) {
        if (isOperators(request.getHeaders().get(HttpHeader.AUTHORIZATION))) {
            return OPERATOR;
        }
        Problem page = Origins.refuse(request);
        return page == null ? ANYBODY : Entrance.refused(page);
    }

    @Override
    public boolean hasAccounts() {
        return accounts != null && accounts.exist();
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
        return key != null && isBearer(shown) && key.is(shown, BEARER.length());
    }

    private static KeyText apiKey(String shown) {
        return isBearer(shown) ? KeyText.parse(shown.substring(BEARER.length())) : null;
    }

    private static boolean isBearer(String shown) {
        return shown != null && shown.regionMatches(true, 0, BEARER, 0, BEARER.length());
    }
}
