package dev.sand.frontend.http;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.AuditLog;
import dev.sand.event.ApplicationName;
import dev.sand.event.LogFields;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where every request comes in, on the selector's thread, when the door lets it: the data plane's are handled there, the control plane's on a
 * virtual thread. Whatever an operation throws is answered here, as a problem.
 */
public final class Gate extends Handler.Abstract.NonBlocking {
    /** A handler that does not block: it answers later, on whatever thread has the result. */
    public interface DataPlane {
        void handle(HttpExchange exchange, String path);
    }

    /** Operations that grains do. */
    public interface Managed {
        /** Nobody: every operation is done directly. */
        Managed NONE = (exchange, operation, caller) -> false;

        /** Blocks. @return false: it is to be done directly, and nothing was answered */
        boolean handle(HttpExchange exchange, Operations.Operation operation, Caller caller);
    }

    /** Operations of the control plane that run grains. */
    public interface Runs {
        /** Asked once of each. @param application in full; @return null: it may */
        Problem refusal(String application);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
    private final Door door;
    private final Auditing auditing;
    private final DataPlane invoke;
    private final DataPlane web;
    private final Router router;
    private final Managed managed;
    private final Runs runs;
    /** What grains and callers wrote comes back under the type that it has, and in a browser as nothing that runs in this origin. */
    static final HttpField NOSNIFF = new PreEncodedHttpField("X-Content-Type-Options", "nosniff");
    private static final HttpField INERT = new PreEncodedHttpField("Content-Security-Policy",
            "default-src 'none'; frame-ancestors 'none'; sandbox");
    /** A page of an application is no page of this server's own: with the session of who looks at it, it could do all that he may. */
    private static final HttpField APART = new PreEncodedHttpField("Content-Security-Policy",
            "sandbox allow-scripts allow-forms allow-popups allow-downloads");
    /** A name, a password, an invitation. */
    private static final int ACCOUNT_BYTES = 64 * 1024;
    private static final String INVOKE = "/invoke/";
    private static final String SHORT = "/api/v1/apps/";
    private static final String FULL = "/api/v1/applications/";
    private final Executor blocking;
    private final GuiFiles gui = new GuiFiles();
    private final SignInGate signIns;
    private final Proxies proxies;

    /** @param auditing of changes; @param runs what is asked before grains run; @param clockMs by which passwords are tried no oftener than that;
     * @param proxies that are believed for whom they ask */
    public Gate(Door door, Auditing auditing, DataPlane invoke, DataPlane web, Router router, Managed managed, Runs runs,
                Executor blocking, LongSupplier clockMs, Proxies proxies) {
        this.proxies = proxies;
        this.door = door;
        this.auditing = auditing;
        this.invoke = invoke;
        this.web = web;
        this.router = router;
        this.managed = managed;
        this.runs = runs;
        this.blocking = blocking;
        this.signIns = new SignInGate(clockMs);
        if (gui.isBuilt()) {
            addBean(gui);
        }
    }

    @Override
    public void setServer(Server server) {
        super.setServer(server);
        gui.setServer(server);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = invocation(inFull(request.getHttpURI().getCanonicalPath()));
        response.getHeaders().put(NOSNIFF);
        if (!path.startsWith("/web/")) { // whose pages are the applications' own
            response.getHeaders().put(INERT);
        } else if (door.hasAccounts()) {
            response.getHeaders().put(APART);
        }
        Problem strange = PathRule.refusal(request.getHttpURI(), path.startsWith("/web/"));
        if (strange != null) {
            new HttpExchange(request, response, callback, Map.of()).problem(strange);
        } else if (path.startsWith(INVOKE)) {
            invocation(request, new HttpExchange(request, response, callback, Map.of()), path);
        } else if (path.startsWith("/web/")) {
            Request seen = door.isShown(request) ? new WithoutKey(request) : request;
            dataPlane(web, door.refuseVisitor(request), new HttpExchange(seen, response, callback, Map.of()), path);
        } else if (gui.takes(request, path)) {
            blocking.execute(() -> gui(request, response, callback, path));
        } else {
            controlPlane(request, response, callback, path);
        }
        return true;
    }

    private static String asked(Request request) {
        return request.getHttpURI().getCanonicalPath();
    }

    /** {@code apps} is short for {@code applications}. */
    private static String inFull(String path) {
        return path.startsWith(SHORT) ? FULL + path.substring(SHORT.length()) : path;
    }

    /** One that a browser's session reaches, whose cookie is sent below {@code /api/v1} alone. */
    private static String invocation(String path) {
        int app = FULL.length();
        if (!path.startsWith(FULL)) {
            return path;
        }
        int end = path.indexOf('/', app);
        return end > app && path.startsWith(INVOKE, end) ? INVOKE + path.substring(app, end) + path.substring(end + "/invoke".length())
                : path;
    }

    private void invocation(Request request, HttpExchange exchange, String path) {
        Entrance entrance = door.enter(request);
        if (entrance != null) {
            invocation(entrance, exchange, path);
        } else {
            blocking.execute(() -> invocation(looked(request), exchange, path));
        }
    }

    private void invocation(Entrance entrance, HttpExchange exchange, String path) {
        Problem refusal = entrance.refusal(Scope.INVOKE);
        int from = INVOKE.length();
        int end = path.indexOf('/', from);
        if (refusal != null || end < 0) {
            dataPlane(invoke, refusal, exchange, path);
            return;
        }
        String said = path.substring(from, end);
        Caller caller = entrance.caller();
        String known = ApplicationName.within(caller.tenant(), said, caller.may(Scope.OPERATOR));
        dataPlane(invoke, known == null ? Problems.unknownApplication(said) : null, exchange,
                said.equals(known) ? path : INVOKE + known + path.substring(end));
    }

    /** The edge: that a key cannot be looked up is an answer too. */
    private Entrance looked(Request request) {
        try {
            return door.look(request);
        } catch (RuntimeException e) {
            LOG.error("a key could not be looked up", e);
            return Entrance.refused(Problem.platform(503, "unavailable", "Not available now", "Keys cannot be looked up.", true));
        }
    }

    private static void dataPlane(DataPlane plane, Problem refusal, HttpExchange exchange, String path) {
        if (refusal != null) {
            refuse(exchange, refusal);
            return;
        }
        try {
            plane.handle(exchange, path);
        } catch (Throwable e) {
            answer(exchange, e);
        }
    }

    private void gui(Request request, Response response, Callback callback, String path) {
        HttpExchange exchange = new HttpExchange(request, response, callback, Map.of());
        try {
            if (!gui.handle(request, response, callback)) {
                exchange.problem(router.match("GET", path, asked(request)).problem());
            }
        } catch (Throwable e) {
            answer(exchange, e);
        }
    }

    private void controlPlane(Request request, Response response, Callback callback, String path) {
        boolean head = request.getMethod().equals("HEAD");
        Router.Match match = router.match(head ? "GET" : request.getMethod(), path, asked(request));
        HttpExchange exchange = new HttpExchange(request, response, callback, match.parameters());
        if (match.route() == null) {
            if (match.allow() != null) {
                exchange.headers().put(HttpHeader.ALLOW, match.allow());
            }
            exchange.problem(match.problem());
            return;
        }
        Scope scope = needed(match.route(), exchange);
        Operations.Operation spec = match.route().spec();
        Entrance entrance = spec.isPublic() ? Entrance.of(Caller.ANYBODY)
                : spec.account().enters() == Operations.Enters.ANYBODY ? door.stranger(request) : door.enter(request);
        if (entrance == null) {
            blocking.execute(() -> admit(match.route(), exchange, looked(request)));
        } else if (entrance.refusal(scope) != null) {
            refuse(exchange, entrance.refusal(scope));
        } else {
            blocking.execute(() -> admit(match.route(), exchange, entrance));
        }
    }

    /** What the platform's own application has recorded is what others have asked of it, whoever they are: the operator's to see. */
    private static Scope needed(Router.Route route, HttpExchange exchange) {
        Scope scope = route.spec().scope();
        return scope != Scope.NONE && AccessTables.APPLICATION.equals(exchange.parameters().get("app")) ? Scope.OPERATOR : scope;
    }

    private void admit(Router.Route route, HttpExchange exchange, Entrance entrance) {
        Scope scope = needed(route, exchange);
        Problem refusal = entrance.refusal(scope);
        if (refusal != null) {
            refuse(exchange, refusal);
            return;
        }
        if (scope != Scope.NONE) {
            exchange.isAdmitted(() -> {
                Entrance now = looked(exchange.request());
                Problem no = now.refusal(scope);
                return no == null ? now.caller().tenant().equals(entrance.caller().tenant()) : no.status() == 503;
            });
        }
        exchange.isBy(entrance.caller(), proxies);
        Problem stranger = exchange.nameInFull();
        if (stranger != null) {
            refuse(exchange, stranger);
            return;
        }
        Problem over = route.spec().runs() ? runs.refusal(exchange.path("app")) : null;
        if (over != null) {
            refuse(exchange, over);
            return;
        }
        if (!route.spec().account().guesses()) {
            operation(route, exchange, entrance.caller());
            return;
        }
        try {
            exchange.body(ACCOUNT_BYTES, "The body"); // whoever sends it slowly holds none of the few places
        } catch (Throwable e) {
            answer(exchange, e instanceof IOException ? Problems.badRequest("The body did not arrive: " + e.getMessage()).asException() : e);
            return;
        }
        int waitS = signIns.enter(exchange.address());
        if (waitS > 0) {
            exchange.headers().put(HttpHeader.RETRY_AFTER, waitS);
            exchange.problem(Problem.caller(429, "too-many-sign-ins", "Too many passwords", "From where this comes no more passwords are"
                    + " taken for now: wait for " + waitS + " seconds.").retryLater());
            return;
        }
        try {
            operation(route, exchange, entrance.caller());
        } finally {
            signIns.leave();
        }
    }

    private void operation(Router.Route route, HttpExchange exchange, Caller caller) {
        AuditLog.Entry entry = null;
        try {
            Operations.Operation spec = route.spec();
            if (spec.alone() && spec.isAudited(exchange)) { // the platform has no part in it where it could be noted
                Noted.name(exchange, spec, ACCOUNT_BYTES);
                entry = auditing.begin(exchange, spec, caller.name());
            }
            boolean done = spec.grain() != null && managed.handle(exchange, spec, caller);
            if (!done && entry == null && spec.isAudited(exchange)) { // what else a grain changes is noted where it does
                entry = auditing.begin(exchange, spec, caller.name());
            }
            if (!done) {
                route.operation().handle(exchange);
            }
        } catch (Throwable e) {
            answer(exchange, e);
        }
        if (entry != null) {
            auditing.end(exchange, entry);
        }
    }

    private static void refuse(HttpExchange exchange, Problem refusal) {
        if (refusal.status() == 401) {
            exchange.headers().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"sand\"");
        }
        exchange.problem(refusal);
    }

    /** What a grain sees of a request that shows the platform's key. */
    private static final class WithoutKey extends Request.Wrapper {
        private final HttpFields headers;

        WithoutKey(Request request) {
            super(request);
            headers = HttpFields.build(request.getHeaders()).remove(HttpHeader.AUTHORIZATION).asImmutable();
        }

        @Override
        public HttpFields getHeaders() {
            return headers;
        }
    }

    /** The edge: nothing thrown goes further. */
    public static void answer(Exchange exchange, Throwable thrown) {
        exchange.problem(problem(exchange, thrown));
    }

    /** Only what nobody foresaw is logged, under an id that the answer has too. */
    public static Problem problem(Exchange exchange, Throwable thrown) {
        String incident = Long.toHexString(ThreadLocalRandom.current().nextLong());
        Problem problem = Problems.of(thrown, incident);
        // A client that has gone in the middle of its answer is no incident, nor is one that may not go on, or a stop of the platform.
        boolean gone = (thrown instanceof IOException || thrown instanceof InterruptedException) && exchange.hasBegun();
        if (problem.status() == 500 && !(thrown instanceof ProblemException) && !gone) {
            LOG.atError().addKeyValue(LogFields.INCIDENT, incident).setCause(thrown)
                    .log("incident {}: {} {}", incident, exchange.method(), exchange.where());
        }
        return problem;
    }
}
