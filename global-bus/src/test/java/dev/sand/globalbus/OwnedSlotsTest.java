package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OwnedSlotsTest {
    private static final long S = 1_000_000_000;
    /** What it did, in order. */
    private final List<String> done = new ArrayList<>();
    private final OwnedSlots slots = new OwnedSlots(calls(OwnedSlots.Claims.class, done::add),
            calls(Membership.SlotListener.class, done::add), Duration.ofSeconds(3));

    /** One of whose calls each is told: its name, the slot, and the attempt or epoch. */
    private static <T> T calls(Class<T> type, Consumer<String> told) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            told.accept(method.getName() + " " + arguments[0] + " " + arguments[1]);
            return null;
        }));
    }

    @Test
    void whatWasAssignedIsClaimedOnceAndIsHeldWhenTheClaimIsInTheBus() {
        slots.onAssigned(List.of(1, 2), 0);
        slots.claim(0);
        slots.claim(S);
        slots.onClaimed(1, 1, 7, true, S);
        assertThat(done).containsExactly("claim 1 1", "claim 2 2", "onHeld 1 7", "onAcquired 1 7");
    }

    @Test
    void aRevokedSlotIsReleasedInOrderAndItsClaimUnderWayTakenBack() {
        hold(1, 7);
        slots.onAssigned(List.of(2), 0);
        slots.claim(0);
        slots.onRevoked(List.of(1, 2));
        slots.onClaimed(2, 2, 9, true, S);
        assertThat(done).containsExactly("claim 2 2", "onReleased 1 7", "release 1 7", "release 2 9");
    }

    @Test
    void aClaimThatComesAfterTheLeaseLapsedIsTakenBackAndMadeAgain() {
        slots.onAssigned(List.of(1), 0);
        slots.claim(0);
        slots.onClaimed(1, 1, 7, false, S);
        slots.claim(S);
        slots.onClaimed(1, 2, 9, true, S);
        assertThat(done).containsExactly("claim 1 1", "release 1 7", "claim 1 2", "onHeld 1 9", "onAcquired 1 9");
    }

    @Test
    void aHigherClaimEndsTheOwnersPartForASessionOrUntilItIsTakenBack() {
        hold(1, 7);
        slots.onOtherClaim(1, 6, 0);
        slots.onOtherClaim(1, 8, 0);
        slots.claim(2 * S);
        assertThat(done).containsExactly("onLost 1 7");
        slots.onRelease(1, 5, 2 * S);
        slots.claim(2 * S);
        assertThat(done).hasSize(1);
        slots.onRelease(1, 8, 2 * S);
        slots.claim(2 * S);
        assertThat(done).containsExactly("onLost 1 7", "claim 1 2");
    }

    @Test
    void ofTwoClaimsUnderWayTheHigherOneHolds() {
        slots.onAssigned(List.of(1), 0);
        slots.claim(0);
        slots.onOtherClaim(1, 9, 0);
        slots.onClaimed(1, 1, 8, true, 0);
        slots.claim(S);
        assertThat(done).containsExactly("claim 1 1");
        slots.claim(3 * S);
        slots.onClaimed(1, 2, 11, true, 3 * S);
        assertThat(done).endsWith("claim 1 2", "onHeld 1 11", "onAcquired 1 11");
    }

    @Test
    void whenTheLeaseLapsedEverythingIsLostAndClaimedAgain() {
        hold(1, 7);
        slots.onAssigned(List.of(2), 0);
        slots.claim(0);
        slots.onLapsed(S);
        slots.onClaimed(2, 2, 9, true, S);
        slots.claim(S);
        assertThat(done).containsExactly("claim 2 2", "onLost 1 7", "release 2 9", "claim 1 3", "claim 2 4");
    }

    @Test
    void whatTheGroupSaysIsStillOursGoesOnAndTheRestIsLost() {
        slots.onAssigned(List.of(1, 2), 0);
        slots.claim(0);
        slots.onClaimed(1, 1, 7, true, 0);
        slots.onClaimed(2, 2, 8, true, 0);
        done.clear();
        slots.onAssigned(List.of(3), 0);
        assertThat(slots.onStillAssigned(Set.of(2), 0)).isEqualTo(1);
        slots.claim(S);
        assertThat(done).containsExactly("onLost 1 7", "claim 3 3");
        slots.claim(3 * S);
        assertThat(done).as("the group leaves it here").endsWith("claim 1 4");
    }

    @Test
    void aFailedClaimIsMadeAgainAfterAMoment() {
        slots.onAssigned(List.of(1), 0);
        slots.claim(0);
        slots.onClaimFailed(1, 1, 0);
        slots.claim(0);
        slots.claim(S);
        assertThat(done).containsExactly("claim 1 1", "claim 1 2");
    }

    @Test
    void aListenerThatFailsHoldsUpNothing() {
        OwnedSlots failing = new OwnedSlots(calls(OwnedSlots.Claims.class, done::add), calls(Membership.SlotListener.class, call -> {
            throw new IllegalStateException("on purpose");
        }), Duration.ofSeconds(3));
        failing.onAssigned(List.of(1, 2), 0);
        failing.claim(0);
        failing.onClaimed(1, 1, 5, true, 0);
        failing.onClaimed(2, 2, 5, true, 0);
        failing.onRevoked(List.of(1, 2));
        assertThat(done).endsWith("release 1 5", "release 2 5");
    }

    private void hold(int slot, long epoch) {
        slots.onAssigned(List.of(slot), 0);
        slots.claim(0);
        slots.onClaimed(slot, 1, epoch, true, 0);
        done.clear();
    }
}
