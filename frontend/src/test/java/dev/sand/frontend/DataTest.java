package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.event.Payload;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DataTest {
    private static final String DATA = "/api/v1/applications/demo/data";
    private Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        platform.deployDemo();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private static String at(String key) {
        return DATA + "/value?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
    }

    private HttpResponse<byte[]> put(String key, String value, String... headers) throws Exception {
        return platform.send("PUT", at(key), value.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static String tag(HttpResponse<byte[]> response) {
        return response.headers().firstValue("ETag").orElseThrow();
    }

    @Test
    void a_value_comes_back_as_it_was_put_whatever_its_key_is() throws Exception {
        for (String key : new String[] {"a/b", "..", "naïve 😀", "x".repeat(1024), "a?b&c=%"}) {
            HttpResponse<byte[]> put = put(key, "<b>1</b>", "Content-Type", "text/html");
            assertThat(put.statusCode()).as(key).isEqualTo(200);
            HttpResponse<byte[]> got = platform.get(at(key));
            assertThat(new String(got.body(), StandardCharsets.UTF_8)).isEqualTo("<b>1</b>");
            assertThat(got.headers().firstValue("Content-Type")).hasValue("text/html");
            assertThat(got.headers().firstValue("Content-Security-Policy").orElseThrow()).contains("sandbox");
            assertThat(tag(got)).isEqualTo(tag(put));
        }
    }

    @Test
    void who_has_another_version_changes_nothing() throws Exception {
        String first = tag(put("k", "1", "If-None-Match", "*"));
        assertThat(put("k", "2", "If-None-Match", "*").statusCode()).isEqualTo(412);
        String second = tag(put("k", "2", "If-Match", first));
        HttpResponse<byte[]> late = put("k", "3", "If-Match", first);
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat('"' + Platform.json(late).path("actual").asText() + '"').isEqualTo(second);
        assertThat(platform.send("DELETE", at("k"), null, "If-Match", first).statusCode()).isEqualTo(412);
        assertThat(new String(platform.get(at("k")).body(), StandardCharsets.UTF_8)).isEqualTo("2");
        assertThat(platform.send("DELETE", at("k"), null, "If-Match", second).statusCode()).isEqualTo(204);
        assertThat(platform.send("DELETE", at("k"), null).statusCode()).isEqualTo(404);
        assertThat(put("k", "1", "If-Match", "seven").statusCode()).isEqualTo(400);
        assertThat(put("k", "1", "If-Match", "\"9999999999999999999\"").statusCode()).isEqualTo(400);
    }

    /** Grains may put them. */
    @Test
    void a_larger_value_is_told_of_by_its_size_and_given_to_who_asks_for_as_much() throws Exception {
        byte[] large = new byte[10 << 20];
        Arrays.fill(large, (byte) 'x');
        long version = platform.data.put("demo", "large", new Payload("text/plain", large, null), GlobalStore.ANY);
        HttpResponse<byte[]> refused = platform.get(at("large"));
        assertThat(refused.statusCode()).isEqualTo(413);
        assertThat(tag(refused)).isEqualTo("\"" + version + "\"");
        assertThat(Platform.json(refused).path("actual").asLong()).isEqualTo(large.length);
        assertThat(Platform.json(refused).path("contentType").asText()).isEqualTo("text/plain");
        assertThat(platform.get(at("large") + "&most=" + (large.length - 1)).statusCode()).isEqualTo(413);
        HttpResponse<byte[]> whole = platform.get(at("large") + "&most=" + large.length);
        assertThat(whole.statusCode()).isEqualTo(200);
        assertThat(whole.body()).isEqualTo(large);
        assertThat(tag(whole)).isEqualTo(tag(refused));
        assertThat(platform.get(at("large") + "&most=67108865").statusCode()).isEqualTo(400);
        put("small", "1");
        assertThat(platform.get(at("small") + "&most=0").statusCode()).isEqualTo(413);
    }

    @Test
    void keys_come_in_pages() throws Exception {
        for (String key : new String[] {"b", "a/2", "a/1", "a/3"}) {
            put(key, "1");
        }
        JsonNode page = Platform.json(platform.get(DATA + "?prefix=a/&limit=2"));
        assertThat(page.path("keys")).extracting(JsonNode::asText).containsExactly("a/1", "a/2");
        JsonNode rest = Platform.json(platform.get(DATA + "?prefix=a/&limit=2&after=" + page.path("next").asText()));
        assertThat(rest.path("keys")).extracting(JsonNode::asText).containsExactly("a/3");
        assertThat(rest.path("next").isNull()).isTrue();
    }

    @Test
    void what_grains_could_not_read_or_is_too_large_is_refused() throws Exception {
        assertThat(put("k", "{").statusCode()).isEqualTo(400);
        assertThat(put("k", "\"" + "x".repeat(4 << 20) + "\"").statusCode()).isEqualTo(413);
        assertThat(put("x".repeat(1025), "1").statusCode()).isEqualTo(400);
        assertThat(platform.get(DATA + "/value").statusCode()).isEqualTo(400);
        assertThat(platform.get("/api/v1/applications/gone/data").statusCode()).isEqualTo(404);
        assertThat(new String(platform.get("/api/v1/audit").body(), StandardCharsets.UTF_8)).contains("putData");
    }
}
