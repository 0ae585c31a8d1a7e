package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.globalbus.Membership.Interruptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final long MS = 1_000_000;
    private final Lease lease = new Lease(Duration.ofSeconds(3));

    @Test
    void itIsHeldTwoThirdsOfASessionFromBeforeTheAnswerWasSeen() {
        lease.sample(0, 0, true);
        assertThat(lease.mayAct(0)).isFalse();
        lease.sample(100 * MS, 1, true);
        assertThat(lease.mayAct(1999 * MS)).isTrue();
        assertThat(lease.mayAct(2000 * MS)).isFalse();
    }

    @Test
    void onceLapsedItStaysSoUntilAllWereTold() {
        lease.sample(0, 0, true);
        lease.sample(100 * MS, 1, true);
        assertThat(lease.mayAct(5000 * MS)).as("after a pause").isFalse();
        lease.sample(5001 * MS, 2, true);
        lease.sample(5100 * MS, 3, true);
        assertThat(lease.mayAct(5100 * MS)).isFalse();
        assertThat(lease.isLapsed(5100 * MS)).isTrue();
        assertThat(lease.mayGoOn(5100 * MS)).isFalse();
        assertThat(lease.resume(5100 * MS)).as("it was a pause").isFalse();
        lease.onAllTold();
        assertThat(lease.mayAct(5101 * MS)).as("nothing heard yet").isFalse();
        lease.sample(5200 * MS, 4, true);
        assertThat(lease.mayAct(5201 * MS)).isTrue();
    }

    @Test
    void oneThatRanAndHeardNothingIsSuspendedUntilItHearsAndIsToldThatItIsStillAMember() {
        hearOnceThenRun(9000);
        assertThat(lease.mayAct(9000 * MS)).isFalse();
        assertThat(lease.mayGoOn(9000 * MS)).isTrue();
        assertThat(lease.isHeard(9000 * MS)).isFalse();
        assertThat(lease.resume(9000 * MS)).as("nothing heard").isFalse();
        lease.sample(9100 * MS, 2, true);
        assertThat(lease.isHeard(9100 * MS)).isTrue();
        assertThat(lease.mayAct(9100 * MS)).as("an answer may be a refusal").isFalse();
        assertThat(lease.resume(9200 * MS)).isTrue();
        assertThat(lease.mayAct(9200 * MS)).isTrue();
        lease.sample(9200 * MS, 2, true);
        assertThat(lease.mayAct(10_999 * MS)).as("from before the answer was seen").isTrue();
        assertThat(lease.mayAct(11_000 * MS)).isFalse();
        assertThat(lease.isSuspended(11_000 * MS)).isTrue();
    }

    @Test
    void whatWasHeardBeforeTheSuspensionDoesNotEndIt() {
        hearOnceThenRun(2100);
        assertThat(lease.isSuspended(2100 * MS)).isTrue();
        assertThat(lease.isHeard(2100 * MS)).isFalse();
        lease.sample(2200 * MS, 2, true);
        for (long ms = 2300; ms <= 4500; ms += 100) {
            lease.sample(ms * MS, 2, true);
        }
        assertThat(lease.isHeard(4500 * MS)).isFalse();
        assertThat(lease.resume(4500 * MS)).isFalse();
        lease.sample(4600 * MS, 3, true);
        assertThat(lease.resume(4600 * MS)).isTrue();
    }

    @Test
    void aPauseWhileSuspendedLosesEverything() {
        hearOnceThenRun(9000);
        assertThat(lease.mayGoOn(10_999 * MS)).isTrue();
        assertThat(lease.mayGoOn(11_000 * MS)).isFalse();
        assertThat(lease.isLapsed(11_000 * MS)).isTrue();
    }

    @Test
    void atRestItHearsAndLosesNothingUntilItIsWokenAndHearsAgain() {
        hearOnceThenRun(1000);
        lease.rest();
        lease.sample(1100 * MS, 2, true);
        assertThat(lease.mayAct(1100 * MS)).as("the answer to its leaving").isFalse();
        assertThat(lease.isSuspended(9000 * MS)).isFalse();
        assertThat(lease.isLapsed(9000 * MS)).isFalse();
        lease.sample(9000 * MS, 2, true);
        lease.wake();
        lease.sample(9100 * MS, 2, true);
        assertThat(lease.mayAct(9100 * MS)).as("nothing heard yet").isFalse();
        lease.sample(9200 * MS, 3, true);
        assertThat(lease.mayAct(9201 * MS)).isTrue();
        assertThat(lease.interruptions()).isEqualTo(Interruptions.NONE);
    }

    private void hearOnceThenRun(long untilMs) {
        lease.sample(0, 0, true);
        for (long ms = 100; ms <= untilMs; ms += 100) {
            lease.sample(ms * MS, 1, true);
        }
    }

    @Test
    void eachSuspensionAndEachLapseIsCountedOnceHoweverOftenItIsLookedAt() {
        assertThat(lease.interruptions()).isEqualTo(Interruptions.NONE);
        hearOnceThenRun(9000);
        lease.mayAct(9000 * MS);
        lease.isSuspended(9001 * MS);
        assertThat(lease.interruptions()).isEqualTo(new Interruptions(1, 0));
        lease.mayGoOn(11_000 * MS);
        lease.isLapsed(11_001 * MS);
        lease.lapse();
        assertThat(lease.interruptions()).isEqualTo(new Interruptions(1, 1));
    }

    @Test
    void anAnswerThatWasWaitingThroughAPauseDoesNotCount() {
        lease.sample(0, 0, true);
        lease.sample(5000 * MS, 1, true);
        assertThat(lease.mayAct(5000 * MS)).isFalse();
    }

    @Test
    void tellingWhatHasNotLapsedChangesNothing() {
        lease.sample(0, 0, true);
        lease.sample(100 * MS, 1, true);
        lease.onAllTold();
        assertThat(lease.mayAct(2500 * MS)).isFalse();
        lease.sample(2501 * MS, 2, true);
        assertThat(lease.mayAct(2502 * MS)).isFalse();
    }

    @Test
    void aMemberWhoseThreadIsStuckIsNotKeptByItsHeartbeats() {
        lease.sample(0, 0, true);
        lease.sample(100 * MS, 1, true);
        lease.sample(1000 * MS, 2, false);
        lease.sample(1900 * MS, 3, false);
        assertThat(lease.mayAct(2100 * MS)).isFalse();
    }
}
