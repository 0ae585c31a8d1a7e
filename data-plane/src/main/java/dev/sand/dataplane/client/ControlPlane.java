package dev.sand.dataplane.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Asks for grants. */
final class ControlPlane implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final JsonMapper JSON = new JsonMapper();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();
    private final URI connect;
    private final URI make;
    private final String token;
    private final String body;

    /**
     * @param token shown as a bearer's, or null
     * @param functions the only ones that are asked for; empty: all
     * @throws IllegalArgumentException when nobody can be asked so
     */
    ControlPlane(URI server, String application, String process, String token, List<String> functions) {
        if (!("http".equalsIgnoreCase(server.getScheme()) || "https".equalsIgnoreCase(server.getScheme())) || server.getHost() == null) {
            throw new IllegalArgumentException("the control plane is at http://host:port or https://host:port, not at " + server);
        }
        if (token != null && !token.chars().allMatch(c -> c >= ' ' && c <= '~')) { // it is not shown: it is a secret
            throw new IllegalArgumentException("a token has letters, digits and signs of ASCII alone, and no line's end");
        }
        this.connect = URI.create(server.toString().replaceAll("/+$", "") + "/api/v1/apps/" + name("an application's name", application)
                + "/processes/" + name("a process's id", process) + "/connect");
        this.make = URI.create(connect + "?create=true");
        this.token = token;
        ObjectNode asked = JSON.createObjectNode();
        if (!functions.isEmpty()) {
            functions.forEach(asked.putArray("functions")::add);
        }
        this.body = asked.toString();
    }

    /** As a part of a path, where a plus is no space. Without a name, or with one that leads elsewhere, it would be another path. */
    private static String name(String what, String name) {
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw new IllegalArgumentException(what + " is neither empty nor '.' nor '..', as '" + name + "' is");
        }
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * @param makes the process, when it is not there
     * @throws InvocationException when it says no for good, IOException when it may say yes later
     */
    Place place(boolean makes) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(makes ? make : connect).timeout(PATIENCE).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> answer = answer(request.build());
        JsonNode document = document(answer.body());
        int status = answer.statusCode();
        if (status == 200) {
            return Place.of(answer.body(), document);
        }
        String detail = document.path("detail").asText("the control plane answers " + status);
        if (status >= 500 || status == 408 || status == 429) {
            throw new IOException(detail);
        }
        String error = switch (status) {
            case 401, 403 -> "Sand.Denied";
            case 404 -> "Sand.NotFound";
            case 409 -> "Sand.Conflict";
            default -> "Sand.BadRequest";
        };
        throw new InvocationException(document.path("error").asText(error), detail, false, false);
    }

    private HttpResponse<String> answer(HttpRequest request) throws IOException, InterruptedException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException e) { // which has no words of its own
            throw new IOException("nobody listens at " + connect.getAuthority(), e);
        }
    }

    private static JsonNode document(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            return JSON.createObjectNode();
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
