package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.util.thread.SerializedInvoker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Paths as they come over the wire, which no client library has tidied up. */
class PathsTest extends WithDemo {
    /** @return all that comes until the connection is closed, or the other request is answered */
    private String said(String method, String path) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            String head = head(socket);
            if (!head.toLowerCase().contains("connection: close")) {
                socket.getInputStream().readNBytes(Integer.parseInt(head.replaceAll("(?is).*content-length: *(\\d+).*", "$1")));
                socket.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                assertThat(head(socket)).as("after %s", head).startsWith("HTTP/1.1 200");
            }
            return head;
        }
    }

    private static String head(Socket socket) throws Exception {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = socket.getInputStream().read();
            assertThat(next).as("the connection is closed after '%s'", head).isNotEqualTo(-1);
            head.append((char) next);
        }
        return head.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/applications/demo/aliases/..", "/api/v1/applications/demo/aliases/../", "/api/v1/applications/demo/.",
        "/api/v1/x/../applications/demo", "/api/v1/applications/demo/aliases/%2e%2e", "/api/v1/applications/demo/aliases/.%2E",
        "/api/v1/applications/demo/aliases/..;x"})
    void nothingBetweenSlashesIsTakenForTheWay(String path) throws Exception {
        assertThat(said("DELETE", path)).startsWith("HTTP/1.1 400");
        assertThat(said("GET", "/web/../livez")).startsWith("HTTP/1.1 400");
        assertThat(platform.get("/api/v1/applications/demo").statusCode()).isEqualTo(200);
    }

    @Test
    void dotsThatAreNotAllOfItAreData() throws Exception {
        assertThat(said("GET", "/api/v1/applications/demo/aliases/..a/.../.b")).startsWith("HTTP/1.1 404");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/invoke/demo/%zz", "/invoke/demo/%00", "/invoke/demo/%ff", "/api/v1/%", "/api/v1/applications/%2e%2e"})
    void whoSentAPathThatIsNoneIsToldOfTheEndOfTheConnection(String path) throws Exception {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        Logger invoker = (Logger) LoggerFactory.getLogger(SerializedInvoker.class);
        invoker.addAppender(logged);
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(said("GET", path)).startsWith("HTTP/1.1 400");
            }
            assertThat(logged.list).isEmpty();
        } finally {
            invoker.detachAppender(logged);
        }
    }
}
