package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Tracing;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that are written while they are read, when reading breaks off: never taken for whole ones. */
class StreamedAnswerTest {
    private static final int SIZE = 4 << 20;
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = new HttpServer("127.0.0.1", 0, 1, new Breaking(), new RequestCounts(Tracing.OFF));
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** Writes as many bytes as the path says, of {@link #SIZE}. */
    private static final class Breaking extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            int count = Integer.parseInt(request.getHttpURI().getPath().substring(1));
            HttpExchange exchange = new HttpExchange(request, response, callback, Map.of());
            Thread.startVirtualThread(() -> {
                try {
                    exchange.stream(200, "application/octet-stream", SIZE, out -> {
                        if (count > 0) {
                            out.write(new byte[count]);
                        }
                        if (count < SIZE) {
                            throw new StoreException(StoreException.Kind.AWAY, "the store is away", 0, null);
                        }
                    });
                } catch (Exception e) {
                    Gate.answer(exchange, e);
                }
            });
            return true;
        }
    }

    private HttpResponse<byte[]> get(int bytes) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/" + bytes);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
        }
    }

    @Test
    void aWholeAnswerArrives() throws Exception {
        assertThat(get(SIZE).body()).hasSize(SIZE);
    }

    @Test
    void whatBreaksBeforeItsFirstByteIsAnsweredWithItsCause() throws Exception {
        HttpResponse<byte[]> response = get(0);
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Content-Type")).contains(Problem.CONTENT_TYPE);
        assertThat(new String(response.body())).contains("the store is away");
    }

    @Test
    void whatBreaksInTheMiddleIsCutOff() {
        assertThatThrownBy(() -> get(SIZE / 2)).isInstanceOf(IOException.class);
    }
}
