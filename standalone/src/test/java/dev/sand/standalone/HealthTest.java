package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HealthTest {
    @Test
    void a_host_lives_and_says_why_it_is_not_ready() throws Exception {
        AtomicReference<String> trouble = new AtomicReference<>("no slot has an owner");
        try (Health health = new Health(new InetSocketAddress("127.0.0.1", 0), trouble::get, () -> "sand_up 1\n");
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(get(client, health, "/livez").statusCode()).isEqualTo(200);
            HttpResponse<String> unready = get(client, health, "/readyz");
            assertThat(unready.statusCode()).isEqualTo(503);
            assertThat(unready.body()).contains("no slot has an owner");
            trouble.set(null);
            assertThat(get(client, health, "/readyz").body()).contains("ready");
            assertThat(get(client, health, "/readyz/more").statusCode()).isEqualTo(404);
            assertThat(get(client, health, "/metrics").body()).isEqualTo("sand_up 1\n");
            for (String other : new String[] {"/", "/livez;x=1", "/metrics;x=1", "/metricsx"}) {
                assertThat(get(client, health, other).statusCode()).as(other).isEqualTo(404);
            }
            assertThatThrownBy(() -> new Health(health.address(), trouble::get, () -> "")).hasMessageContaining("--health-listen");
        }
    }

    private static HttpResponse<String> get(HttpClient client, Health health, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + health.address().getPort() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
