package dev.sand.frontend.access;

import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import java.util.Collection;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * The door of a platform that asks nobody for a key, since only programs of its own machine reach it. A browser is one of
 * those, and runs the scripts of any web site: a request that another site's page makes is refused, by what the browser says
 * of it. Whoever is no browser may say what he wants in these headers, and is on this machine anyway.
 * <ul>
 * <li>{@code Host} is a name of this machine: a site whose name is made to lead here (DNS rebinding) has its own there.
 * <li>What is not just read comes from no page, or from one of this server's own.
 * <li>No proxy brings it, which may serve whole networks and asks by an address of this machine: where one is meant to, it asks by
 * a name that was allowed.
 * </ul>
 */
public final class OpenDoor implements Door {
    private static final Entrance LOCAL = Entrance.of(Caller.LOCAL);
    private static final String LOCALHOST = "localhost";
    private static final String IPV6 = "[::1]";
    private static final String IPV4 = "127.";
    private static final List<String> OF_PROXIES = List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP");
    private final String own;
    private final List<String> allowed;

    /**
     * @param own name or address that is listened on
     * @param allowed further ones that this machine is asked for by, without a port
     */
    public OpenDoor(String own, Collection<String> allowed) {
        this.own = own;
        this.allowed = List.copyOf(allowed);
    }

    @Override
    public Entrance enter(Request request) {
        Problem strange = refuseVisitor(request);
        Problem refusal = strange != null || isRead(request.getMethod()) ? strange : Origins.refuse(request);
        return refusal == null ? LOCAL : Entrance.refused(refusal);
    }

    @Override
    public Entrance look(Request request) {
        return enter(request);
    }

    @Override
    public Entrance stranger(Request request) {
        return enter(request);
    }

    @Override
    public boolean hasAccounts() {
        return false;
    }

    @Override
    public Problem refuseVisitor(Request request) {
        String host = request.getHeaders().get(HttpHeader.HOST);
        if (host != null && isAllowed(host)) {
            return null;
        }
        if (isProxied(request)) {
            return denied("This platform asks for no key, and a proxy brought this request: from whom is not known. A proxy belongs before a"
                    + " platform with a key; for one that serves this machine alone, --allow-host names the host that it asks for.");
        }
        // Only HTTP/1.0 may leave it out, which no browser speaks.
        return host == null || isOurs(host) ? null : denied("This platform asks for no key, and so answers only to names of its own"
                + " machine, such as localhost: '" + host + "' is none that it knows. --allow-host names more of them.");
    }

    private static boolean isProxied(Request request) {
        for (String header : OF_PROXIES) {
            if (request.getHeaders().contains(header)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isShown(Request request) {
        return false;
    }

    private static boolean isRead(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }

    private boolean isAllowed(String host) {
        int end = endOfName(host);
        for (String name : allowed) {
            if (is(name, host, end)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOurs(String host) {
        int end = endOfName(host);
        return is(LOCALHOST, host, end) || is(IPV6, host, end) || isLoopback(host, end) || is(own, host, end);
    }

    /** Where its port begins, if it has one. */
    private static int endOfName(String host) {
        int colon = host.lastIndexOf(':');
        return colon < 0 || host.endsWith("]") ? host.length() : colon;
    }

    private static boolean is(String name, String host, int end) {
        return end == name.length() && host.regionMatches(true, 0, name, 0, end);
    }

    /** Digits and dots alone: browsers take such a host for an address, and ask nobody what it means. */
    private static boolean isLoopback(String host, int end) {
        for (int i = 0; i < end; i++) {
            char c = host.charAt(i);
            if (c != '.' && (c < '0' || c > '9')) {
                return false;
            }
        }
        return end > IPV4.length() && host.startsWith(IPV4);
    }

    private static Problem denied(String detail) {
        return Problem.caller(403, "denied", "Not allowed", detail);
    }
}
