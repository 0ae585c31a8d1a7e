package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.UsageStore.Row;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UsageStoreTest {
    private static final LocalDate DAY = LocalDate.of(2026, 2, 28);
    private final MemoryStore store = new MemoryStore();
    private final UsageStore usage = new UsageStore(store);

    private static Use use(long invocations) {
        return new Use(invocations, 1, 2_000, 3_000, 40, 50);
    }

    private static Row row(String application, LocalDate day, String writer, long invocations) {
        return new Row(application, day, Kind.DATA_PLANE, writer, use(invocations));
    }

    @Test
    void what_writers_counted_is_added_up_by_day() {
        usage.write("h1", List.of(row("shop", DAY, "w1", 3), row("shop", DAY, "w2", 4), row("shop", DAY.plusDays(1), "w1", 5),
                row("acme--shop", DAY, "w3", 90)));
        assertThat(usage.read("shop", DAY, DAY.plusDays(1))).isEqualTo(Map.of(
                DAY, Map.of(Kind.DATA_PLANE, new Use(7, 2, 4_000, 6_000, 80, 100)),
                DAY.plusDays(1), Map.of(Kind.DATA_PLANE, use(5))));
        assertThat(usage.hasAny("acme--shop")).isTrue();
        assertThat(usage.hasAny("acme")).isFalse();
    }

    @Test
    void a_row_that_is_written_again_counts_once() {
        usage.write("h1", List.of(row("shop", DAY, "w1", 3)));
        usage.write("h1", List.of(row("shop", DAY, "w1", 3)));
        usage.write("h1", List.of(row("shop", DAY, "w1", 9)));
        assertThat(usage.read("shop", DAY, DAY)).isEqualTo(Map.of(DAY, Map.of(Kind.DATA_PLANE, use(9))));
    }

    @Test
    void the_first_and_the_last_day_are_among_them_and_no_others() {
        for (int day = -2; day <= 2; day++) {
            usage.write("h1", List.of(row("shop", DAY.plusDays(day), "w", 1)));
        }
        assertThat(usage.read("shop", DAY.minusDays(1), DAY.plusDays(1))).containsOnlyKeys(DAY.minusDays(1), DAY, DAY.plusDays(1));
    }

    @Test
    void rows_of_many_writers_are_read_in_parts() {
        List<Row> rows = new ArrayList<>();
        for (int writer = 0; writer < 1_234; writer++) {
            rows.add(row("shop", DAY.plusDays(writer % 3), "w" + writer, 1));
        }
        usage.write("h1", rows);
        assertThat(usage.read("shop", DAY, DAY.plusDays(9)).values()).extracting(each -> each.get(Kind.DATA_PLANE).invocations())
                .containsExactly(412L, 411L, 411L);
    }

    @Test
    void old_days_go_and_the_rest_stays() {
        LocalDate old = DAY.minusDays(UsageStore.KEPT_DAYS + 1);
        usage.write("h1", List.of(row("shop", old, "w", 1), row("shop", DAY.minusDays(UsageStore.KEPT_DAYS), "w", 1),
                row("shop", DAY, "w", 1), row("other", old, "w", 1)));
        usage.trim("shop", DAY);
        assertThat(usage.read("shop", old, DAY)).containsOnlyKeys(DAY.minusDays(UsageStore.KEPT_DAYS), DAY);
        assertThat(usage.read("other", old, DAY)).containsOnlyKeys(old);
    }

    @Test
    void what_a_newer_platform_counts_besides_is_passed_over() {
        usage.write("h1", List.of(row("shop", DAY, "w", 1)));
        store.put("usage", "shop", DAY + "/moonbeams/w", "?".getBytes(StandardCharsets.UTF_8), GlobalStore.ANY);
        assertThat(usage.read("shop", DAY, DAY)).isEqualTo(Map.of(DAY, Map.of(Kind.DATA_PLANE, use(1))));
    }
}
