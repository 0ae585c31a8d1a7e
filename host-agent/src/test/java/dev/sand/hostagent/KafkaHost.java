package dev.sand.hostagent;

import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.Slots;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.Membership;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** One of two host agents over a real broker; the global store is in memory. Its parts are the test's to close. */
final class KafkaHost {
    private static final Duration SESSION = Duration.ofSeconds(6); // test machines are slower than those that run hosts

    final String name;
    final KafkaBus bus;
    final Membership membership;
    final TestPlatform platform;

    /** @param prefix of all topics and groups: a platform of its own */
    KafkaHost(String name, String bootstrap, String prefix, MemoryStore store) throws Exception {
        this.name = name;
        this.bus = new KafkaBus(new KafkaBus.Options(bootstrap, 64L << 20, 1 << 20, Duration.ofMillis(2), Duration.ofSeconds(20), 0,
                prefix));
        this.membership = new KafkaMembership(bus, new KafkaMembership.Options(Slots.DEFAULT, SESSION, Duration.ofMillis(500)));
        this.platform = new TestPlatform(bus, store, membership,
                HostAgentConfiguration.defaults(name).withShards(1).withDrainTimeout(Duration.ofSeconds(5)));
    }

    boolean owns(int slot) {
        Membership.Owner owner = membership.view().owners().get(slot);
        return owner != null && owner.host().host().equals(name);
    }

    Set<String> owners() {
        return membership.view().owners().stream().map(owner -> owner == null ? "" : owner.host().host())
                .collect(Collectors.toSet());
    }

    static void awaitBoth(KafkaHost a, KafkaHost b) {
        await().atMost(Chain.PATIENCE).until(() -> a.owners().equals(Set.of("a", "b")) && b.owners().equals(Set.of("a", "b")));
    }
}
