package dev.sand.frontend.http;

import dev.sand.event.ApplicationName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;

/**
 * One call of an operation and its answer, as operations see them: a request over HTTP, or a grain's that controls the platform. It is
 * answered exactly once.
 */
public abstract class Exchange {
    private final Map<String, String> path;
    private Map<String, String> named;
    private volatile Problem failure;

    protected Exchange(Map<String, String> path) {
        this.path = path;
    }

    /** A parameter of the route's template, decoded. */
    public final String path(String name) {
        return path.get(name);
    }

    /** From here on its application has its full name. @return null: it names none, or one that who asks may know of */
    public final Problem nameInFull() {
        String said = path.get("app");
        String known = said == null ? null : ApplicationName.within(tenant(), said, isEverywhere());
        if (known != null) {
            path.put("app", known);
        }
        return said == null || known != null ? null : Problems.unknownApplication(said);
    }

    /** In which tenant it is asked. */
    public abstract String tenant();

    /** Of who asks. */
    public abstract Set<Scope> scopes();

    /** Whether who asks may see to all tenants' things. */
    public final boolean isEverywhere() {
        return scopes().contains(Scope.OPERATOR);
    }

    /** For what an operation asks more for than for the rest of it. @param what needs it, for people; @return null: who asks has it */
    public final Problem refusal(Scope needed, String what) {
        return needed.refusal(what, scopes());
    }

    /** Whose things are asked for: of {@code tenant} in the query, or of who asks. @throws ProblemException 404 when these are not his to see */
    public final String askedTenant() {
        String said = query("tenant");
        if (said == null || said.equals(tenant())) {
            return tenant();
        }
        if (!ApplicationName.isTenant(said)) {
            throw Problems.badRequest("Query parameter 'tenant' is a tenant's name, not '" + said + "'.").asException();
        }
        if (!isEverywhere()) {
            throw Problem.caller(404, "unknown-tenant", "Not found", "There is no tenant '" + said + "' here.").asException();
        }
        return said;
    }

    public final Map<String, String> parameters() {
        return path;
    }

    /** Says of a change, for the audit log, what its path does not. */
    public final void name(String what, Object value) {
        if (named == null) {
            named = new HashMap<>(path);
        }
        named.put(what, String.valueOf(value));
    }

    /** What the path names, and what was said since. */
    final Map<String, String> named() {
        return named == null ? path : named;
    }

    /** It did not work, though the answer has begun and its status says nothing of that. */
    public final void failed(Problem problem) {
        failure = problem;
    }

    /** Null: it worked. */
    final Problem failure() {
        return failure;
    }

    public abstract String method();

    /** Of the operation, as a problem names it; null: it has none. */
    public abstract String where();

    /** Who asks, as far as is known, or null. */
    public abstract String address();

    public abstract String header(String name);

    /** @return the query parameter, or null */
    public abstract String query(String name);

    /** Blocks until it is there. @throws ProblemException when it is over the limit */
    public abstract byte[] body(int limit, String what) throws IOException;

    /** @throws ProblemException when it is there and not a number in the range */
    public final int query(String name, int otherwise, int min, int max) {
        String text = query(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below, with the range.
        }
        throw Problems.badRequest("Query parameter '" + name + "' is a number from " + min + " to " + max + ", not '" + text + "'.")
                .asException();
    }

    public final boolean flag(String name) {
        String text = query(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.isEmpty() || text.equals("true")) {
            return true;
        }
        throw Problems.badRequest("Query parameter '" + name + "' is true or false, not '" + text + "'.").asException();
    }

    /** Whether the client lists the media type in Accept by name. */
    public final boolean accepts(String mediaType) {
        String accept = header("Accept");
        return accept != null && accept.contains(mediaType);
    }

    /** Of the answer. */
    public abstract HttpFields.Mutable headers();

    public abstract void json(int status, Object body);

    public abstract void bytes(int status, String contentType, ByteBuffer body);

    public abstract void empty(int status);

    public abstract void problem(Problem problem);

    /** Of the answer that was given. */
    public abstract int status();

    /** Whether some of the answer is out already. */
    public abstract boolean hasBegun();
}
