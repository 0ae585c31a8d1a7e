package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.datalayer.TimedLocks.Grant;
import dev.sand.event.Payload;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Time is given: each host has a clock of its own, which shows anything. */
@Tag("slow")
@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class TimedLocksTest {
    private static final long MS = 1_000_000;

    @Parameter
    StoreKind kind;

    private final AtomicLong hereNs = new AtomicLong(5_000_000_000L);
    private final AtomicLong thereNs = new AtomicLong(-7_000_000_000_000L);
    private GlobalStore store;
    private TableStore tables;
    private TimedLocks here;
    private TimedLocks there;

    @BeforeEach
    void open() {
        store = kind.open();
        tables = new TableStore(store);
        here = new TimedLocks(store, tables, hereNs::get);
        there = new TimedLocks(store, tables, thereNs::get);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void oneHoldsItAndGivesItBack() {
        Grant mine = here.acquire("app", "p", "l", 1000, "me");
        assertThat(mine).isEqualTo(new Grant(true, 1, 0));
        Grant others = there.acquire("app", "p", "l", 1000, "you");
        assertThat(others.held()).isFalse();
        assertThat(others.retryAfterMs()).isEqualTo(1100);
        assertThat(there.release("app", "p", "l", 7)).as("not his").isFalse();
        assertThat(here.release("app", "p", "l", 1)).isTrue();
        assertThat(here.release("app", "p", "l", 1)).isFalse();
        assertThat(there.acquire("app", "p", "l", 1000, "you")).as("a higher token").isEqualTo(new Grant(true, 2, 0));
        assertThat(here.acquire("app", "p", "other", 1000, "me").held()).isTrue();
        assertThat(here.acquire("app", "q", "l", 1000, "me").held()).isTrue();
    }

    @Test
    void whoeverSeesItUnchangedForTheHoldingTimeTakesItOver() {
        here.acquire("app", "p", "l", 1000, "me");
        thereNs.addAndGet(3_600_000 * MS);
        assertThat(there.acquire("app", "p", "l", 500, "you").retryAfterMs()).as("his clock said nothing before he looked").isEqualTo(1100);
        thereNs.addAndGet(1099 * MS);
        assertThat(there.acquire("app", "p", "l", 500, "you").retryAfterMs()).isEqualTo(1);
        thereNs.addAndGet(MS);
        assertThat(there.acquire("app", "p", "l", 500, "you")).isEqualTo(new Grant(true, 2, 0));
        assertThatThrownBy(() -> here.renew("app", "p", "l", 1, 1000)).hasMessageContaining("it is held under 2");
        assertThat(here.release("app", "p", "l", 1)).isFalse();
    }

    @Test
    void aRenewalBeginsTheTimeAnew() {
        here.acquire("app", "p", "l", 1000, "me");
        there.acquire("app", "p", "l", 1000, "you");
        thereNs.addAndGet(1000 * MS);
        here.renew("app", "p", "l", 1, 2000);
        thereNs.addAndGet(1000 * MS);
        assertThat(there.acquire("app", "p", "l", 1000, "you").retryAfterMs()).isEqualTo(2150);
        thereNs.addAndGet(2150 * MS);
        assertThat(there.acquire("app", "p", "l", 1000, "you").token()).isEqualTo(2);
    }

    @Test
    void aWriteOfWhoeverLostTheLockIsRefused() {
        here.acquire("app", "p", "l", 1000, "me");
        write(1, "\"mine\"");
        here.renew("app", "p", "l", 1, 1000);
        write(1, "\"still mine\"");
        there.acquire("app", "p", "l", 1000, "you");
        thereNs.addAndGet(1100 * MS);
        write(1, "\"late, but nobody took it\"");
        assertThat(there.acquire("app", "p", "l", 1000, "you").token()).isEqualTo(2);
        StoreException lost = catchThrowableOfType(StoreException.class, () -> write(1, "\"too late\""));
        assertThat(lost.kind()).isEqualTo(Kind.CONFLICT);
        assertThat(lost).hasMessageContaining("lock \"l\"");
        write(2, "\"yours\"");
        there.release("app", "p", "l", 2);
        assertThat(catchThrowableOfType(StoreException.class, () -> write(2, "\"no\"")).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(catchThrowableOfType(StoreException.class, () -> write(0, "\"no\"")).kind()).isEqualTo(Kind.CONFLICT);
    }

    @Test
    void ofManyWhoWantItOneAtATimeHasIt() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger had = new AtomicInteger();
        List<CompletableFuture<Void>> wanting = IntStream.range(0, 4).mapToObj(i -> CompletableFuture.runAsync(() -> {
            for (int done = 0; done < 4;) {
                Grant grant = (i % 2 == 0 ? here : there).acquire("app", "p", "l", 60_000, "t" + i);
                if (grant.held()) {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    assertThat(grant.token()).isEqualTo(had.incrementAndGet());
                    inside.decrementAndGet();
                    (i % 2 == 0 ? here : there).release("app", "p", "l", grant.token());
                    done++;
                }
            }
        })).toList();
        wanting.forEach(CompletableFuture::join);
        assertThat(had).hasValue(16);
    }

    @Test
    void theHoldingTimeIsBounded() {
        assertThatThrownBy(() -> here.acquire("app", "p", "l", 99, "me")).hasMessageContaining("100 to 3600000");
        assertThatThrownBy(() -> here.acquire("app", "p", "l", 3_600_001, "me")).hasMessageContaining("3600001");
    }

    private void write(long token, String json) {
        tables.transact("app", "p", List.of(new TableOperation(What.CHECK_LOCK, "l", null, token, null),
                new TableOperation(What.PUT, "k", Payload.json(json.getBytes()), null, null)));
    }
}
