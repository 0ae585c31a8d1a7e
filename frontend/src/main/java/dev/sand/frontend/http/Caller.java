package dev.sand.frontend.http;

import dev.sand.event.ApplicationName;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who asks, as far as the door found out, and what he may.
 *
 * @param kind {@code local}, {@code operator}, {@code key} or {@code session}; @param id of the key or session; else the kind again
 * @param user who has signed in; null: nobody
 */
public record Caller(String kind, String id, String user, String tenant, Set<Scope> scopes) {
    private static final Set<Scope> ALL = EnumSet.complementOf(EnumSet.of(Scope.NONE));
    /** Whoever is on the machine of an open platform. */
    public static final Caller LOCAL = new Caller("local", "local", null, ApplicationName.DEFAULT_TENANT, ALL);
    public static final Caller OPERATOR = new Caller("operator", "operator", null, ApplicationName.DEFAULT_TENANT, ALL);
    /** Who was not asked, since everybody may. */
    public static final Caller ANYBODY = new Caller("anybody", "anybody", null, ApplicationName.DEFAULT_TENANT, Set.of());

    public static Caller ofKey(String id, String tenant, Set<Scope> scopes) {
        return new Caller("key", id, null, tenant, Set.copyOf(scopes));
    }

    public static Caller ofSession(String id, String user, String tenant, Set<Scope> scopes) {
        return new Caller("session", id, user, tenant, Set.copyOf(scopes));
    }

    public boolean may(Scope scope) {
        return scope == Scope.NONE || scopes.contains(scope);
    }

    /** For the audit log. */
    public String name() {
        return user != null ? "user:" + user : kind.equals(id) ? kind : kind + ":" + id;
    }

    public Set<String> scopesInWords() {
        return scopes.stream().map(Scope::inWords).collect(Collectors.toUnmodifiableSet());
    }

    /** Null: he may. */
    public Problem refusal(Scope needed) {
        return needed.refusal("This", scopes);
    }
}
