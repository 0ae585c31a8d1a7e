package dev.sand.hostagent.segments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentPoolTest {
    private static final int MIB = 1 << 20;
    private static final Duration GRACE = Duration.ofMillis(500);
    private static final Duration IDLE = Duration.ofSeconds(30);
    private final AtomicLong now = new AtomicLong();
    private final SegmentPool pool = new SegmentPool(
            new SegmentSpace.Limits(8 * MIB, 10 * MIB, 20 * MIB, 4, 6, GRACE, IDLE), "o", now::get);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void anObjectEndsWithItsExecutionAfterAMoment() throws SegmentException {
        SegmentObject object = allocate("app", "e", MIB);
        allocate("app", "other", MIB);
        pool.endExecution("app", "e", false);
        assertThat(canOpen("app", object.id)).as("those just told of it can still open it").isTrue();
        now.addAndGet(IDLE.toNanos());
        pool.sweep();
        assertThat(canOpen("app", object.id)).isFalse();
        assertThat(pool.bytes()).isEqualTo(MIB);
    }

    @Test
    void aShardWaitsForNobodyWhoIsAtIt() throws Exception {
        SegmentObject held = pool.allocate("app", "e", MIB);
        pool.endExecution("app", "e", true);
        CompletableFuture<Void> isAtIt = new CompletableFuture<>();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> pool.forgetAtOnce("app", new AbstractCollection<>() {
            @Override
            public Iterator<Payload.Reference> iterator() {
                isAtIt.complete(null);
                goesOn.join();
                return Collections.emptyIterator();
            }

            @Override
            public int size() {
                return 0;
            }
        }));
        isAtIt.get(30, TimeUnit.SECONDS);
        CompletableFuture<SegmentObject> free = CompletableFuture.supplyAsync(() -> {
            pool.endUse(held);
            return pool.allocateFree("app", "next", MIB);
        });
        assertThat(free.get(30, TimeUnit.SECONDS)).isNull();
        goesOn.complete(null);
        assertThat(other.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(pool.allocateFree("app", "next", MIB)).as("the memory that was given back meanwhile").isNotNull();
    }

    @Test
    void whatNobodyHasGoesWhenMemoryIsShort() throws SegmentException {
        allocate("app", "e", MIB);
        SegmentObject kept = allocate("app", "other", MIB);
        pool.endExecution("app", "e", false);
        pool.shrink();
        assertThat(pool.bytes()).isEqualTo(MIB);
        assertThat(canOpen("app", kept.id)).isTrue();
    }

    @Test
    void noPagesAreMadeWhereThereIsNoRoom() throws SegmentException {
        List<String> asked = new ArrayList<>();
        pool.growsInto(new MemoryRoom() {
            @Override
            public boolean take(long bytes) {
                asked.add("take " + bytes);
                return asked.size() > 1;
            }

            @Override
            public void made(long bytes) {
                asked.add("made " + bytes);
            }

            @Override
            public boolean leaves(String application) {
                throw new AssertionError("there is room enough of " + application);
            }
        });
        SegmentException refused = catchThrowableOfType(SegmentException.class, () -> allocate("app", "e", MIB));
        assertThat(refused.error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(pool.bytes()).as("nothing of it is counted").isZero();
        allocate("app", "e", MIB);
        assertThat(asked).containsExactly("take " + MIB, "take " + MIB, "made " + MIB);
    }

    /** What leaves does so a while after it was told to; null: there is nothing. */
    private List<String> leavingAfter(int looks, Runnable gone) {
        List<String> asked = new ArrayList<>();
        pool.growsInto(new MemoryRoom() {
            @Override
            public boolean take(long bytes) {
                return true;
            }

            @Override
            public void made(long bytes) {}

            @Override
            public boolean leaves(String application) {
                asked.add(application);
                now.addAndGet(Duration.ofSeconds(1).toNanos());
                if (asked.size() == looks && gone != null) {
                    gone.run();
                }
                return gone != null;
            }
        });
        return asked;
    }

    @Test
    void whoFindsNoRoomWaitsWhileValuesOfItsApplicationLeave() throws SegmentException {
        allocate("app", "e", 5 * MIB);
        allocate("app", "e2", 5 * MIB);
        List<String> asked = leavingAfter(3, () -> pool.endExecution("app", "e", false));
        allocate("app", "e3", 5 * MIB);
        assertThat(asked).containsExactly("app", "app", "app");
        assertThat(pool.bytes()).isEqualTo(10 * MIB);
    }

    @Test
    void onAFullHostTheApplicationThatHasMostMakesRoom() throws SegmentException {
        allocate("small", "e", 8 * MIB);
        allocate("large", "e", 5 * MIB);
        allocate("large", "e2", 5 * MIB);
        List<String> asked = leavingAfter(1, () -> pool.endExecution("large", "e", false));
        allocate("third", "e", 5 * MIB);
        assertThat(asked).containsExactly("large");
    }

    @Test
    void whereNothingLeavesOrNotInTimeItIsRefused() throws SegmentException {
        allocate("app", "e", 5 * MIB);
        allocate("app", "e2", 5 * MIB);
        List<String> never = leavingAfter(1, null);
        assertThat(catchThrowableOfType(SegmentException.class, () -> allocate("app", "e3", MIB)).error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(never).hasSize(1);
        List<String> late = leavingAfter(1_000, () -> { });
        assertThat(catchThrowableOfType(SegmentException.class, () -> allocate("app", "e3", MIB)).error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(late).hasSizeBetween(2, 20);
    }

    @Test
    void aKeyHoldsItBeyondItsExecution() throws SegmentException {
        SegmentObject object = allocate("app", "e", MIB);
        pool.retain("app", object.id);
        pool.retain("app", object.id);
        pool.endExecution("app", "e", false);
        pool.forget("app", object.id);
        forgetForLong();
        assertThat(canOpen("app", object.id)).isTrue();
        pool.forget("app", object.id);
        pool.forget("app", object.id);
        forgetForLong();
        assertThat(canOpen("app", object.id)).isFalse();
        assertThat(pool.bytes()).isZero();
    }

    @Test
    void aReadHoldsItBeyondItsExecution() throws SegmentException {
        SegmentObject object = allocate("app", "e", MIB);
        SegmentObject read = pool.beginUse("app", object.id);
        pool.endExecution("app", "e", false);
        forgetForLong();
        assertThat(canOpen("app", object.id)).isTrue();
        pool.endUse(read);
        forgetForLong();
        assertThat(canOpen("app", object.id)).isFalse();
    }

    @Test
    void aFreeFileIsUsedAgainByItsApplicationAlone() throws SegmentException {
        SegmentObject first = allocate("app", "e", MIB);
        pool.endExecution("app", "e", false);
        assertThat(allocate("app", "e2", MIB).file).as("within the moment of grace").isNotSameAs(first.file);
        now.addAndGet(GRACE.toNanos());
        assertThat(allocate("other", "e3", MIB).file).isNotSameAs(first.file);
        assertThat(allocate("app", "e4", 100_000).file).as("far too large").isNotSameAs(first.file);
        SegmentObject again = allocate("app", "e5", MIB - 5000);
        assertThat(again.file).isSameAs(first.file);
        assertThat(again.id).isNotEqualTo(first.id);
        assertThat(canOpen("app", first.id)).isFalse();
    }

    @Test
    void theFileOfAMessageThatIsReadIsFreeAtOnce() throws Exception {
        SegmentObject message = allocate("app", "e", MIB);
        assertThat(pool.retainAtOnce("app", List.of(reference(message)), true)).isTrue();
        pool.endExecution("app", "e", false);
        assertThat(allocate("app", "e2", MIB).file).isNotSameAs(message.file);
        SegmentPool.Opened opened = pool.openAtOnce("app", message.id);
        assertThat(pool.forgetAtOnce("app", List.of(reference(message)))).isTrue();
        assertThat(allocate("app", "e3", MIB).file).as("somebody maps it").isNotSameAs(message.file);
        Kernel.close(opened.fd());
        assertThat(allocate("app", "e4", MIB).file).isSameAs(message.file);
        assertThat(pool.openAtOnce("app", message.id)).isNull();
    }

    @Test
    void severalAreKeptOrNone() throws SegmentException {
        SegmentObject one = allocate("app", "e", MIB);
        assertThat(pool.retainAtOnce("app", List.of(reference(one), new Payload.Reference("none", MIB)), false)).isFalse();
        assertThat(pool.retainAtOnce("app", List.of(reference(one)), false)).isTrue();
        pool.endExecution("app", "e", false);
        forgetForLong();
        assertThat(canOpen("app", one.id)).isTrue();
        pool.forgetAtOnce("app", List.of(reference(one)));
        assertThat(canOpen("app", one.id)).as("those just told of it can still open it").isTrue();
        forgetForLong();
        assertThat(canOpen("app", one.id)).isFalse();
    }

    private static Payload.Reference reference(SegmentObject object) {
        return new Payload.Reference(object.id, object.size);
    }

    @Test
    void aDescriptorInOtherHandsKeepsItsFileFromBeingUsedAgain() throws Exception {
        SegmentObject first = allocate("app", "e", MIB);
        SegmentPool.Opened opened = pool.open("app", first.id);
        pool.endExecution("app", "e", false);
        now.addAndGet(GRACE.toNanos());
        assertThat(allocate("app", "e2", MIB).file).isNotSameAs(first.file);
        forgetForLong();
        assertThat(pool.bytes()).as("memory in other hands is counted").isEqualTo(2 * MIB);
        Kernel.close(opened.fd());
        assertThat(allocate("app", "e3", MIB).file).isSameAs(first.file);
    }

    @Test
    void boundsHoldInBytesAndInNumberForAnApplicationAndTheHost() throws SegmentException {
        allocate("app", "e", 8 * MIB);
        assertThat(refused("app", 4 * MIB)).isEqualTo(Errors.TOO_LARGE);
        assertThat(refused("app", 8 * MIB + 1)).isEqualTo(Errors.TOO_LARGE);
        assertThat(refused("app", 0)).isEqualTo(Errors.BAD_REQUEST);
        allocate("b", "e", 8 * MIB);
        assertThat(refused("c", 8 * MIB)).as("no room on the host").isEqualTo(Errors.UNAVAILABLE);
        for (int i = 0; i < 3; i++) {
            allocate("b", "e", 1000);
        }
        assertThat(refused("b", 1000)).as("four values an application").isEqualTo(Errors.TOO_LARGE);
        allocate("c", "e", 1000);
        assertThat(refused("c", 1000)).as("six values a host").isEqualTo(Errors.UNAVAILABLE);
        pool.endExecution("b", "e", false);
        assertThat(allocate("c", "e", 8 * MIB)).as("released values make room at once").isNotNull();
    }

    @Test
    void aStragglerOfAnEndedExecutionGetsNothing() {
        pool.endExecution("app", "e", false);
        assertThat(refused("app", MIB)).isEqualTo(Errors.NOT_FOUND);
    }

    @Test
    void anExecutionThatRunsOnHasValuesAgain() throws SegmentException {
        pool.endExecution("app", "e", false);
        pool.reopen("app", "e");
        SegmentObject object = allocate("app", "e", MIB);
        forgetForLong();
        assertThat(canOpen("app", object.id)).isTrue();
    }

    @Test
    void capacitiesWasteAnEighthAtMost() {
        for (long size = 1; size < 1L << 31; size = size * 3 / 2 + 1) {
            assertThat(SegmentSpace.capacity(size)).isGreaterThanOrEqualTo(size)
                    .isLessThanOrEqualTo(Math.max(size + 4096, size + size / 8 + 1)).matches(c -> c % 4096 == 0);
        }
    }

    private void forgetForLong() {
        now.addAndGet(IDLE.toNanos());
        pool.sweep();
    }

    private SegmentObject allocate(String application, String execution, long size) throws SegmentException {
        SegmentObject object = pool.allocate(application, execution, size);
        pool.endUse(object);
        return object;
    }

    private boolean canOpen(String application, String id) {
        try {
            Kernel.close(pool.open(application, id).fd());
            return true;
        } catch (SegmentException e) {
            return false;
        }
    }

    private String refused(String application, long size) {
        return catchThrowableOfType(SegmentException.class, () -> pool.allocate(application, "e", size)).error();
    }
}
