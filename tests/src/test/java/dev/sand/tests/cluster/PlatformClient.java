package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Somebody who uses the platform over HTTP, as its OpenAPI document says. */
public final class PlatformClient implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final URI server;
    private final String key;

    /** @param key the operator's */
    PlatformClient(URI server, String key) {
        this.server = server;
        this.key = key;
    }

    /** @param status 0: nothing answered */
    public record Answer(int status, String body, HttpResponse<String> response) {
        public JsonNode json() {
            return parse(body);
        }
    }

    /** @param files text by path in the application's folder. @return what the platform says of the new version */
    public JsonNode deploy(Map<String, String> files) {
        Answer answer = send(request("/api/v1/applications").header("Content-Type", "application/zip")
                .header("Accept", "application/json").POST(BodyPublishers.ofByteArray(zip(files)))).join();
        if (answer.status / 100 != 2) {
            throw new IllegalStateException("deployment refused: " + answer.status + " " + answer.body);
        }
        return answer.json();
    }

    /** @param target application/target */
    public Answer invoke(String target, String json) {
        return invokeLater(target, json, Map.of()).join();
    }

    public CompletableFuture<Answer> invokeLater(String target, String json, Map<String, String> headers) {
        HttpRequest.Builder request = request("/invoke/" + target).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json));
        headers.forEach(request::header);
        return send(request);
    }

    public Answer get(String path) {
        return send(request(path).GET()).join();
    }

    /** Whatever grains of the management are like: they are not what is asked. */
    Answer directly(String path) {
        return send(request(path).header("Sand-Direct", "true").GET()).join();
    }

    /** Somebody else, over the same door. */
    PlatformClient with(String otherKey) {
        return new PlatformClient(server, otherKey);
    }

    Answer put(String path, String json) {
        return send(request(path).header("Content-Type", "application/json").PUT(BodyPublishers.ofString(json))).join();
    }

    Answer delete(String path) {
        return send(request(path).DELETE()).join();
    }

    Answer post(String path, String json) {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json))).join();
    }

    /** Under a key: given again, it is the same request. */
    Answer post(String path, String json, String idempotencyKey) {
        return send(request(path).header("Content-Type", "application/json").header("Idempotency-Key", idempotencyKey)
                .POST(BodyPublishers.ofString(json))).join();
    }

    /** @param location of the invocation, as its 202 said */
    Answer cancel(String location) {
        return send(request(location + "/cancel").POST(BodyPublishers.noBody())).join();
    }

    /** As somebody who has no key. */
    int statusWithoutKey(String path) {
        return send(HttpRequest.newBuilder(server.resolve(path)).timeout(LONGEST).GET()).join().status();
    }

    /** What the platform says of its hosts: an array, empty when nothing answers. */
    public JsonNode hosts() {
        Answer answer = directly("/api/v1/status");
        return answer.status == 200 ? answer.json().path("hosts") : JSON.createArrayNode();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", "Bearer " + key).timeout(LONGEST);
    }

    /** A connection that failed is an answer with status 0: tests of failures look at it. */
    private CompletableFuture<Answer> send(HttpRequest.Builder request) {
        return http.sendAsync(request.build(), BodyHandlers.ofString())
                .handle((response, error) -> error == null ? new Answer(response.statusCode(), response.body(), response)
                        : new Answer(0, error.toString(), null));
    }

    private static byte[] zip(Map<String, String> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + text, e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
