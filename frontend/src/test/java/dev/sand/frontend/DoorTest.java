package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OpenDoor;
import dev.sand.frontend.access.OperatorKey;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Who is let in: at a platform without a key nobody from another web site, at one with a key nobody without it. */
class DoorTest {
    private static final String KEY = "a-key-of-more-than-thirty-two-characters";
    private static final String ECHO = "/invoke/demo/echo";
    private static final String LIST = "/api/v1/applications";
    private static final UnaryOperator<FrontendConfiguration> KEYED = configuration ->
            configuration.withDoor(new KeyedDoor(OperatorKey.of(KEY)));
    private Platform platform;

    /** As bytes, since Java's client has a mind of its own about these headers. @return the answer's head and body */
    private String raw(String method, String path, String... headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", platform.frontend.address().getPort())) {
            String body = method.equals("POST") ? "1" : "";
            socket.getOutputStream().write((method + " " + path + " HTTP/1.1\r\nConnection: close\r\nContent-Length: " + body.length()
                    + "\r\n" + String.join("", List.of(headers).stream().map(header -> header + "\r\n").toList()) + "\r\n" + body)
                    .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private int status(String method, String path, String... headers) throws IOException {
        return Integer.parseInt(raw(method, path, headers).split(" ")[1]);
    }

    @Test
    void an_open_platform_answers_to_names_of_its_own_machine_alone() throws Exception {
        try (Platform started = new Platform(configuration -> configuration.withDoor(new OpenDoor("127.0.0.1", List.of("sand.local"))))) {
            platform = started;
            platform.deployDemo();
            for (String host : new String[] {"localhost", "LocalHost:7263", "127.0.0.1", "127.0.0.1:80", "127.8.9.10:7263", "[::1]", "[::1]:7263",
                    "sand.local", "SAND.local:7263"}) {
                assertThat(status("GET", LIST, "Host: " + host)).as(host).isEqualTo(200);
                assertThat(status("POST", ECHO, "Host: " + host, "Origin: http://" + host)).as(host).isEqualTo(200);
            }
            for (String host : new String[] {"evil.example", "evil.example:7263", "localhost.evil.example", "127.0.0.1.evil.example",
                    "127.evil.example", "notlocalhost", "[::2]", "10.0.0.1", "127.", "0.0.0.0", "sand.local.evil.example"}) {
                assertThat(status("GET", LIST, "Host: " + host)).as(host).isEqualTo(403);
                assertThat(status("GET", "/metrics", "Host: " + host)).as(host).isEqualTo(403);
                assertThat(status("POST", ECHO, "Host: " + host)).as(host).isEqualTo(403);
                assertThat(status("GET", "/web/demo/files/a/b", "Host: " + host)).as(host).isEqualTo(403);
                assertThat(status("GET", "/readyz", "Host: " + host)).as(host).isEqualTo(200);
            }
            assertThat(raw("GET", LIST, "Host: evil.example")).contains("application/problem+json", "'evil.example'", "--allow-host");
        }
    }

    @Test
    void a_proxy_comes_in_by_an_allowed_name_alone() throws Exception {
        try (Platform started = new Platform(configuration -> configuration.withDoor(new OpenDoor("127.0.0.1", List.of("sand.local"))))) {
            platform = started;
            for (String header : new String[] {"X-Forwarded-For: 10.0.0.9", "x-real-ip: 10.0.0.9", "Forwarded: for=10.0.0.9", "X-Forwarded-Host: x"}) {
                assertThat(raw("GET", LIST, "Host: 127.0.0.1:7263", header)).as(header).startsWith("HTTP/1.1 403 ").contains("a proxy", "--allow-host");
                assertThat(status("GET", "/web/demo/files/a/b", "Host: localhost", header)).as(header).isEqualTo(403);
                assertThat(status("GET", "/livez", "Host: localhost", header)).as(header).isEqualTo(200);
                assertThat(status("GET", LIST, "Host: sand.local", header)).as(header).isEqualTo(200);
            }
        }
    }

    @Test
    void a_page_of_another_site_changes_nothing_at_an_open_platform() throws Exception {
        try (Platform started = new Platform()) {
            platform = started;
            platform.deployDemo();
            String own = "127.0.0.1:" + platform.frontend.address().getPort();
            for (String strange : new String[] {"Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1",
                    "Origin: http://localhost:" + platform.frontend.address().getPort(), "Origin: " + own, "Origin: ", "Origin: http://" + own + ".evil.example",
                    "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"}) {
                assertThat(status("POST", ECHO, "Host: " + own, strange)).as(strange).isEqualTo(403);
                assertThat(status("DELETE", LIST + "/demo", "Host: " + own, strange)).as(strange).isEqualTo(403);
                assertThat(status("GET", LIST + "/demo", "Host: " + own, strange)).as(strange).isEqualTo(200);
            }
            assertThat(platform.host.requests).isEmpty();
            for (String good : new String[] {"Origin: http://" + own, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Accept: */*"}) {
                assertThat(status("POST", ECHO, "Host: " + own, good)).as(good).isEqualTo(200);
            }
            platform.host.grains.put("web", request -> platform.host.succeed(request, request.input()));
            assertThat(status("POST", "/web/demo/form", "Host: " + own, "Origin: http://evil.example")).isEqualTo(200);
        }
    }

    @Test
    void a_platform_with_a_key_does_nothing_without_it() throws Exception {
        try (Platform started = new Platform(KEYED)) {
            platform = started;
            List<String> open = new ArrayList<>();
            for (String[] operation : operations()) {
                for (String authorization : new String[] {"Accept: */*", "Authorization: Bearer " + KEY + "x", "Authorization: Bearer " + KEY.substring(1),
                        "Authorization: " + KEY, "Authorization: Basic " + KEY, "Authorization: Bearer ", "Authorization: Bearer  " + KEY}) {
                    String answer = raw(operation[0], operation[1], "Host: any.example", authorization);
                    if (answer.startsWith("HTTP/1.1 401 ")) {
                        assertThat(answer).contains("WWW-Authenticate: Bearer", "problem+json", "/problems/unauthenticated");
                    } else if (!open.contains(operation[2])) {
                        open.add(operation[2]);
                    }
                }
                assertThat(status(operation[0], operation[1], "Host: any.example", "Authorization: bearer " + KEY)).as(operation[2])
                        .isNotIn(401, 403);
            }
            // Whoever adds to these has thought about it.
            assertThat(open).containsExactlyInAnyOrder("web", "livez", "readyz", "openapi", "createUser", "createSession");
        }
    }

    /** Of the document: method, path and id. */
    private static List<String[]> operations() throws IOException {
        List<String[]> found = new ArrayList<>();
        JsonNode paths = new ObjectMapper(new YAMLFactory()).readTree(DoorTest.class.getResource("/openapi.yaml")).path("paths");
        paths.properties().forEach(path -> path.getValue().properties().forEach(operation -> {
            if (operation.getValue().has("operationId")) {
                String filled = path.getKey().replace("{version}", "1").replaceAll("\\{[a-z]+}", "nothing");
                found.add(new String[] {operation.getKey().toUpperCase(Locale.ROOT), filled, operation.getValue().get("operationId").asText()});
            }
        }));
        return found;
    }

    @Test
    void the_key_does_not_reach_a_grain() throws Exception {
        try (Platform started = new Platform(KEYED)) {
            platform = started;
            assertThat(platform.send("POST", LIST, Platform.zip(Platform.demo()), "Authorization", "Bearer " + KEY).statusCode()).isEqualTo(201);
            platform.host.grains.put("web", request -> platform.host.succeed(request, request.input()));
            assertThat(raw("GET", "/web/demo/files/a/b", "Host: any", "Authorization: Bearer " + KEY, "X-Other: here"))
                    .startsWith("HTTP/1.1 200 ").contains("x-other").doesNotContain(KEY);
            assertThat(raw("POST", "/web/demo/form", "Host: any", "Authorization: Bearer of-the-application")).contains("of-the-application");
        }
    }

    @Test
    void what_is_no_key_is_refused_before_anything_listens() {
        Map.of("short", "32 to 4096", "a key with spaces in it, which no header has", "one line", "é".repeat(40), "one line")
                .forEach((text, why) -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> OperatorKey.of(text)).withMessageContaining(why));
        assertThat(OperatorKey.of(" " + KEY + "\n")).hasToString("operator's key (masked)");
    }
}
