package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.UsageStore.Row;
import dev.sand.datalayer.Use;
import java.net.http.HttpResponse;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static final String USAGE = "/api/v1/apps/demo/usage";
    private static final LocalDate DAY = LocalDate.of(2026, 3, 1);
    private Platform platform;
    private UsageStore store;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        platform.deployDemo();
        store = new UsageStore(platform.store);
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private void used(String application, LocalDate day, String writer, long invocations) {
        store.write("h", List.of(new Row(application, day, Kind.DATA_PLANE, writer, new Use(invocations, 1, 1_600, 128_700, 10, 20))));
    }

    private JsonNode told(String query) throws Exception {
        HttpResponse<byte[]> response = platform.get(USAGE + query);
        assertThat(response.statusCode()).as(Platform.text(response)).isEqualTo(200);
        return Platform.json(response);
    }

    private void refuses(String query, String why) throws Exception {
        HttpResponse<byte[]> response = platform.get(USAGE + query);
        assertThat(response.statusCode()).as(Platform.text(response)).isEqualTo(400);
        assertThat(Platform.text(response)).contains(why);
    }

    @Test
    void each_day_is_told_and_the_totals_are_those_of_the_days() throws Exception {
        used("demo", DAY, "a", 2);
        used("demo", DAY, "b", 3);
        used("demo", DAY.plusDays(2), "a", 4);
        used("demo", DAY.plusDays(3), "a", 100);
        used("other", DAY, "a", 100);
        store.write("h", List.of(new Row("demo", DAY.plusDays(1), Kind.GRAINS, "a", new Use(7, 2, 3_000, 9_000, 0, 0))));
        JsonNode told = told("?from=2026-03-01&to=2026-03-03");
        assertThat(told.path("application").asText()).isEqualTo("demo");
        assertThat(told.path("days").findValuesAsText("day")).containsExactly("2026-03-01", "2026-03-02", "2026-03-03");
        assertThat(told.path("days").path(0).path("dataPlane").toString()).isEqualTo(
                "{\"invocations\":5,\"failed\":2,\"ms\":3,\"mbMs\":257,\"bytesIn\":20,\"bytesOut\":40}");
        assertThat(told.path("days").path(1).path("dataPlane").path("invocations").asLong(-1)).isZero();
        assertThat(told.path("days").path(1).path("grains").toString()).isEqualTo("{\"attempts\":7,\"failed\":2,\"ms\":3,\"mbMs\":9}");
        assertThat(told.path("totals").path("grains").path("attempts").asLong()).isEqualTo(7);
        assertThat(told.path("totals").path("dataPlane").toString()).isEqualTo(
                "{\"invocations\":9,\"failed\":3,\"ms\":4,\"mbMs\":385,\"bytesIn\":30,\"bytesOut\":60}");
    }

    @Test
    void without_days_it_is_the_last_thirty() throws Exception {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        used("demo", today, "a", 1);
        used("demo", today.minusDays(40), "a", 1);
        JsonNode told = told("");
        assertThat(told.path("days")).hasSize(30);
        assertThat(told.path("totals").path("dataPlane").path("invocations").asLong()).isEqualTo(1);
        assertThat(told("?to=2026-03-01").path("from").asText()).isEqualTo("2026-01-31");
    }

    @Test
    void what_are_no_days_or_too_many_is_refused() throws Exception {
        refuses("?from=2026-02-29", "'from' is a day, YYYY-MM-DD, from 1970 on, not '2026-02-29'");
        refuses("?to=20260301", "'to' is a day");
        refuses("?to=0000-01-01", "'to' is a day");
        refuses("?from=", "'from' is a day");
        refuses("?to=%2B2026-03-01", "'to' is a day");
        refuses("?from=2026-03-02&to=2026-03-01", "comes after the last");
        refuses("?from=2025-02-28&to=2026-03-01", "At most 366 days");
        assertThat(told("?from=2025-03-01&to=2026-03-01").path("days")).hasSize(366);
    }

    @Test
    void of_a_deleted_application_it_is_kept_and_of_one_that_never_was_there_is_none() throws Exception {
        used("demo", DAY, "a", 2);
        assertThat(platform.send("DELETE", "/api/v1/applications/demo", null).statusCode()).isEqualTo(204);
        assertThat(told("?from=2026-03-01&to=2026-03-01").path("totals").path("dataPlane").path("invocations").asLong()).isEqualTo(2);
        platform.deployDemo();
        assertThat(told("?from=2026-03-01&to=2026-03-01").path("totals").path("dataPlane").path("invocations").asLong()).isEqualTo(2);
        for (String none : List.of("nobody", "0sand-management", "No-Name", "acme--shop")) {
            assertThat(platform.get("/api/v1/apps/" + none + "/usage").statusCode()).as(none).isEqualTo(404);
        }
    }
}
