package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What goes wrong with Cassandra, and what the store makes of it. */
@Tag("slow")
class CassandraFaultTest {
    private static final CassandraNode NODE = CassandraNode.shared();

    @Test
    void callsFailByTheirDeadlineWhileTheNodeIsGoneAndGoOnWhenItIsBack() {
        CassandraOptions options = options("gone").withTimes(Duration.ofSeconds(2), Duration.ofMinutes(1));
        try (CassandraStore store = new CassandraStore(options)) {
            long version = store.put("t", "app", "k", bytes("kept"), GlobalStore.ANY);
            AtomicInteger counted = new AtomicInteger();
            AtomicInteger unclear = new AtomicInteger();
            CompletableFuture<Void> counting = CompletableFuture.runAsync(() -> {
                for (boolean away = false; !away;) {
                    try {
                        store.add("t", "app", "n", 1);
                        counted.incrementAndGet();
                    } catch (StoreException e) {
                        away = true;
                        unclear.addAndGet(e.getMessage().contains("not known") ? 1 : 0);
                    }
                }
            });
            await().until(() -> counted.get() > 20);
            NODE.kill();
            try {
                counting.join();
                assertThat(away(() -> store.get("t", "app", "k"))).isEqualTo(Kind.AWAY);
                assertThat(away(() -> store.put("t", "app", "k", bytes("x"), GlobalStore.ANY))).isEqualTo(Kind.AWAY);
                assertThat(away(() -> store.scan("t", "app", "", null, 10))).isEqualTo(Kind.AWAY);
                assertThatThrownBy(() -> new CassandraStore(options("gone").withTimes(Duration.ofSeconds(1), Duration.ofMillis(1500))))
                        .isInstanceOf(StoreException.class).hasMessageContaining("no Cassandra at");
            } finally {
                NODE.launch();
            }
            await().atMost(Duration.ofMinutes(1)).ignoreExceptions()
                    .until(() -> store.get("t", "app", "k").orElseThrow().version() == version);
            int stored = Integer.parseInt(new String(store.get("t", "app", "n").orElseThrow().value(), StandardCharsets.UTF_8));
            assertThat(stored).isBetween(counted.get(), counted.get() + unclear.get());
            assertThat(store.put("t", "app", "k", bytes("more"), version)).isEqualTo(version + 1);
        }
    }

    @Test
    void twoPlatformsShareOneKeyspace() {
        CompletableFuture<CassandraStore> opening = CompletableFuture.supplyAsync(() -> NODE.open("two"));
        try (CassandraStore one = NODE.open("two"); CassandraStore other = opening.join()) {
            List<CompletableFuture<Void>> adding = new ArrayList<>();
            for (CassandraStore store : List.of(one, other, one, other)) {
                adding.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 25; i++) {
                        store.add("t", "app", "n", 1);
                    }
                }));
            }
            adding.forEach(CompletableFuture::join);
            assertThat(new String(other.get("t", "app", "n").orElseThrow().value(), StandardCharsets.UTF_8)).isEqualTo("100");
        }
    }

    @Test
    void aLargeValueThatIsDamagedIsRefused() {
        byte[] large = new byte[2_500_000];
        new Random(1).nextBytes(large);
        try (CassandraStore store = NODE.open("damaged"); CqlSession session = session()) {
            store.put("t", "app", "k", large, GlobalStore.ANY);
            var chunk = session.execute("SELECT id, n FROM damaged.chunk").one();
            session.execute("UPDATE damaged.chunk SET bytes = 0x00 WHERE id = " + chunk.getUuid(0) + " AND n = " + chunk.getInt(1));
            StoreException failure = catchThrowableOfType(StoreException.class, () -> store.get("t", "app", "k"));
            assertThat(failure.kind()).isEqualTo(Kind.BROKEN);
            assertThat(failure).hasMessageContaining("damaged");
            store.put("t", "app", "k", bytes("mended"), GlobalStore.ANY);
            assertThat(store.get("t", "app", "k").orElseThrow().value()).isEqualTo(bytes("mended"));
            await().until(() -> session.execute("SELECT id FROM damaged.chunk").all().isEmpty());
        }
    }

    @Test
    void aKeyspaceOfANewerPlatformIsRefused() {
        NODE.open("newer").close();
        try (CqlSession session = session()) {
            session.execute("UPDATE newer.platform SET version = 99 WHERE name = 'schema'");
        }
        assertThat(catchThrowableOfType(StoreException.class, () -> NODE.open("newer"))).hasMessageContaining("99");
    }

    @Test
    void optionsAreReadAndPasswordsAreNotShown() {
        CassandraOptions options = CassandraOptions.of("one, two:9999").withLogin("sand", "secret");
        assertThat(options.contactPoints()).extracting(address -> address.getHostString() + ":" + address.getPort())
                .containsExactly("one:9042", "two:9999");
        assertThat(options.toString()).doesNotContain("secret");
        assertThatThrownBy(() -> CassandraOptions.of("one:x")).hasMessageContaining("HOST[:PORT]");
        assertThatThrownBy(() -> options.withKeyspace("x; DROP", "{}")).hasMessageContaining("keyspace");
    }

    private static CassandraOptions options(String keyspace) {
        return NODE.options().withKeyspace(keyspace, NODE.options().replication());
    }

    private static CqlSession session() {
        return CqlSession.builder().addContactPoints(NODE.options().contactPoints())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder().withClass(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS,
                        DcInferringLoadBalancingPolicy.class).build()).build();
    }

    private static Kind away(ThrowingCallable call) {
        return catchThrowableOfType(StoreException.class, call).kind();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
