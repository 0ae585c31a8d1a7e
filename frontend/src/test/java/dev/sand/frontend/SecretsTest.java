package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.StoredSecrets;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecretsTest {
    private static final String SECRETS = "/api/v1/applications/demo/secrets";
    private static final byte[] KEY = "the operator's key of this test, long enough".getBytes(StandardCharsets.UTF_8);
    private static final String VALUE = "canary-of-this-test";
    private Platform platform;
    private StoredSecrets stored;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform(UnaryOperator.identity(), SecretsKey.of(List.of(KEY)));
        stored = platform.secrets;
        platform.deployDemo();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private HttpResponse<byte[]> put(String name, String value) throws Exception {
        return platform.send("PUT", SECRETS + "/" + name, value.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_value_goes_in_and_never_comes_out() throws Exception {
        assertThat(put("KEY", VALUE).statusCode()).isEqualTo(204);
        assertThat(stored.open("demo").values()).containsEntry("KEY", VALUE);
        String listed = new String(platform.get(SECRETS).body(), StandardCharsets.UTF_8);
        assertThat(listed).contains("\"KEY\"", "changedMs").doesNotContain(VALUE);
        assertThat(platform.get(SECRETS + "/KEY").statusCode()).isEqualTo(405);
        String audit = new String(platform.get("/api/v1/audit").body(), StandardCharsets.UTF_8);
        assertThat(audit).contains("setSecret", "KEY").doesNotContain(VALUE);
        assertThat(platform.send("DELETE", SECRETS + "/KEY", null).statusCode()).isEqualTo(204);
        assertThat(platform.send("DELETE", SECRETS + "/KEY", null).statusCode()).isEqualTo(404);
        assertThat(stored.list("demo")).isEmpty();
    }

    @Test
    void what_cannot_be_masked_or_is_no_text_is_refused_and_not_repeated() throws Exception {
        HttpResponse<byte[]> refused = put("KEY", "canary");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("8 characters").doesNotContain("canary");
        assertThat(put("KEY", "     canary     ").statusCode()).isEqualTo(400);
        assertThat(platform.send("PUT", SECRETS + "/KEY", new byte[] {-1, -2, -3, -4, -5, -6, -7, -8, -9}).statusCode()).isEqualTo(400);
        assertThat(put("KEY", "x".repeat(StoredSecrets.VALUE_BYTES + 1)).statusCode()).isEqualTo(413);
        assertThat(put("no%20name", VALUE).statusCode()).isEqualTo(400);
        assertThat(platform.send("PUT", "/api/v1/applications/nobody/secrets/KEY", VALUE.getBytes(StandardCharsets.UTF_8)).statusCode())
                .isEqualTo(404);
    }

    @Test
    void there_is_a_bound_and_an_applications_secrets_go_with_it() throws Exception {
        for (String name : List.of("A", "B", "C")) {
            assertThat(put(name, "x".repeat(StoredSecrets.VALUE_BYTES)).statusCode()).isEqualTo(204);
        }
        HttpResponse<byte[]> refused = put("D", "x".repeat(StoredSecrets.VALUE_BYTES));
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("too-many-secrets", "\"limit\":262144");
        assertThat(platform.send("DELETE", "/api/v1/applications/demo", null).statusCode()).isEqualTo(204);
        assertThat(stored.list("demo")).isEmpty();
    }

    @Test
    void without_a_key_nothing_is_kept() throws Exception {
        try (Platform without = new Platform()) {
            without.deployDemo();
            HttpResponse<byte[]> refused = without.send("PUT", SECRETS + "/KEY", VALUE.getBytes(StandardCharsets.UTF_8));
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("no-secrets-key", "--secrets-key");
            assertThat(without.get(SECRETS).statusCode()).isEqualTo(200);
        }
    }
}
