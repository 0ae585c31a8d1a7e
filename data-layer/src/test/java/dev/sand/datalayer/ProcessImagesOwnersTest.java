package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two hosts that both take themselves for the owner of a process, one of them late, in all orders that a seed makes of their calls
 * to the store. Some calls' answers are lost, and some of these are carried out much later. Whatever is there is whole at any
 * moment, and once the newer owner has written or deleted, the late one changes nothing any more.
 */
@Tag("slow")
class ProcessImagesOwnersTest {
    private static final int SEEDS = Integer.getInteger("sand.images.seeds", 100);
    private static final int CALLS_OF_A_WRITE = 12;

    /** One owner's way to the store: each call waits for its turn. */
    private static final class Owner extends StoreCalls {
        final long epoch;
        final Random random;
        final Semaphore turns = new Semaphore(0);
        final Semaphore arrivals = new Semaphore(0);
        final Semaphore ends = new Semaphore(0);
        final Deque<Runnable> late = new ArrayDeque<>();
        volatile boolean done;

        Owner(MemoryStore shared, long epoch, long seed) {
            super(shared);
            this.epoch = epoch;
            this.random = new Random(seed);
        }

        @Override
        <T> T call(String name, Supplier<T> call) {
            arrivals.release();
            turns.acquireUninterruptibly();
            try {
                int fate = random.nextInt(40);
                if (fate == 0) {
                    late.add(() -> quietly(call));
                    throw new StoreException(Kind.AWAY, "its answer is lost", 0, null);
                }
                T answer = call.get();
                if (fate == 1) {
                    throw new StoreException(Kind.AWAY, "its answer is lost", 0, null);
                }
                return answer;
            } finally {
                ends.release();
            }
        }

        private static void quietly(Supplier<?> call) {
            try {
                call.get();
            } catch (StoreException e) {
                assertThat(e.kind()).isEqualTo(Kind.CONFLICT);
            }
        }

        /** @return false: it has ended */
        boolean next() {
            while (!arrivals.tryAcquire()) {
                if (done) {
                    return false;
                }
                Thread.yield();
            }
            turns.release();
            ends.acquireUninterruptibly();
            return true;
        }
    }

    /** What an owner has been told. */
    private record Told(long epoch, long number, boolean deleted) {}

    private final MemoryStore shared = new MemoryStore();
    private final ProcessImages seen = new ProcessImages(shared, () -> 0, Runnable::run);
    private final Map<Long, List<String>> written = new HashMap<>();
    private volatile Told newest = new Told(0, 0, true);

    @Test
    void whateverTwoOwnersDoTheImageIsWholeAndTheNewersStays() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                new ProcessImagesOwnersTest().run(seed);
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private void run(long seed) throws IOException {
        Random random = new Random(seed);
        List<Owner> owners = List.of(new Owner(shared, 5, random.nextLong()), new Owner(shared, 6, random.nextLong()));
        List<CompletableFuture<Void>> working = new ArrayList<>();
        int head = random.nextInt(3 * CALLS_OF_A_WRITE); // by how much the earlier one is ahead
        for (Owner owner : owners) {
            working.add(CompletableFuture.runAsync(() -> work(owner), task -> Thread.ofVirtual().start(task)));
        }
        List<Owner> left = new ArrayList<>(owners);
        while (!left.isEmpty()) {
            Owner next = head-- > 0 ? left.getFirst() : left.get(random.nextInt(left.size()));
            if (!next.next()) {
                left.remove(next);
            }
            if (random.nextInt(10) == 0 && !next.late.isEmpty()) {
                next.late.remove().run();
            }
            check();
        }
        working.forEach(CompletableFuture::join);
        for (Owner owner : owners) {
            owner.late.forEach(Runnable::run);
        }
        check();
        ImageValues last = values(new Random(seed));
        seen.write("app", "p", 6, 1000, true, new byte[0], last.all()).orElseThrow();
        assertThat(ImageValues.read(seen, "app", seen.find("app", "p").orElseThrow())).isEqualTo(ImageValues.described(last.all()));
        assertThat(new ImageLeftovers(shared).of("app")).isEmpty();
    }

    private void work(Owner owner) {
        try {
            ProcessImages images = new ProcessImages(owner, () -> 0, Runnable::run);
            for (int i = 0; i < 4; i++) {
                long number = owner.epoch * 100 + i;
                Told told;
                try {
                    if (owner.random.nextInt(5) == 0) {
                        told = images.delete("app", "p", owner.epoch) ? new Told(owner.epoch, number, true) : null;
                    } else {
                        ImageValues values = values(owner.random);
                        synchronized (written) {
                            written.put(number, ImageValues.described(values.all()));
                        }
                        told = images.write("app", "p", owner.epoch, number, true, new byte[0], values.all())
                                .map(done -> new Told(owner.epoch, number, false)).orElse(null);
                    }
                } catch (StoreException e) {
                    assertThat(e.kind()).isEqualTo(Kind.AWAY);
                    continue;
                }
                synchronized (written) {
                    assertThat(told != null || newest.epoch() >= owner.epoch || owner.epoch == 5).as("refused without a newer owner").isTrue();
                    if (told != null && told.epoch() >= newest.epoch()) {
                        newest = told;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            owner.done = true;
        }
    }

    /** Few different ones, so that images share chunks. */
    private static ImageValues values(Random random) {
        ImageValues values = new ImageValues();
        for (int i = 0; i < 4; i++) {
            values.put("v" + i, ImageValues.random(ImageCuts.SMALL_BYTES + 1, random.nextInt(6)));
        }
        return values;
    }

    private void check() throws IOException {
        Told told = newest; // before the look: what is there is this or later
        Optional<ProcessImage> found = seen.find("app", "p");
        if (found.isPresent()) {
            assertThat(ImageValues.read(seen, "app", found.get())).isEqualTo(written.get(found.get().number()));
            assertThat(found.get().epoch()).isGreaterThanOrEqualTo(told.epoch());
            assertThat(found.get().number()).isGreaterThanOrEqualTo(told.number());
        }
    }
}
