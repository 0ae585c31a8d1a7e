package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.datalayer.TableStore;
import dev.sand.event.Payload;
import dev.sand.frontend.access.SessionToken;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Scope;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where there is an account everybody is asked, and a session may what the role of its user says: of every operation of the document. */
@Tag("slow")
class SessionsTest {
    private static final long FAR = 4_000_000_000_000L;
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(configuration -> configuration.withAlone(false));
        assertThat(platform.get("/api/v1/applications").statusCode()).as("it is open").isEqualTo(200);
        platform.send("POST", "/api/v1/applications", Platform.zip(Platform.demo()), "Content-Type", "application/zip");
        row("state", "accounts", "\"sinceMs\":1"); // by another frontend
        await().until(() -> platform.get("/api/v1/applications").statusCode() == 401);
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private void row(String partition, String key, String members) {
        new TableStore(platform.store).transact("0sand-management", partition, List.of(new TableOperation(What.PUT, key,
                Payload.json(("{\"schema\":1," + members + "}").getBytes(StandardCharsets.UTF_8)), null, null)));
    }

    private SessionToken session(String user, String role, long expiresMs, String flags) {
        SessionToken token = SessionToken.draw(new SecureRandom());
        row("users", user, "\"hash\":\"x\"" + flags);
        row("sessions/" + token.id().charAt(0), token.id(), "\"user\":\"" + user + "\",\"expiresMs\":" + expiresMs);
        if (role != null) {
            row("memberships/" + user, "default", "\"role\":\"" + role + "\"");
        }
        return token;
    }

    private HttpResponse<byte[]> call(Operations.Operation operation, SessionToken token) throws Exception {
        String path = operation.template().replaceAll("\\{[a-z]+}", "nothing");
        byte[] body = operation.isSafe() ? null : "{}".getBytes(StandardCharsets.UTF_8);
        return platform.send(operation.method(), path, body, "Cookie", "other=1; sand_session=" + token.text(), "Sand-Csrf", token.csrf());
    }

    private int status(SessionToken token) throws Exception {
        return platform.get("/api/v1/applications", "Cookie", "sand_session=" + token.text()).statusCode();
    }

    @Test
    void a_role_may_what_it_says() throws Exception {
        Map<String, Set<Scope>> roles = Map.of("viewer", Set.of(Scope.READ), "developer", Set.of(Scope.READ, Scope.INVOKE, Scope.DEPLOY),
                "owner", Set.of(Scope.READ, Scope.INVOKE, Scope.DEPLOY, Scope.ADMIN), "king", Set.of());
        for (Map.Entry<String, Set<Scope>> role : roles.entrySet()) {
            SessionToken token = session("a" + role.getKey(), role.getKey(), FAR, "");
            for (Operations.Operation operation : Operations.ofThisServer().all()) {
                boolean may = operation.scope() == Scope.NONE || role.getValue().contains(operation.scope());
                int status = call(operation, token).statusCode();
                assertThat(status != 401 && status != 403).as("%s of a %s", operation.id(), role.getKey()).isEqualTo(may);
            }
        }
        SessionToken operator = session("op", null, FAR, ",\"operator\":true");
        assertThat(platform.get("/api/v1/status", "Cookie", "sand_session=" + operator.text()).statusCode()).isEqualTo(200);
        assertThat(status(operator)).as("he is no member").isEqualTo(403);
    }

    @Test
    void who_is_not_known_is_nobody() throws Exception {
        assertThat(platform.get("/api/v1/applications").statusCode()).isEqualTo(401);
        assertThat(status(session("old", "owner", 5, ""))).isEqualTo(401);
        assertThat(status(session("gone", "owner", FAR, ",\"disabled\":true"))).isEqualTo(401);
        assertThat(status(SessionToken.draw(new SecureRandom()))).isEqualTo(401);
        SessionToken good = session("good", "owner", FAR, "");
        assertThat(status(good)).isEqualTo(200);
        for (String cookie : List.of("sand_session=" + good.text().substring(1), "sand_session=", "sand_session=" + good.id(),
                "sand_sessions=" + good.text(), "sand_session=" + good.text() + "; sand_session=" + "A".repeat(43))) {
            assertThat(platform.get("/api/v1/applications", "Cookie", cookie).statusCode()).as(cookie).isEqualTo(401);
        }
        assertThat(platform.get("/api/v1/applications", "Cookie", "sand_session=" + good.text(), "Authorization", "Bearer x").statusCode())
                .as("what is shown first counts").isEqualTo(401);
    }

    @Test
    void pages_of_applications_are_of_an_origin_of_their_own_and_sign_nobody_in() throws Exception {
        platform.host.grains.put("web", request -> platform.host.succeed(request, Payload.json("""
                {"status": 200, "body": "x", "headers": {"Content-Security-Policy": "default-src *", "X-Own": "1",
                 "Set-Cookie": ["mine=1", "sand_session=chosen", " SAND_SESSION=x"]}}""".getBytes(StandardCharsets.UTF_8))));
        HttpResponse<byte[]> page = platform.get("/web/demo/files/a/b");
        assertThat(page.headers().allValues("Content-Security-Policy")).hasSize(2).anyMatch(each -> each.startsWith("sandbox "));
        assertThat(page.headers().allValues("Set-Cookie")).containsExactly("mine=1", " SAND_SESSION=x".strip());
        assertThat(page.headers().firstValue("X-Own")).hasValue("1");
    }

    @Test
    void passwords_are_taken_from_no_other_sites_page() throws Exception {
        for (String path : List.of("/api/v1/users", "/api/v1/sessions")) {
            assertThat(platform.post(path, "{}").statusCode()).as("it comes in, and nobody does it here").isEqualTo(409);
            assertThat(platform.post(path, "{}", "Origin", "http://evil.example").statusCode()).isEqualTo(403);
            assertThat(platform.post(path, "{}", "Sec-Fetch-Site", "same-site").statusCode()).isEqualTo(403);
        }
    }
}
