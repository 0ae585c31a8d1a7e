package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.AuditLog.Entry;
import dev.sand.datalayer.AuditLog.Filter;
import dev.sand.datalayer.AuditLog.Page;
import dev.sand.event.Ids;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class AuditLogTest {
    private static final long NOW_MS = 1_800_000_000_000L;
    private static final long DAY_MS = 24 * 60 * 60 * 1000L;
    private static final Filter ALL = new Filter(null, null);
    @Parameter
    StoreKind kind;

    private final Random random = new Random(1);
    private GlobalStore store;

    @BeforeEach
    void open() {
        store = kind.open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Entry entry(long atMs, String operation, String application) {
        return Entry.begun(Ids.next(atMs, random), null, "operator", "192.0.2.7", operation, application, Map.of("alias", "live"));
    }

    @Test
    void aChangeIsThereBeforeItIsMadeAndHasItsOutcomeAfterwards() {
        AuditLog log = new AuditLog(store, 1000);
        Entry begun = entry(NOW_MS, "moveAlias", "shop");
        log.begin(begun);
        assertThat(log.list("default", ALL, null, 10)).isEqualTo(new Page(List.of(begun), null));
        assertThat(begun.status()).isNull();
        Entry ended = begun.ended(null, Map.of("alias", "live", "version", "3"), 409, "conflict", NOW_MS + 5);
        log.end(ended);
        assertThat(log.list("default", ALL, null, 10).entries()).containsExactly(ended);
        assertThat(ended.application()).isEqualTo("shop");
    }

    @Test
    void theNewestComeFirstPageByPageAndByWhatTheyAreOf() {
        AuditLog log = new AuditLog(store, 1000);
        List<Entry> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Entry entry = entry(NOW_MS + i, i % 3 == 0 ? "rollback" : "deploy", i % 2 == 0 ? "shop" : "mail");
            log.begin(entry);
            all.addFirst(entry);
        }
        for (int limit : new int[] {1, 7, 49, 50, 51}) {
            assertThat(pages(log, ALL, limit)).isEqualTo(all);
        }
        assertThat(pages(log, new Filter("shop", "rollback"), 4)).isEqualTo(all.stream()
                .filter(entry -> entry.application().equals("shop") && entry.operation().equals("rollback")).toList());
        assertThat(pages(log, new Filter("nobody", null), 4)).isEmpty();
    }

    private static List<Entry> pages(AuditLog log, Filter filter, int limit) {
        List<Entry> found = new ArrayList<>();
        String before = null;
        do {
            Page page = log.list("default", filter, before, limit);
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(limit);
            found.addAll(page.entries());
            before = page.next();
        } while (before != null);
        return found;
    }

    @Test
    void whatIsOldOrTooMuchGoes() {
        AuditLog log = new AuditLog(store, 80);
        Entry old = entry(NOW_MS - 401 * DAY_MS, "deploy", "shop");
        log.begin(old);
        for (int i = 0; i < 200; i++) {
            log.begin(entry(NOW_MS - 200 + i, "deploy", "shop"));
        }
        Entry last = entry(NOW_MS, "deploy", "shop");
        log.begin(last);
        log.end(last.ended(null, Map.of(), 201, null, NOW_MS));
        List<Entry> kept = log.list("default", ALL, null, 1000).entries();
        assertThat(kept).hasSizeBetween(40, 80).doesNotContain(old);
        assertThat(kept.getFirst().id()).isEqualTo(last.id());
    }
}
