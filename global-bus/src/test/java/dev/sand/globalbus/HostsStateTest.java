package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.globalbus.HostsState.Verdict;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.MembershipRecord.Card;
import dev.sand.globalbus.MembershipRecord.Joining;
import dev.sand.globalbus.MembershipRecord.Reads;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostsStateTest {
    private static final long S = 1_000_000_000;
    private static final long NOON = 1_763_640_000_000L;
    private final HostsState hosts = new HostsState(Duration.ofSeconds(3), 0);
    private long offset;

    @Test
    void aHostThatWasNotHeardForASessionIsGoneByTheBussOwnClock() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        card("b", "1", 0);
        for (int second = 1; second <= 3; second++) {
            card("b", "1", second);
        }
        assertThat(hosts.live()).containsOnlyKeys("a", "b");
        card("b", "1", 4);
        assertThat(hosts.live()).containsOnlyKeys("b");
        card("a", "1", 5);
        assertThat(hosts.live()).containsOnlyKeys("a", "b");
    }

    @Test
    void whatWasReadBeforeTheBeginningIsJudgedByItsAppendTimeAlone() {
        hosts.onCard(0, NOON, 0, record("dead", "1", false));
        hosts.onCard(1, NOON + 60_000, 0, record("a", "1", false));
        hosts.onCaughtUp(0);
        assertThat(hosts.live()).containsOnlyKeys("a");
    }

    @Test
    void whatAHostReadsIsThatOfTheIncarnationWhichSaidSo() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        hosts.onReads(offset++, NOON, 0, Reads.of(new HostCard("a", "1", null, Set.of(), 0, false, 0, 7)));
        card("a", "1", 1);
        assertThat(hosts.live().get("a").reads()).isEqualTo(7);
        card("a", "2", 2);
        assertThat(hosts.live().get("a").reads()).isZero();
    }

    @Test
    void aJumpOfTheBussClockGivesEveryoneANewSession() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        card("b", "1", 1);
        for (long jump : new long[] {300_000, -300_000}) {
            hosts.onCard(offset++, NOON + 2000 + jump, 2 * S, record("a", "1", false));
            assertThat(hosts.live()).containsOnlyKeys("a", "b");
            hosts.onCard(offset++, NOON + 2900 + jump, 29 * S / 10, record("b", "1", false));
            assertThat(hosts.live()).containsOnlyKeys("a", "b");
        }
        hosts.onCard(offset++, NOON + 6000 - 300_000, 6 * S, record("b", "1", false));
        assertThat(hosts.live()).containsOnlyKeys("b");
    }

    @Test
    void silenceCountsOnlyWhenTheBusHasConfirmedIt() {
        hosts.onCaughtUp(0);
        card("a", "1", 1);
        assertThat(hosts.isSilent(3 * S)).isFalse();
        assertThat(hosts.isSilent(5 * S)).isTrue();
        assertThat(hosts.live()).containsOnlyKeys("a");
        hosts.onSilence(5 * S);
        assertThat(hosts.live()).isEmpty();
        card("a", "1", 20);
        assertThat(hosts.live()).containsOnlyKeys("a");
    }

    @Test
    void aBusThatWasAwayGivesEveryoneANewSession() {
        hosts.onCaughtUp(0);
        card("a", "1", 1);
        hosts.onAway(20 * S);
        assertThat(hosts.isSilent(22 * S)).isFalse();
        hosts.onSilence(22 * S);
        assertThat(hosts.live()).containsOnlyKeys("a");
        hosts.onSilence(24 * S);
        assertThat(hosts.live()).isEmpty();
    }

    @Test
    void oneThatLeftIsGoneAtOnce() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        hosts.onCard(offset++, NOON + 1000, S, record("a", "1", true));
        assertThat(hosts.live()).isEmpty();
    }

    @Test
    void anotherIncarnationIsAConflictOnlyWhenItIsHeardAgain() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        assertThat(hosts.others("a", "2", offset)).as("not read yet").isEqualTo(Verdict.WAIT);
        long joined = joining("a", "2", 1);
        assertThat(hosts.others("a", "2", joined)).isEqualTo(Verdict.WAIT);
        assertThat(hosts.others("b", "1", joined)).isEqualTo(Verdict.CLEAR);
        card("a", "1", 2);
        assertThat(hosts.others("a", "2", joined)).isEqualTo(Verdict.CONFLICT);
    }

    @Test
    void oneThatIsSilentForASessionHasLeftItsIdToOthers() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        long joined = joining("a", "2", 1);
        hosts.onSilence(5 * S);
        assertThat(hosts.others("a", "2", joined)).isEqualTo(Verdict.CLEAR);
    }

    @Test
    void ofTwoThatJoinTogetherTheFirstMay() {
        hosts.onCaughtUp(0);
        long first = joining("a", "1", 0);
        long second = joining("a", "2", 0);
        assertThat(hosts.others("a", "1", first)).isEqualTo(Verdict.CLEAR);
        assertThat(hosts.others("a", "2", second)).isEqualTo(Verdict.WAIT);
        card("a", "1", 1);
        assertThat(hosts.others("a", "2", second)).isEqualTo(Verdict.CONFLICT);
    }

    @Test
    void onePausedComesBackToFindItsIdTaken() {
        hosts.onCaughtUp(0);
        card("a", "1", 0);
        joining("a", "2", 4);
        card("a", "2", 5);
        long back = joining("a", "1", 6);
        card("a", "2", 7);
        assertThat(hosts.others("a", "1", back)).isEqualTo(Verdict.CONFLICT);
    }

    private void card(String host, String incarnation, long second) {
        hosts.onCard(offset++, NOON + second * 1000, second * S, record(host, incarnation, false));
    }

    private long joining(String host, String incarnation, long second) {
        hosts.onJoining(offset, NOON + second * 1000, second * S,
                Joining.of(new HostCard(host, incarnation, null, Set.of(), 0, false, 0)));
        return offset++;
    }

    private static Card record(String host, String incarnation, boolean left) {
        return Card.of(new HostCard(host, incarnation, "127.0.0.1:1", Set.of(), 0, false, 0), left);
    }
}
