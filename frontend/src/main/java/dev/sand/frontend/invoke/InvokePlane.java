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

/**
 * {@code POST /invoke/{app}/{target}[@alias|@version]}: the body is the event, the answer's body the output. The path of a
 * warm request has no blocking step and no thread of its own until the result is there.
 */
final class InvokePlane implements Gate.DataPlane {
    private static final Invoker.Output AS_IS = new OutputAsIs();
    private final Invoker invoker;
    private final Directory directory;
    private final FrontendConfiguration configuration;

    InvokePlane(Invoker invoker, Directory directory, FrontendConfiguration configuration) {
        this.invoker = invoker;
        this.directory = directory;
        this.configuration = configuration;
    }

    @Override
    public void handle(HttpExchange exchange, String path) {
        invoke(exchange, Target.of(path), null, false);
    }

    /** @param process the cloud process that it is to run in, or null: in none; @param drawn the request has not named it */
    void invoke(HttpExchange exchange, Target target, String process, boolean drawn) {
        if (!exchange.method().equals("POST")) {
            exchange.headers().put(HttpHeader.ALLOW, "POST");
            throw Problem.caller(405, "method-not-allowed", "Method not allowed",
                    "An invocation is a POST, not a " + exchange.method() + ".").asException();
        }
        invoker.enter();
        ApplicationVersion known = directory.known(target.application(), target.qualifier());
        if (known == null) {
            invoker.guarded(exchange, () ->
                    proceed(exchange, target, process, drawn, directory.load(target.application(), target.qualifier())));
            return;
        }
        try {
            proceed(exchange, target, process, drawn, known);
        } catch (RuntimeException e) {
            invoker.leave();
            throw e;
        }
    }

    private void proceed(HttpExchange exchange, Target target, String process, boolean drawn, ApplicationVersion version) {
        if (!version.hasTarget(target.name())) {
            throw Problems.unknownTarget(target.application(), version.version(), target.name()).asException();
        }
        String encoding = exchange.header("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw Problems.encodedBody(exchange.headers(), encoding).asException();
        }
        String query = exchange.request().getHttpURI().getQuery();
        Settings settings = Settings.of(exchange.request().getHeaders(), query == null ? null : exchange.query("timeout"),
                configuration);
        Body.read(exchange.request(), configuration.bodyBytes(),
                new RequestBody(invoker, exchange) {
                    @Override
                    public void onBody(ByteBuffer body) {
                        Runnable start = () -> {
                            String type = BodyType.of(exchange.request().getHeaders().get(HttpHeader.CONTENT_TYPE), body);
                            Problem problem = BodyType.check(type, body);
                            if (problem != null) {
                                throw problem.asException();
                            }
                            invoker.start(exchange, new Invoker.Called(version, target.name(), process, drawn), settings, type, body,
                                    AS_IS);
                        };
                        run(start, Invoker.checksInline(body));
                    }
                });
    }

    private static final class OutputAsIs implements Invoker.Output {
        private static final int QUICK_BYTES = 16 * 1024;

        @Override
        public void write(HttpExchange exchange, Payload output) {
            exchange.bytes(200, output.contentType(), ByteBuffer.wrap(output.bytes()));
        }

        @Override
        public boolean isQuick(Payload output) {
            return output.bytes().length <= QUICK_BYTES;
        }
    }
}
