package dev.sand.datalayer;

import dev.sand.event.Codec;
import dev.sand.event.Limits;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What applications have used, by day (UTC), for who is billed for it. Each writer has rows of its own, which say all that it has
 * counted: a row that is written once more, since nobody knows whether it was, changes nothing, and whoever reads adds rows up. So nothing
 * is ever counted twice, and no two hosts write one row. What a deleted application used is kept. All calls block.
 */
public final class UsageStore {
    /** Of which there are rows. */
    public static final int KEPT_DAYS = 400;
    private static final String TABLE = "usage";
    private static final String BETWEEN = "/";
    private static final int PAGE = 500;

    /** What is told apart. */
    public enum Kind {
        /** Invocations by clients of cloud processes. */
        DATA_PLANE,
        /** Attempts of grains, but for those. */
        GRAINS;

        private String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * All that one writer has counted.
     *
     * @param writer drawn by it, for this row alone
     */
    public record Row(String application, LocalDate day, Kind kind, String writer, Use use) {
        private String key() {
            return day + BETWEEN + kind.key() + BETWEEN + writer;
        }
    }

    /** As it is kept. @param host that wrote it, for who looks for a mistake */
    private record Stored(short schema, String host, Use use) {}

    private final GlobalStore store;

    public UsageStore(GlobalStore store) {
        this.store = store;
    }

    /** They may be written again, with the same or more. @throws StoreException when some may not be written */
    public void write(String host, List<Row> rows) {
        store.writeAll(rows.stream().map(row -> new GlobalStore.Write(TABLE, row.application, row.key(),
                Codec.encode(new Stored(Limits.SCHEMA_VERSION, host, row.use)))).toList());
    }

    /** By day, of those from the first to the last one on which there was anything of that kind. */
    public Map<LocalDate, Map<Kind, Use>> read(String application, LocalDate from, LocalDate to) {
        Map<LocalDate, Map<Kind, Use>> days = new TreeMap<>();
        String after = from.toString();
        for (;;) {
            List<GlobalStore.Entry> page = store.scan(TABLE, application, "", after, PAGE);
            for (GlobalStore.Entry entry : page) {
                LocalDate day = day(entry.key());
                if (day.isAfter(to)) {
                    return days;
                }
                add(days.computeIfAbsent(day, _ -> new EnumMap<>(Kind.class)), entry);
            }
            if (page.size() < PAGE) {
                return days;
            }
            after = page.getLast().key();
        }
    }

    private static void add(Map<Kind, Use> sums, GlobalStore.Entry entry) {
        String kind = entry.key().split(BETWEEN)[1];
        for (Kind known : Kind.values()) {
            if (known.key().equals(kind)) {
                sums.merge(known, Codec.decode(entry.value(), Stored.class).use(), Use::plus);
            }
        } // of a kind that a newer platform counts there is nothing to say here
    }

    private static LocalDate day(String key) {
        return LocalDate.parse(key.substring(0, key.indexOf(BETWEEN)));
    }

    /** Whether anything is kept of an application of that name, there or deleted. */
    public boolean hasAny(String application) {
        return !store.keys(TABLE, application, "", null, 1).isEmpty();
    }

    /** Days that are older than what is kept go, some at a time. */
    public void trim(String application, LocalDate today) {
        String oldest = today.minusDays(KEPT_DAYS).toString();
        List<String> gone = new ArrayList<>(store.keys(TABLE, application, "", null, PAGE));
        gone.removeIf(key -> key.compareTo(oldest) >= 0);
        gone.forEach(key -> store.delete(TABLE, application, key, GlobalStore.ANY));
    }
}
