package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.Membership.Owner;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host that alone is cut off from a real broker, while another takes its slots over, and that comes back. */
@Tag("slow")
class KafkaMembershipCutTest {
    private static final int SLOTS = MembershipContract.SLOTS;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private enum Cut { SHORT, UNTIL_ITS_APPENDS_HAVE_FAILED, UNTIL_IT_HAS_ANOTHER_ADDRESS, WITH_BROKEN_CONNECTIONS }

    private final String prefix = UUID.randomUUID() + ".";
    private final CuttableLine line = new CuttableLine();
    private final KafkaNode node = new KafkaNode(Map.of(), line.port());
    private final KeptSlots kept = new KeptSlots();
    private final KeptSlots taken = new KeptSlots();
    private KafkaBus bus;
    private KafkaBus others;
    private Membership membership;
    private Membership other;

    @BeforeEach
    void start() {
        node.start();
        line.leadTo(node.behind());
        bus = new KafkaBus(KafkaBusTest.options("127.0.0.1:" + line.port(), prefix));
        others = new KafkaBus(KafkaBusTest.options(node.bootstrap(), prefix));
        membership = new KafkaMembership(bus, KafkaMembershipTest.options());
        other = new KafkaMembership(others, KafkaMembershipTest.options());
        kept.of = membership;
        membership.join(card("here"), kept);
        await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS);
        other.join(card("other"), taken);
        await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS / 2 && taken.owned.size() == SLOTS / 2);
    }

    private static HostCard card(String id) {
        return new HostCard(id, UUID.randomUUID().toString(), null, Set.of(), 0, false, 0);
    }

    @AfterEach
    void stop() {
        membership.close();
        other.close();
        bus.close();
        others.close();
        line.close();
        node.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"SHORT", "WITH_BROKEN_CONNECTIONS"})
    void itLosesWhatWasTakenWhenItKnowsAndGetsItsShareAgain(Cut how) {
        cutOff(how);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"UNTIL_ITS_APPENDS_HAVE_FAILED", "UNTIL_IT_HAS_ANOTHER_ADDRESS"})
    void soDoesOneThatIsLongAway(Cut how) {
        cutOff(how);
    }

    private void cutOff(Cut how) {
        Map<Integer, Long> before = Map.copyOf(kept.owned);
        if (how == Cut.WITH_BROKEN_CONNECTIONS) {
            line.breakOff();
        } else {
            line.cut();
        }
        await().atMost(PATIENCE).until(() -> taken.owned.size() == SLOTS && !other.view().hosts().containsKey("here"));
        assertThat(membership.mayAct(System.nanoTime())).isFalse();
        assertThat(membership.mayGoOn(System.nanoTime())).as("it cannot know").isTrue();
        assertThat(kept.lost).isEmpty();
        comeBack(how);
        await().atMost(PATIENCE).until(() -> kept.lost.equals(before));
        assertThat(kept.mayActWhenLost).containsOnly(false);
        await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS / 2 && membership.mayAct(System.nanoTime()));
        kept.owned.forEach((slot, epoch) -> assertThat(epoch).isGreaterThan(taken.all.get(slot)));
        await().atMost(PATIENCE).until(() -> other.view().hosts().containsKey("here") && kept.owned.entrySet().stream().allMatch(
                own -> isOwned(other.view().owners().get(own.getKey()), own.getValue())));
    }

    private static boolean isOwned(Owner owner, long epoch) {
        return owner != null && owner.epoch() == epoch; // null: not just now, on a busy machine
    }

    /** So its place in the topic of claims is trimmed away before it can read on. */
    @Test
    void itReadsOnWhereTheOthersHaveMovedItsSlotsTwice() {
        Map<Integer, Long> before = Map.copyOf(kept.owned);
        line.cut();
        await().atMost(PATIENCE).until(() -> taken.owned.size() == SLOTS);
        Map<Integer, Long> moved = Map.copyOf(taken.owned);
        other.close();
        KeptSlots last = new KeptSlots();
        try (KafkaBus third = new KafkaBus(KafkaBusTest.options(node.bootstrap(), prefix));
                Membership later = new KafkaMembership(third, KafkaMembershipTest.options())) {
            later.join(card("later"), last);
            await().atMost(PATIENCE).until(() -> last.owned.size() == SLOTS
                    && before.keySet().stream().allMatch(slot -> third.beginOffset(MembershipRecord.SLOTS, slot) >= moved.get(slot)));
            line.mend();
            await().atMost(PATIENCE).until(() -> kept.lost.equals(before));
            await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS / 2 && membership.mayAct(System.nanoTime()));
        }
    }

    private void comeBack(Cut how) {
        switch (how) {
            case SHORT, WITH_BROKEN_CONNECTIONS -> line.mend();
            case UNTIL_ITS_APPENDS_HAVE_FAILED -> {
                CompletableFuture<Long> last = new CompletableFuture<>();
                bus.append(MembershipRecord.HOSTS, 0, new byte[0], AppendFuture.completing(last));
                assertThat(last).failsWithin(PATIENCE);
                line.mend();
            }
            case UNTIL_IT_HAS_ANOTHER_ADDRESS -> line.mendUnderAnotherAddress();
        }
    }
}
