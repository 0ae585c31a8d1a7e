package dev.sand.hostagent.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.Use;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class UsageWriterTest {
    private static final LocalDate DAY = LocalDate.of(2026, 11, 26);
    private static final UsageStore.Kind PLANE = UsageStore.Kind.DATA_PLANE;
    private static final Use ONE = new Use(1, 0, 2_000, 256_000, 10, 20);

    /** What comes of a call that writes. */
    private enum Outcome { DONE, AWAY, DONE_BUT_UNKNOWN }

    private final MemoryStore store = new MemoryStore();
    private Outcome outcome = Outcome.DONE;
    private final AtomicInteger writes = new AtomicInteger();
    private final UsageStore kept = new UsageStore(store);
    private long nowMs = DAY.toEpochDay() * 86_400_000 + 1;
    private UsageWriter writer = writer();

    private UsageWriter writer() {
        return new UsageWriter("h1", new UsageStore(fragile()), () -> nowMs);
    }

    private GlobalStore fragile() {
        return (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    boolean writing = method.getName().equals("writeAll");
                    if (writing) {
                        writes.incrementAndGet();
                    }
                    if (writing && outcome == Outcome.AWAY) {
                        throw new StoreException(Kind.AWAY, "away", 0, null);
                    }
                    try {
                        Object result = method.invoke(store, arguments);
                        if (writing && outcome == Outcome.DONE_BUT_UNKNOWN) {
                            throw new StoreException(Kind.AWAY, "it is not known whether the write happened", 0, null);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Use times(int n) {
        Use sum = Use.NONE;
        for (int i = 0; i < n; i++) {
            sum = sum.plus(ONE);
        }
        return sum;
    }

    private void use(String application, int times) {
        for (int i = 0; i < times; i++) {
            writer.meter().add(application, PLANE, ONE);
        }
    }

    private Use of(String application, LocalDate day) {
        return kept.read(application, day, day).getOrDefault(day, Map.of()).getOrDefault(PLANE, Use.NONE);
    }

    @Test
    void what_came_since_the_last_time_is_added_to_what_is_there() {
        use("shop", 3);
        use("acme--shop", 1);
        writer.write();
        use("shop", 4);
        assertThat(of("shop", DAY)).isEqualTo(times(3));
        writer.write();
        assertThat(of("shop", DAY)).isEqualTo(times(7));
        assertThat(of("acme--shop", DAY)).isEqualTo(times(1));
    }

    @Test
    void when_nothing_came_nothing_is_written() {
        writer.write();
        use("shop", 1);
        writer.write();
        writer.write();
        assertThat(writes).hasValue(1);
    }

    @Test
    void a_write_of_which_nobody_knows_whether_it_was_done_counts_once() {
        use("shop", 3);
        outcome = Outcome.DONE_BUT_UNKNOWN;
        writer.write();
        writer.write();
        use("shop", 2);
        writer.write();
        outcome = Outcome.DONE;
        writer.write();
        assertThat(of("shop", DAY)).isEqualTo(times(5));
    }

    @Test
    void while_the_store_is_away_all_is_kept_also_over_midnight() {
        outcome = Outcome.AWAY;
        for (int day = 0; day < 3; day++) {
            use("shop", day + 1);
            writer.write();
            nowMs += 86_400_000;
        }
        assertThat(store.keys("usage", "shop", "", null, 9)).isEmpty();
        outcome = Outcome.DONE;
        writer.write();
        assertThat(of("shop", DAY)).isEqualTo(times(1));
        assertThat(of("shop", DAY.plusDays(1))).isEqualTo(times(2));
        assertThat(of("shop", DAY.plusDays(2))).isEqualTo(times(3));
    }

    @Test
    void what_is_used_before_midnight_is_of_the_day_before() {
        nowMs = DAY.plusDays(1).toEpochDay() * 86_400_000 - 1;
        use("shop", 2);
        nowMs++;
        use("shop", 3);
        writer.write();
        assertThat(of("shop", DAY)).isEqualTo(times(2));
        assertThat(of("shop", DAY.plusDays(1))).isEqualTo(times(3));
    }

    /** The day before is forgotten by then: a row of its own is begun, and the first one is as it was. */
    @Test
    void a_clock_that_goes_back_over_midnight_loses_nothing() {
        use("shop", 2);
        writer.write();
        nowMs += 86_400_000;
        use("shop", 3);
        writer.write();
        writer.write();
        nowMs -= 86_400_000;
        use("shop", 4);
        writer.write();
        assertThat(of("shop", DAY)).isEqualTo(times(6));
        assertThat(of("shop", DAY.plusDays(1))).isEqualTo(times(3));
    }

    @Test
    void two_hosts_and_one_that_is_started_again_add_up() {
        use("shop", 2);
        writer.write();
        use("shop", 90); // it is killed: this is lost
        writer = writer();
        use("shop", 3);
        writer.write();
        UsageWriter other = new UsageWriter("h2", kept, () -> nowMs);
        other.meter().add("shop", PLANE, ONE);
        other.write();
        assertThat(of("shop", DAY)).isEqualTo(times(6));
    }

    @Test
    void whoever_stops_writes_what_there_is() {
        use("shop", 2);
        writer.close();
        assertThat(of("shop", DAY)).isEqualTo(times(2));
    }

    @Test
    void what_is_kept_is_bounded_and_makes_room_once_it_is_written() {
        outcome = Outcome.AWAY;
        for (int i = 0; i < UsageMeter.MOST; i++) {
            use("a" + i, 1);
        }
        writer.write();
        use("one-too-many", 5);
        use("a7", 1);
        writer.write();
        outcome = Outcome.DONE;
        writer.write();
        assertThat(of("one-too-many", DAY)).isEqualTo(Use.NONE);
        assertThat(of("a7", DAY)).isEqualTo(times(2));
        assertThat(of("a" + (UsageMeter.MOST - 1), DAY)).isEqualTo(times(1));
        use("one-too-many", 2);
        use("a7", 1);
        writer.write();
        assertThat(of("one-too-many", DAY)).isEqualTo(times(2));
        assertThat(of("a7", DAY)).isEqualTo(times(3));
    }

    /** Threads count, rounds fail as they like, and the host is started again: never too much, and nothing is missing in the end. */
    @Test
    void whatever_fails_in_between_the_sum_is_right() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            String application = "app" + seed;
            Random random = new Random(seed);
            int used = 0;
            for (int step = 0; step < 60; step++) {
                int more = random.nextInt(4);
                Thread[] threads = new Thread[2];
                for (int i = 0; i < threads.length; i++) {
                    threads[i] = Thread.ofPlatform().start(() -> use(application, more));
                }
                outcome = Outcome.values()[random.nextInt(3)];
                writer.write();
                for (Thread thread : threads) {
                    thread.join();
                }
                used += more * threads.length;
                nowMs += random.nextInt(5) == 0 ? 3_600_000 : 0;
                long kept = this.kept.read(application, DAY, DAY.plusDays(100)).values().stream()
                        .mapToLong(day -> day.get(PLANE).invocations()).sum();
                assertThat(kept).as("seed %s, step %s", seed, step).isLessThanOrEqualTo(used);
                if (random.nextInt(12) == 0) {
                    outcome = Outcome.DONE;
                    writer.close();
                    writer = writer();
                }
            }
            outcome = Outcome.DONE;
            writer.write();
            assertThat(kept.read(application, DAY, DAY.plusDays(100)).values().stream().map(day -> day.get(PLANE)).reduce(Use.NONE, Use::plus))
                    .as("seed %s", seed).isEqualTo(times(used));
            nowMs = DAY.toEpochDay() * 86_400_000 + 1;
        }
    }

    @Test
    void it_outlives_the_program_in_a_file(@TempDir Path folder) throws Exception {
        for (int run = 1; run <= 2; run++) {
            try (SqliteStore file = new SqliteStore(folder.resolve("store.db"))) {
                UsageStore usage = new UsageStore(file);
                try (UsageWriter started = UsageWriter.start("h1", usage, () -> nowMs, Duration.ofMillis(20))) {
                    started.meter().add("shop", PLANE, ONE);
                    int runs = run;
                    await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(usage.read("shop", DAY, DAY))
                            .isEqualTo(Map.of(DAY, Map.of(PLANE, times(runs * 2 - 1)))));
                    started.meter().add("shop", PLANE, ONE);
                }
                assertThat(usage.read("shop", DAY, DAY)).isEqualTo(Map.of(DAY, Map.of(PLANE, times(run * 2))));
            }
        }
    }
}
