package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sand.datalayer.ProcessImages.Written;
import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A write or deletion that ends at any of its calls to the store: the old image is there or the new one, and it can be repeated. */
@Tag("slow")
class ProcessImagesFaultTest {
    /** How a call fails: nothing happened, or it happened and its answer is lost. */
    enum Loss { BEFORE, AFTER }

    private static final class FailingStore extends StoreCalls {
        private final Loss loss;
        private final Set<String> chunksWritten = new HashSet<>();
        private int calls;
        private int failsAt;

        FailingStore(Loss loss) {
            this.loss = loss;
        }

        @Override
        synchronized <T> T call(String name, Supplier<T> call) {
            calls++;
            boolean fails = failsAt > 0 && calls >= failsAt; // and whatever comes after it, as when the store is gone
            T answer = fails && (loss == Loss.BEFORE || calls > failsAt) ? null : call.get();
            if (fails) {
                throw new StoreException(Kind.AWAY, "the store does not answer", 0, null);
            }
            return answer;
        }

        @Override
        public void writeAll(List<Write> writes) {
            super.writeAll(writes);
            writes.forEach(write -> assertThat(chunksWritten.add(write.key().substring(write.key().indexOf('-')))).as("what is there is not written again").isTrue());
        }

        void failsAt(int call) {
            failsAt = call;
            calls = 0;
        }

        boolean hasFailed() {
            return failsAt > 0 && calls >= failsAt;
        }
    }

    private final ImageValues old = new ImageValues().put("same", ImageValues.random(1_500_000, 1))
            .put("large", ImageValues.random(10 * ImageCuts.CHUNK_BYTES, 2)).put("small", new byte[100]);
    private final ImageValues changed = new ImageValues().put("same", ImageValues.random(1_500_000, 1))
            .put("large", ImageValues.random(10 * ImageCuts.CHUNK_BYTES, 3)).put("more", new byte[200]);

    @ParameterizedTest
    @EnumSource
    void aWriteThatFailsAtAnyCallLeavesAWholeImageAndCanBeRepeated(Loss loss) throws IOException {
        for (int n = 1;; n++) {
            FailingStore store = new FailingStore(loss);
            ProcessImages images = new ProcessImages(store, () -> 0, Runnable::run);
            write(images, 1, old).orElseThrow();
            store.chunksWritten.clear();
            store.failsAt(n);
            boolean returned = tried(() -> write(images, 1, changed).orElseThrow());
            boolean failed = store.hasFailed();
            store.failsAt(0);
            List<String> now = read(images);
            assertThat(now).as("after call %d", n).isIn(ImageValues.described(old.all()), ImageValues.described(changed.all()));
            if (returned) {
                assertThat(now).isEqualTo(ImageValues.described(changed.all()));
            }
            Written again = write(images, n % 2 + 1, changed).orElseThrow(); // the same owner, or the next
            assertThat(read(images)).isEqualTo(ImageValues.described(changed.all()));
            assertThat(new ImageLeftovers(store).of("app")).isEmpty();
            if (!failed) {
                assertThat(n).as("calls of a write").isGreaterThan(7);
                assertThat(again.chunks()).isZero();
                return;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDeletionThatFailsAtAnyCallCanBeRepeated(Loss loss) throws IOException {
        for (int n = 1;; n++) {
            FailingStore store = new FailingStore(loss);
            ProcessImages images = new ProcessImages(store, () -> 0, Runnable::run);
            write(images, 1, old).orElseThrow();
            store.failsAt(n);
            boolean returned = tried(() -> assertThat(images.delete("app", "p", 1)).isTrue());
            boolean failed = store.hasFailed();
            store.failsAt(0);
            if (returned) {
                assertThat(images.find("app", "p")).isEmpty();
            } else if (images.find("app", "p").isPresent()) {
                assertThat(read(images)).isEqualTo(ImageValues.described(old.all()));
            }
            assertThat(images.delete("app", "p", 2)).isTrue();
            assertThat(images.find("app", "p")).isEmpty();
            assertThat(store.keys(ImageRows.TABLE, ImageRows.scope("app", "p"), "c/", null, 100)).isEmpty();
            if (!failed) {
                assertThat(n).isGreaterThan(4);
                return;
            }
        }
    }

    @Test
    void whatACrashLeftOfAFirstImageIsFoundAndGoes() throws IOException {
        FailingStore store = new FailingStore(Loss.BEFORE);
        ProcessImages images = new ProcessImages(store, () -> 0, Runnable::run);
        ImageLeftovers leftovers = new ImageLeftovers(store);
        store.failsAt(6);
        assertThat(tried(() -> write(images, 1, old))).isFalse();
        store.failsAt(0);
        assertThat(images.find("app", "p")).isEmpty();
        assertThat(images.list("app", null, 10)).isEmpty();
        assertThat(leftovers.of("app")).containsOnlyKeys("p");
        leftovers.delete("app", "p", leftovers.of("app").get("p") + 1);
        assertThat(leftovers.of("app")).as("at work on it since").containsOnlyKeys("p");
        leftovers.delete("app", "p", leftovers.of("app").get("p"));
        assertThat(leftovers.of("app")).isEmpty();
        assertThat(store.keys(ImageRows.TABLE, ImageRows.scope("app", "p"), "", null, 100)).isEmpty();
        store.chunksWritten.clear();
        write(images, 1, old).orElseThrow();
        images.delete("app", "p", 1);
        assertThat(leftovers.of("app")).as("the row that keeps late owners away").containsOnlyKeys("p");
        leftovers.delete("app", "p", leftovers.of("app").get("p"));
        assertThat(store.keys(ImageRows.TABLE, ImageRows.scope("app", "p"), "", null, 100)).isEmpty();
    }

    @Test
    void leftoversOfAnImageThatIsThereGoAndTheImageStays() throws IOException {
        FailingStore store = new FailingStore(Loss.BEFORE);
        ProcessImages images = new ProcessImages(store, () -> 0, Runnable::run);
        ImageLeftovers leftovers = new ImageLeftovers(store);
        write(images, 1, old).orElseThrow();
        assertThat(leftovers.of("app")).isEmpty();
        int all = store.keys(ImageRows.TABLE, ImageRows.scope("app", "p"), "c/", null, 100).size();
        store.failsAt(6);
        assertThat(tried(() -> write(images, 1, changed))).isFalse();
        store.failsAt(0);
        assertThat(leftovers.of("app")).containsOnlyKeys("p");
        leftovers.delete("app", "p", leftovers.of("app").get("p"));
        assertThat(leftovers.of("app")).isEmpty();
        assertThat(store.keys(ImageRows.TABLE, ImageRows.scope("app", "p"), "c/", null, 100)).hasSize(all);
        assertThat(read(images)).isEqualTo(ImageValues.described(old.all()));
    }

    private static Optional<Written> write(ProcessImages images, long epoch, ImageValues values) throws IOException {
        return images.write("app", "p", epoch, 1, true, new byte[3], values.all());
    }

    private static List<String> read(ProcessImages images) throws IOException {
        return ImageValues.read(images, "app", images.find("app", "p").orElseThrow());
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static boolean tried(Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (StoreException e) {
            assertThat(e.kind()).isEqualTo(Kind.AWAY);
            return false;
        } catch (IOException e) {
            return fail(e);
        }
    }
}
