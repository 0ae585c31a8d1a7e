package dev.sand.standalone.observe;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sends OTLP by the JDK's own HTTP client, so that spans need no other: the exporter finds it as a service. An answer that
 * asks for it, or a connection that fails, is tried again as the exporter's policy says.
 */
final class JdkHttpSender implements HttpSender {
    private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

    private final HttpSenderConfig config;
    private final HttpClient client;

    /** Named in META-INF/services. */
    public static final class Provider implements HttpSenderProvider {
        @Override
        public HttpSender createSender(HttpSenderConfig config) {
            return new JdkHttpSender(config);
        }
    }

    private record Answer(int getStatusCode, String getStatusMessage, byte[] getResponseBody) implements HttpResponse {}

    private JdkHttpSender(HttpSenderConfig config) {
        this.config = config;
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(config.getConnectTimeout());
        if (config.getSslContext() != null) {
            builder.sslContext(config.getSslContext());
        }
        client = builder.build();
    }

    @Override
    public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
        Thread.ofVirtual().name("otlp").start(() -> {
            try {
                onResponse.accept(send(request(message)));
            } catch (IOException | RuntimeException e) {
                onError.accept(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                onError.accept(e);
            }
        });
    }

    private HttpRequest request(MessageWriter message) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.max(32, message.getContentLength()));
        HttpRequest.Builder builder = HttpRequest.newBuilder(config.getEndpoint()).timeout(config.getTimeout())
                .header("Content-Type", config.getContentType());
        if (config.getCompressor() == null) {
            message.writeMessage(body);
        } else {
            builder.header("Content-Encoding", config.getCompressor().getEncoding());
            try (OutputStream compressed = config.getCompressor().compress(body)) {
                message.writeMessage(compressed);
            }
        }
        var headers = config.getHeadersSupplier().get();
        if (headers != null) {
            headers.forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
        }
        return builder.POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray())).build();
    }

    private HttpResponse send(HttpRequest request) throws IOException, InterruptedException {
        int attempts = config.getRetryPolicy() == null ? 1 : config.getRetryPolicy().getMaxAttempts();
        Duration pause = config.getRetryPolicy() == null ? Duration.ZERO : config.getRetryPolicy().getInitialBackoff();
        for (int attempt = 1; ; attempt++) {
            try {
                var answer = client.send(request, java.net.http.HttpResponse.BodyHandlers.ofByteArray());
                if (attempt == attempts || !RETRYABLE.contains(answer.statusCode())) {
                    return new Answer(answer.statusCode(), "", answer.body());
                }
            } catch (IOException e) {
                if (attempt == attempts) {
                    throw e;
                }
            }
            Thread.sleep(pause);
            pause = pause.multipliedBy(2);
        }
    }

    @Override
    public CompletableResultCode shutdown() {
        client.shutdownNow();
        return CompletableResultCode.ofSuccess();
    }
}
