package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.Membership.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract over a real broker, and what several hosts do. */
@Tag("slow")
class KafkaMembershipTest extends MembershipContract {
    static final Duration SESSION = Duration.ofSeconds(6); // not the default 3: the machines that run the tests are slower than those that run hosts
    private final String prefix = UUID.randomUUID() + ".";
    private final List<AutoCloseable> others = new ArrayList<>();
    private KafkaBus bus;

    @Override
    Membership open() {
        if (bus == null) {
            bus = bus();
        }
        return new KafkaMembership(bus, options());
    }

    private KafkaBus bus() {
        return new KafkaBus(KafkaBusTest.options(KafkaNode.shared().bootstrap(), prefix));
    }

    static KafkaMembership.Options options() {
        return new KafkaMembership.Options(SLOTS, SESSION, Duration.ofMillis(500));
    }

    private Membership another() {
        KafkaBus own = bus();
        Membership another = new KafkaMembership(own, options());
        others.add(own);
        others.add(another);
        return another;
    }

    @AfterEach
    void closeOthers() throws Exception {
        for (AutoCloseable other : others.reversed()) {
            other.close();
        }
        membership.close();
        bus.close();
    }

    @Test
    void aHostThatJoinsTakesHalfAndTheOldOwnerReleasedItFirst() {
        Slots first = join("h1");
        Map<Integer, Long> before = Map.copyOf(first.owned);
        Membership second = another();
        Slots taken = new Slots();
        second.join(card("h2"), taken);
        await().atMost(PATIENCE).until(() -> first.owned.size() == SLOTS / 2 && taken.owned.size() == SLOTS / 2);
        assertThat(first.released.keySet()).isEqualTo(taken.owned.keySet());
        assertThat(first.lost).isEmpty();
        taken.owned.forEach((slot, epoch) -> assertThat(epoch).isGreaterThan(before.get(slot)));
        for (Membership each : List.of(membership, second)) {
            await().atMost(PATIENCE).until(() -> hosts(each.view().owners()).equals(Set.of("h1", "h2")));
            assertThat(each.view().hosts()).containsOnlyKeys("h1", "h2");
        }
        second.close();
        await().atMost(PATIENCE).until(() -> first.owned.size() == SLOTS);
        await().atMost(PATIENCE).until(() -> hosts(membership.view().owners()).equals(Set.of("h1")));
        assertThat(membership.view().hosts()).containsOnlyKeys("h1");
    }

    @Test
    void aHostThatWithdrawsGivesItsSlotsUpInOrderIsStillSeenAndComesBackUnderHigherEpochs() {
        Slots first = join("h1");
        Membership second = another();
        Slots taken = new Slots();
        second.join(card("h2"), taken);
        await().atMost(PATIENCE).until(() -> first.owned.size() == SLOTS / 2 && taken.owned.size() == SLOTS / 2);
        Map<Integer, Long> given = Map.copyOf(first.owned);
        membership.withdraw();
        assertThat(first.owned).isEmpty();
        assertThat(first.lost).isEmpty();
        assertThat(first.released.entrySet()).containsAll(given.entrySet());
        assertThat(membership.isWithdrawn()).isTrue();
        await().atMost(PATIENCE).until(() -> taken.owned.size() == SLOTS);
        await().during(SESSION.multipliedBy(2)).atMost(PATIENCE).until(() -> second.view().hosts().containsKey("h1")
                && first.owned.isEmpty() && !membership.mayAct(System.nanoTime()));
        assertThat(membership.interruptions()).isEqualTo(Membership.Interruptions.NONE);
        membership.withdraw();
        Map<Integer, Long> before = Map.copyOf(taken.owned);
        membership.takePart();
        await().atMost(PATIENCE).until(() -> first.owned.size() == SLOTS / 2 && membership.mayAct(System.nanoTime()));
        assertThat(membership.isWithdrawn()).isFalse();
        first.owned.forEach((slot, epoch) -> assertThat(epoch).isGreaterThan(before.get(slot)));
        assertThat(taken.lost).isEmpty();
    }

    @Test
    void oneThatIsWithdrawnLeavesTheIdFree() {
        join("h1");
        membership.withdraw();
        membership.close();
        Membership next = another();
        Slots slots = new Slots();
        next.join(card("h1"), slots);
        await().atMost(PATIENCE).until(() -> slots.owned.size() == SLOTS);
    }

    @Test
    void oneThatNeverJoinsSeesTheOwnersToo() {
        Membership frontend = another();
        Slots slots = join("h1");
        await().atMost(PATIENCE).until(() -> hosts(frontend.view().owners()).equals(Set.of("h1")));
        for (Owner owner : frontend.view().owners()) {
            assertThat(owner.epoch()).isEqualTo(slots.owned.get(owner.slot()));
        }
        assertThat(frontend.mayAct(System.nanoTime())).isFalse();
    }

    @Test
    void anotherProcessWithTheIdOfALiveHostIsRefused() {
        join("h1");
        Membership second = another();
        assertThatThrownBy(() -> second.join(card("h1"), new Slots())).isInstanceOf(BusException.class).hasMessageContaining("h1")
                .extracting(e -> ((BusException) e).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(membership.mayAct(System.nanoTime())).isTrue();
        Slots free = new Slots();
        second.join(card("h2"), free);
        await().atMost(PATIENCE).until(() -> free.owned.size() == SLOTS / 2);
    }

    @Test
    void aHigherClaimOfAnotherHostEndsTheOwnersPartUntilTheGroupsWordIsClaimedAgain() {
        Slots slots = join("h1");
        long epoch = slots.owned.get(2);
        CompletableFuture<Long> foreign = new CompletableFuture<>();
        bus.append("slots", 2, MembershipRecord.Claim.of(2, card("h9")).encode(), GlobalBusContract.listener(foreign));
        await().atMost(PATIENCE).until(() -> slots.lost.containsKey(2));
        assertThat(slots.lost).containsOnly(Map.entry(2, epoch));
        await().atMost(PATIENCE).until(() -> slots.owned.containsKey(2));
        assertThat(slots.owned.get(2)).isGreaterThan(foreign.join() + 1);
    }

    @Test
    void recordsThatAreNotOursChangeNothing() {
        for (String topic : List.of("slots", "hosts")) {
            for (String text : List.of("", "{}", "not ours", "{\"schema\":1,\"kind\":\"claim\"}")) {
                bus.append(topic, 0, GlobalBusContract.bytes(text), GlobalBusContract.listener(new CompletableFuture<>()));
            }
        }
        Slots slots = join("h1");
        await().atMost(PATIENCE).until(() -> hosts(membership.view().owners()).equals(Set.of("h1")));
        CompletableFuture<Long> newer = new CompletableFuture<>();
        bus.append("slots", 0, GlobalBusContract.bytes("{\"schema\":99,\"kind\":\"claim\"}"), GlobalBusContract.listener(newer));
        await().atMost(PATIENCE).until(() -> slots.lost.containsKey(0));
        await().atMost(PATIENCE).until(() -> slots.owned.getOrDefault(0, 0L) > newer.join());
    }

    @Test
    void aSessionThatTheBrokersRefuseIsSaidWithTheSettingsToMend() {
        Membership impatient = new KafkaMembership(bus, new KafkaMembership.Options(SLOTS, Duration.ofMillis(300), Duration.ofMillis(50)));
        others.add(impatient);
        assertThatThrownBy(() -> impatient.join(card("h1"), new Slots())).isInstanceOf(BusException.class)
                .hasMessageContaining("300").hasMessageContaining("group.consumer.min.session.timeout.ms");
    }

    static Set<String> hosts(List<Owner> owners) {
        Set<String> hosts = new HashSet<>();
        owners.forEach(owner -> hosts.add(owner == null ? "nobody" : owner.host().host()));
        return hosts;
    }
}
