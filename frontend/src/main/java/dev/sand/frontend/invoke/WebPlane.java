package dev.sand.frontend.invoke;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Payload;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.http.Body;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;

/** {@code /web/{app}/…}: requests go where the application's {@code routes:} say, as events that describe the request. */
final class WebPlane implements Gate.DataPlane {
    private static final String PREFIX = "/web/";
    private static final Invoker.Output RESPONSE = new WebResponse();
    private final Invoker invoker;
    private final Directory directory;
    private final FrontendConfiguration configuration;

    WebPlane(Invoker invoker, Directory directory, FrontendConfiguration configuration) {
        this.invoker = invoker;
        this.directory = directory;
        this.configuration = configuration;
    }

    @Override
    public void handle(HttpExchange exchange, String path) {
        int slash = path.indexOf('/', PREFIX.length());
        String application = slash < 0 ? path.substring(PREFIX.length()) : path.substring(PREFIX.length(), slash);
        WebPath rest = WebPath.of(slash < 0 ? "/" : path.substring(slash));
        invoker.enter();
        ApplicationVersion known = directory.known(application, null);
        if (known == null) {
            invoker.guarded(exchange, () -> proceed(exchange, directory.load(application, null), rest));
            return;
        }
        try {
            proceed(exchange, known, rest);
        } catch (RuntimeException e) {
            invoker.leave();
            throw e;
        }
    }

    private void proceed(HttpExchange exchange, ApplicationVersion version, WebPath path) {
        WebRoutes.Match match = WebRoutes.match(version.routes(), exchange.method(), path);
        if (match.target() == null) {
            throw refusal(exchange, version, path.text(), match.allow()).asException();
        }
        Settings settings = Settings.of(exchange.request().getHeaders(), null, configuration);
        Body.read(exchange.request(), configuration.bodyBytes(), new RequestBody(invoker, exchange) {
            @Override
            public void onBody(ByteBuffer body) {
                run(() -> invoker.start(exchange, new Invoker.Called(version, match.target(), null, false), settings, Payload.JSON,
                        ByteBuffer.wrap(WebEvent.of(exchange.request(), path.text(), match.parameters(), body)), RESPONSE),
                        Invoker.checksInline(body));
            }
        });
    }

    private static Problem refusal(HttpExchange exchange, ApplicationVersion version, String path, String allow) {
        if (allow == null) {
            return Problems.notFound("No route of application '" + version.application() + "' has the path " + path + ".");
        }
        exchange.headers().put(HttpHeader.ALLOW, allow);
        return Problem.caller(405, "method-not-allowed", "Method not allowed",
                path + " answers " + allow + ", not " + exchange.method() + ".");
    }
}
