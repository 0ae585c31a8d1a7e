package dev.sand.frontend.management;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.frontend.access.KeyText;
import dev.sand.frontend.access.SessionToken;
import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Operations;
import java.security.SecureRandom;
import org.eclipse.jetty.http.HttpHeader;

/**
 * What the frontend draws for an operation, and of which the grain gets the hash: what a grain is given, and what it answers, is on disk.
 *
 * @param key or {@code session} or {@code invitation}: at most one of them is not null
 */
record Drawn(KeyText key, SessionToken session, SessionToken invitation) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String CSRF = "csrf";

    static Drawn of(HttpExchange exchange, Operations.Operation operation) {
        return switch (operation.draws()) {
            case NOTHING -> new Drawn(null, null, null);
            case KEY -> {
                KeyText drawn = KeyText.draw(RANDOM);
                exchange.name("key", drawn.id());
                yield new Drawn(drawn, null, null);
            }
            case SESSION -> new Drawn(null, SessionToken.draw(RANDOM), null);
            case INVITATION -> new Drawn(null, null, SessionToken.draw(RANDOM));
        };
    }

    void addTo(ObjectNode event) {
        if (key != null) {
            event.putObject("drawn").put("id", key.id()).put("hash", key.hashInHex());
        } else if (session != null || invitation != null) {
            event.putObject("drawn").put("hash", (session != null ? session : invitation).id());
        }
    }

    /** Gives it to who asked, or takes away what he has shown. @param body of the answer, or null */
    void give(HttpExchange exchange, Operations.Operation operation, Caller caller, int status, ObjectNode body) {
        if (key != null && status == 201 && body != null) {
            secret(exchange, body, "key", key.text());
        }
        if (invitation != null && status == 201 && body != null) {
            secret(exchange, body, "invitation", exchange.path("tenant") + "." + invitation.text());
        }
        if (session != null && status == 201 && body != null) {
            secret(exchange, body, CSRF, session.csrf());
            exchange.headers().add(HttpHeader.SET_COOKIE, session.cookie(exchange.request()));
        }
        switch (operation.account().session()) {
            case STAYS -> { }
            case SHOWN -> {
                SessionToken shown = caller.user() == null ? null : SessionToken.of(exchange.request());
                if (shown != null && status == 200 && body != null) {
                    secret(exchange, body, CSRF, shown.csrf());
                }
            }
            case ENDED -> {
                if (status == 204) {
                    exchange.headers().add(HttpHeader.SET_COOKIE, SessionToken.noCookie(exchange.request()));
                }
            }
        }
    }

    private static void secret(HttpExchange exchange, ObjectNode body, String name, String value) {
        body.put(name, value);
        exchange.headers().put(HttpHeader.CACHE_CONTROL, "no-store");
    }
}
