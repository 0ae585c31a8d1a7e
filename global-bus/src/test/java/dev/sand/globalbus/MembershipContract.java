package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.globalbus.Membership.View;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every membership does with one host; each implementation runs it. */
abstract class MembershipContract {
    static final int SLOTS = 4;
    static final Duration PATIENCE = Duration.ofSeconds(30);
    Membership membership;

    /** A membership over the same bus as the one before it in the same test. */
    abstract Membership open() throws Exception;

    @BeforeEach
    void openMembership() throws Exception {
        membership = open();
    }

    @AfterEach
    void closeMembership() {
        membership.close();
    }

    @Test
    void theOneHostGetsEverySlotAndTheViewSaysSo() {
        assertThat(membership.slots()).isEqualTo(SLOTS);
        assertThat(membership.view().owners()).hasSize(SLOTS).containsOnlyNulls();
        assertThat(membership.mayAct(System.nanoTime())).isFalse();
        assertThat(membership.mayGoOn(System.nanoTime())).isFalse();
        Slots slots = join("h1");
        assertThat(slots.owned).containsOnlyKeys(0, 1, 2, 3);
        assertThat(membership.mayAct(System.nanoTime())).isTrue();
        assertThat(membership.mayGoOn(System.nanoTime())).isTrue();
        await().atMost(PATIENCE).until(() -> membership.view().owners().stream().allMatch(o -> o != null && o.host().host().equals("h1")));
        for (Owner owner : membership.view().owners()) {
            assertThat(owner.epoch()).isEqualTo(slots.owned.get(owner.slot())).isPositive();
            assertThat(owner.host().address()).isEqualTo("127.0.0.1:1");
            assertThat(owner.host().labels()).containsExactlyInAnyOrder("ssd", "gpu");
        }
        await().atMost(PATIENCE).until(() -> membership.view().hosts().containsKey("h1"));
        assertThat(membership.view().hosts().get("h1").seenMs()).isPositive();
    }

    @Test
    void epochsRiseWithEachStart() throws Exception {
        Map<Integer, Long> first = Map.copyOf(join("h1").owned);
        membership.close();
        membership = open();
        Map<Integer, Long> second = Map.copyOf(join("h1").owned);
        membership.close();
        membership = open();
        Map<Integer, Long> third = Map.copyOf(join("h2").owned);
        for (int slot = 0; slot < SLOTS; slot++) {
            assertThat(second.get(slot)).isGreaterThan(first.get(slot));
            assertThat(third.get(slot)).isGreaterThan(second.get(slot));
        }
    }

    @Test
    void aReportIsSeenByWatchers() throws Exception {
        Queue<View> views = new ConcurrentLinkedQueue<>();
        AutoCloseable watch = membership.watch(views::add);
        await().until(() -> views.size() == 1);
        HostCard self = card("h1");
        join(self);
        membership.report(new HostCard(self.host(), self.incarnation(), self.address(), self.labels(), 0.75, true, 0));
        await().atMost(PATIENCE).until(() -> views.stream().anyMatch(view -> view.hosts().containsKey("h1")
                && view.hosts().get("h1").busy() == 0.75 && view.hosts().get("h1").draining()));
        watch.close();
        int seen = views.size();
        membership.close();
        assertThat(views).hasSizeLessThanOrEqualTo(seen + 1);
    }

    @Test
    void whatAHostReadsIsSeenByOthers() {
        HostCard self = card("h1");
        join(new HostCard(self.host(), self.incarnation(), self.address(), self.labels(), 0, false, 0, 7));
        await().atMost(PATIENCE).until(() -> membership.view().hosts().get("h1").reads() == 7);
    }

    @Test
    void aSecondLiveHostOfTheSameIdIsRefused() {
        join("h1");
        assertThatThrownBy(() -> membership.join(card("h1"), new Slots())).isInstanceOf(BusException.class)
                .hasMessageContaining("h1").extracting(e -> ((BusException) e).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(membership.mayAct(System.nanoTime())).isTrue();
    }

    @Test
    void closeReleasesEverySlotFirstAndNothingMayActAfterwards() {
        Slots slots = join("h1");
        Map<Integer, Long> owned = Map.copyOf(slots.owned);
        membership.close();
        assertThat(slots.released).containsExactlyInAnyOrderEntriesOf(owned);
        assertThat(slots.mayActInReleased).containsOnly(true);
        assertThat(slots.lost).isEmpty();
        assertThat(membership.mayAct(System.nanoTime())).isFalse();
        assertThat(membership.mayGoOn(System.nanoTime())).isFalse();
        assertThatThrownBy(() -> membership.join(card("h1"), new Slots())).isInstanceOf(BusException.class);
    }

    Slots join(String host) {
        return join(card(host));
    }

    Slots join(HostCard self) {
        Slots slots = new Slots();
        membership.join(self, slots);
        await().atMost(PATIENCE).until(() -> slots.owned.size() == SLOTS);
        return slots;
    }

    static HostCard card(String host) {
        return new HostCard(host, UUID.randomUUID().toString(), "127.0.0.1:1", Set.of("ssd", "gpu"), 0.25, false, 0);
    }

    /** A listener that keeps what it was told. */
    final class Slots implements Membership.SlotListener {
        final Map<Integer, Long> owned = new ConcurrentHashMap<>();
        final Map<Integer, Long> released = new ConcurrentHashMap<>();
        final Map<Integer, Long> lost = new ConcurrentHashMap<>();
        final List<Boolean> mayActInReleased = new CopyOnWriteArrayList<>();

        @Override
        public void onAcquired(int slot, long epoch) {
            owned.put(slot, epoch);
        }

        @Override
        public void onReleased(int slot, long epoch) {
            mayActInReleased.add(membership.mayAct(System.nanoTime()));
            released.put(slot, epoch);
            owned.remove(slot, epoch);
        }

        @Override
        public void onLost(int slot, long epoch) {
            lost.put(slot, epoch);
            owned.remove(slot, epoch);
        }
    }
}
