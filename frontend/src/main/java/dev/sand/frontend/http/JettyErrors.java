package dev.sand.frontend.http;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Errors that Jetty finds before any handler (a bad request line, headers too large) in the same shape as all others. */
final class JettyErrors extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus() < 400 ? 500 : response.getStatus();
        Object message = request.getAttribute(ERROR_MESSAGE);
        String title = HttpStatus.getMessage(status);
        String detail = message == null ? title : message.toString();
        response.getHeaders().put(Gate.NOSNIFF);
        // After most of them Jetty closes the connection, and says so of none.
        response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        String name = switch (status) {
            case 400 -> "bad-request";
            case 414 -> "uri-too-long";
            case 431 -> "headers-too-large";
            case 505 -> "http-version";
            default -> status < 500 ? "bad-request" : "internal";
        };
        HttpExchange.write(status < 500 || status == 505 ? Problem.caller(status, name, title, detail)
                : Problem.platform(status, name, title, detail, false), request, response, callback);
        return true;
    }
}
