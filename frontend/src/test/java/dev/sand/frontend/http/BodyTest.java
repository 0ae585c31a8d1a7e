package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Tracing;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies that do not come as they should, over a real connection. */
class BodyTest {
    private static final long IDLE_MS = 300;
    private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = new HttpServer("127.0.0.1", 0, 1, new Reader(), new RequestCounts(Tracing.OFF), IDLE_MS);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private final class Reader extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (request.getHttpURI().getPath().equals("/all")) {
                Thread.ofVirtual().start(() -> all(request, callback));
                return true;
            }
            Body.read(request, 100, new Body.Listener() {
                @Override
                public void onBody(ByteBuffer content) {
                    answer(200, "whole: " + StandardCharsets.UTF_8.decode(content));
                }

                @Override
                public void onTooLarge(long limit, long actual) {
                    answer(413, "too large");
                }

                @Override
                public void onGone(Throwable cause) {
                    ends.add("gone");
                    callback.failed(cause);
                }

                @Override
                public void onSlow(long received) {
                    answer(408, "slow after " + received);
                }

                private void answer(int status, String end) {
                    ends.add(end);
                    response.setStatus(status);
                    Content.Sink.write(response, true, end, callback);
                }
            });
            return true;
        }
    }

    private void all(Request request, Callback callback) {
        try {
            ends.add("whole: " + new String(Body.readAll(request, 100, "It", 1), StandardCharsets.UTF_8));
        } catch (ProblemException e) {
            ends.add(e.problem().name());
        } catch (IOException e) {
            ends.add("gone");
        }
        callback.succeeded();
    }

    private String end() throws InterruptedException {
        return ends.poll(30, TimeUnit.SECONDS);
    }

    private Socket send(String request) throws IOException {
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String post(String length, String body) {
        return "POST / HTTP/1.1\r\nHost: a\r\n" + length + "\r\n\r\n" + body;
    }

    @Test
    void halfABodyIsAnsweredWhenNothingMoreComes() throws Exception {
        try (Socket socket = send(post("Content-Length: 10", "12345"))) {
            assertThat(end()).isEqualTo("slow after 5");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 408");
        }
        try (Socket socket = send(post("Transfer-Encoding: chunked", "3\r\n123\r\n"))) {
            assertThat(end()).isEqualTo("slow after 3");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 408");
        }
    }

    @Test
    void aClientThatBreaksOffIsGone() throws Exception {
        send(post("Content-Length: 10", "12345")).close();
        assertThat(end()).isEqualTo("gone");
    }

    @Test
    void aWholeBodyIsWhole() throws Exception {
        send(post("Content-Length: 5", "12345")).close();
        assertThat(end()).isEqualTo("whole: 12345");
    }

    @Test
    void whoeverWaitsForAllOfItDoesNotWaitForEver() throws Exception {
        try (Socket socket = send(post("Content-Length: 10", "1").replace("POST /", "POST /all"))) {
            assertThat(end()).isEqualTo("body-timeout");
        }
        send(post("Content-Length: 0", "").replace("POST /", "POST /all")).close();
        assertThat(end()).isEqualTo("whole: ");
        send(post("Content-Length: 101", "").replace("POST /", "POST /all")).close();
        assertThat(end()).isEqualTo("body-too-large");
        send(post("Transfer-Encoding: chunked", "65\r\n" + "x".repeat(101) + "\r\n0\r\n").replace("POST /", "POST /all")).close();
        assertThat(end()).isEqualTo("body-too-large");
    }
}
