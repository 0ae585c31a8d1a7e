package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sand.event.Tracing;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Streams that end since who reads them may not go on, or the platform stops: foreseen, and so no incident. */
class EventStreamTest {
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CompletableFuture<Thread> streaming = new CompletableFuture<>();
    private final CompletableFuture<Throwable> answering = new CompletableFuture<>();
    private volatile boolean admitted = true;
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        logged.start();
        ((Logger) LoggerFactory.getLogger(Gate.class)).addAppender(logged);
        server = new HttpServer("127.0.0.1", 0, 1, new Streaming(), new RequestCounts(Tracing.OFF));
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        ((Logger) LoggerFactory.getLogger(Gate.class)).detachAppender(logged);
    }

    private final class Streaming extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            HttpExchange exchange = new HttpExchange(request, response, callback, Map.of());
            exchange.isAdmitted(() -> admitted);
            Thread.startVirtualThread(() -> {
                try (EventStream stream = EventStream.open(exchange)) {
                    streaming.complete(Thread.currentThread());
                    stopped.await();
                    stream.alive();
                } catch (Exception e) {
                    try {
                        Gate.answer(exchange, e);
                        answering.complete(null);
                    } catch (RuntimeException thrown) {
                        answering.complete(thrown);
                    }
                }
            });
            return true;
        }
    }

    private HttpResponse<String> reads(Runnable then) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
        try (HttpClient client = HttpClient.newHttpClient()) {
            var reading = client.sendAsync(HttpRequest.newBuilder(uri).header("Accept", EventStream.SSE).build(),
                    HttpResponse.BodyHandlers.ofString());
            await().until(streaming::isDone);
            then.run();
            return reading.get();
        }
    }

    @Test
    void whoseKeyIsGoodNoMoreReadsToTheEndOfWhatThereWas() throws Exception {
        HttpResponse<String> read = reads(() -> {
            admitted = false;
            stopped.countDown();
        });
        assertThat(read.body()).isEqualTo(": alive\n\n");
        assertThat(answering.get()).isNull();
        assertThat(logged.list).isEmpty();
    }

    @Test
    void aStopEndsThem() throws Exception {
        reads(() -> streaming.join().interrupt());
        assertThat(answering.get()).isNull();
        assertThat(logged.list).isEmpty();
    }
}
