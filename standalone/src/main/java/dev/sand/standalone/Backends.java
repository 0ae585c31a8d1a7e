package dev.sand.standalone;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.CassandraStore;
import dev.sand.datalayer.GlobalLogStore;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.MeasuredStore;
import dev.sand.datalayer.SqliteLogStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.event.Slots;
import dev.sand.globalbus.EmbeddedMembership;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.MeasuredBus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.SqliteBus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all parts of a platform share: the global bus with its membership, and the global store. Embedded, these are files
 * below the home; in a cluster they are Kafka's and Cassandra's, and a start waits for them.
 *
 * @param bundles where hosts share what they build; null: there is only this one
 */
record Backends(MeasuredBus bus, Membership membership, MeasuredStore store, LogStore logs, BundleArchive bundles) {
    private static final Logger LOG = LoggerFactory.getLogger(Backends.class);

    /**
     * Blocks while Kafka or Cassandra cannot be reached, and says so; both are waited for at the same time.
     *
     * @param readiness told what is waited for
     */
    static Backends open(Options options, Opened opened, Readiness readiness) {
        ClusterOptions cluster = options.cluster();
        if (!cluster.isCluster()) {
            MeasuredStore store = opened.add(new MeasuredStore(store(options)));
            LogStore logs = opened.add(cluster.cassandra() != null ? logs(store)
                    : new SqliteLogStore(options.home().resolve("logs.db"), SqliteLogStore.DEFAULT_BYTES_AN_APPLICATION));
            MeasuredBus bus = opened.add(new MeasuredBus(new SqliteBus(options.home().resolve("bus.db"), SqliteBus.Options.DEFAULT)));
            return new Backends(bus, opened.add(new EmbeddedMembership(bus, Slots.DEFAULT)), store, logs, null);
        }
        CompletableFuture<KafkaBus> kafka = awaited("Kafka at " + cluster.kafka(), readiness,
                () -> KafkaBus.open(cluster.bus(), cluster.patience()));
        CompletableFuture<GlobalStore> cassandra = awaited("Cassandra at " + cluster.cassandra(), readiness, () -> store(options));
        MeasuredStore store = new MeasuredStore(opened(cassandra, opened));
        LogStore logs = opened.add(logs(store));
        KafkaBus bus = opened(kafka, opened);
        Membership membership = opened.add(new KafkaMembership(bus, cluster.membership()));
        return new Backends(new MeasuredBus(bus), membership, store, logs, new BundleArchive(store));
    }

    private static <T> CompletableFuture<T> awaited(String what, Readiness readiness, Supplier<T> opening) {
        LOG.info("connecting to {}", what);
        readiness.missing(what);
        return CompletableFuture.supplyAsync(() -> {
            T found = opening.get();
            readiness.found(what);
            return found;
        }, task -> Thread.ofPlatform().name("connect").daemon().start(task));
    }

    private static <T extends AutoCloseable> T opened(CompletableFuture<T> connecting, Opened opened) {
        try {
            return opened.add(connecting.join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static LogStore logs(GlobalStore store) {
        return new GlobalLogStore(store, SqliteLogStore.DEFAULT_BYTES_AN_APPLICATION);
    }

    private static GlobalStore store(Options options) {
        ClusterOptions cluster = options.cluster();
        if (cluster.cassandra() == null) {
            return new SqliteStore(options.home().resolve("store.db"));
        }
        return new CassandraStore(cluster.store());
    }
}
