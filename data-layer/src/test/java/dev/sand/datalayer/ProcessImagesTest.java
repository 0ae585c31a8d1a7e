package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.ProcessImages.Listed;
import dev.sand.datalayer.ProcessImages.Written;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ProcessPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class ProcessImagesTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final byte[] HEAD = "{\"mailbox\": 3}".getBytes(StandardCharsets.UTF_8);
    private static final int LARGE = 3 * ImageCuts.CHUNK_BYTES;

    @Parameter
    StoreKind kind;

    private GlobalStore store;
    private ProcessImages images;

    @BeforeEach
    void open() {
        store = kind.open();
        images = new ProcessImages(store, () -> NOW, Runnable::run);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aProcessIsReadBackAsItWasWritten() throws IOException {
        ImageValues values = new ImageValues().put("state/model", ImageValues.random(2 * ImageCuts.CHUNK_BYTES + 77, 1))
                .put("state/zeros", new byte[LARGE]).put("state/empty", new byte[0]).put("mail/a", new byte[] {1, 2, 3});
        assertThat(images.find("app", "p")).isEmpty();
        Written written = write(7, 41, values).orElseThrow();
        assertThat(written.chunks()).as("those of zeros are one").isEqualTo(3 + 1 + 1);
        ProcessImage image = images.find("app", "p").orElseThrow();
        assertThat(image).usingRecursiveComparison().isEqualTo(written.image());
        assertThat(image.head()).isEqualTo(HEAD);
        assertThat(List.of(image.epoch(), image.number(), image.writtenMs(), image.bytes()))
                .containsExactly(7L, 41L, NOW, 5L * ImageCuts.CHUNK_BYTES + 77 + 3);
        assertThat(image.storedBytes()).isBetween(2L * ImageCuts.CHUNK_BYTES, 2L * ImageCuts.CHUNK_BYTES + 10_000);
        assertThat(ImageValues.read(images, "app", image)).isEqualTo(ImageValues.described(values.all()));
        assertThat(images.find("app", "q")).isEmpty();
        assertThat(images.find("other", "p")).isEmpty();
    }

    @Test
    void onlyWhatChangedIsWrittenAgain() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(LARGE, 1)).put("b", ImageValues.random(LARGE, 2));
        for (int i = 0; i < 1000; i++) {
            values.put("small/" + i, ImageValues.random(500, i));
        }
        write(1, 1, values).orElseThrow();
        Written same = write(1, 2, values).orElseThrow();
        assertThat(same.chunks()).isZero();
        byte[] changed = ImageValues.random(LARGE, 2);
        changed[LARGE / 2]++;
        Written one = write(1, 3, values.put("b", changed)).orElseThrow();
        assertThat(one.chunks()).as("a chunk of its three, and what says so").isEqualTo(2);
        assertThat(one.bytes()).isLessThan(ImageCuts.CHUNK_BYTES + 200_000);
        Written small = write(2, 4, values.put("small/500", new byte[500])).orElseThrow();
        assertThat(small.bytes()).isLessThan(700_000);
        Written fewer = write(2, 5, values.remove("small/300").put("small/1001", new byte[5])).orElseThrow();
        assertThat(fewer.bytes()).as("cuts fall where they did").isLessThan(1_200_000);
        assertThat(fewer.image().chunks()).as("those of the earlier owner are named").anyMatch(chunk -> chunk.epoch() == 1)
                .anyMatch(chunk -> chunk.epoch() == 2);
        assertIs(values);
        assertNothingIsUnnamed();
    }

    @Test
    void anEmptyProcessAndALargeHeadAreKept() throws IOException {
        write(1, 0, new ImageValues()).orElseThrow();
        assertIs(new ImageValues());
        byte[] head = ImageValues.random(1 << 20, 9);
        images.write("app", "p", 1, 1, false, head, List.of()).orElseThrow();
        ProcessImage image = images.find("app", "p").orElseThrow();
        assertThat(image.head()).isEqualTo(head);
        assertThat(image.swapped()).isFalse();
        assertThat(images.list("app", null, 10).getFirst().head()).isEqualTo(head);
        write(1, 2, new ImageValues()).orElseThrow();
        assertNothingIsUnnamed();
    }

    @Test
    void tenThousandSmallValuesComeBackInOrder() throws IOException {
        ImageValues values = new ImageValues();
        for (int i = 0; i < 10_000; i++) {
            values.put("state/" + i, ("value " + i).repeat(i % 20).getBytes(StandardCharsets.UTF_8));
        }
        write(1, 1, values).orElseThrow();
        assertIs(values);
    }

    @Test
    void namesMayBeAnyText() throws IOException {
        ImageValues values = new ImageValues();
        for (String name : List.of("", " ", "/", "..", "\0", "a\nb", "é", "e\u0301", "\uD83D\uDE00", "%_'\";--", "\uFFFF", "x".repeat(1024))) {
            values.put(name, name.getBytes(StandardCharsets.UTF_8));
        }
        write(1, 1, values).orElseThrow();
        assertIs(values);
        for (String bad : List.of("\uD83D", "a\uDE00", "x".repeat(ProcessImages.MOST_NAME_BYTES + 1))) {
            assertThat(catchThrowableOfType(StoreException.class, () -> write(1, 2, new ImageValues().put(bad, new byte[1]))).kind())
                    .isEqualTo(Kind.BAD_VALUE);
        }
        assertThat(catchThrowableOfType(StoreException.class, () -> images.write("app", "p", 1, 2, true, HEAD,
                List.of(new ImageValues.Value("a", "x", new byte[0], -1)))).kind()).isEqualTo(Kind.BAD_VALUE);
        for (String bad : List.of("", "a/b", "é", "x".repeat(129))) {
            assertThat(catchThrowableOfType(StoreException.class, () -> images.find("app", bad)).kind()).isEqualTo(Kind.BAD_VALUE);
        }
        assertIs(values);
    }

    @Test
    void aLateOwnerNeitherWritesNorDeletes() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(LARGE, 1));
        write(5, 1, values).orElseThrow();
        write(6, 2, values).orElseThrow();
        assertThat(write(5, 3, new ImageValues().put("a", new byte[1]))).isEmpty();
        assertThat(images.delete("app", "p", 5)).isFalse();
        assertIs(values);
        assertThat(images.delete("app", "p", 6)).isTrue();
        assertThat(images.find("app", "p")).isEmpty();
        assertThat(write(5, 4, values)).as("neither does it bring back what is deleted").isEmpty();
        assertThat(images.delete("app", "p", 6)).as("again").isTrue();
        assertThat(chunkKeys()).isEmpty();
        write(6, 5, values).orElseThrow();
        assertIs(values);
    }

    @Test
    void whoHasClaimedIsNotOvertakenByAnEarlierOwner() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(1000, 1));
        assertThat(images.claim("app", "p", 2)).isTrue();
        assertThat(write(1, 1, values)).as("its first image").isEmpty();
        assertThat(images.find("app", "p")).isEmpty();
        write(2, 2, values).orElseThrow();
        assertThat(images.claim("app", "p", 3)).isTrue();
        assertIs(values);
        assertThat(write(2, 3, new ImageValues())).isEmpty();
        assertThat(images.claim("app", "p", 2)).isFalse();
        assertIs(values);
    }

    @Test
    void oneThatIsMovedIsAnothersFromThenOn() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(1000, 1));
        write(9, 1, values).orElseThrow();
        ProcessPlace there = new ProcessPlace(3, 1);
        assertThat(images.move("app", "p", 8, 2, there)).as("by who owned it before").isFalse();
        assertThat(images.move("app", "p", 9, 2, there)).isTrue();
        assertThat(images.move("app", "p", 9, 2, there)).as("again").isTrue();
        assertThat(images.look("app", "p").place()).isEqualTo(there);
        assertThat(images.look("app", "p").image().number()).isEqualTo(2);
        assertThat(images.list("app", null, 10).getFirst().place()).isEqualTo(there);
        assertIs(values);
        assertThat(write(10, 3, new ImageValues())).as("by the next owner of where it was").isEmpty();
        assertThat(images.delete("app", "p", 10)).isFalse();
        assertIs(values);
        ImageValues others = new ImageValues().put("b", ImageValues.random(1000, 2));
        assertThat(images.write("app", "p", there, there.fence(1), 3, true, HEAD, others.all())).as("by who owns it there").isPresent();
        assertIs(others);
        ProcessPlace back = new ProcessPlace(0, 2);
        assertThat(images.move("app", "p", there.fence(1), 4, back)).isTrue();
        assertThat(images.move("app", "p", 10, 2, there)).as("long ago").isTrue();
        assertThat(images.look("app", "p").place()).isEqualTo(back);
        assertThat(images.delete("app", "p", back, back.fence(11))).isTrue();
        assertThat(images.look("app", "p").place()).as("its fence is to be told from it").isEqualTo(back);
        assertThat(images.look("app", "p").image()).isNull();
        assertThat(images.move("app", "p", back.fence(11), 5, new ProcessPlace(4, 3))).isTrue();
        assertThat(images.look("app", "p").place()).as("nothing is there to be moved").isEqualTo(back);
    }

    @Test
    void aDamagedChunkIsNoticed() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(2000, 1)).put("b", new byte[300_000]);
        ProcessImage image = write(1, 1, values).orElseThrow().image();
        for (String key : chunkKeys()) {
            byte[] bytes = store.get(ImageRows.TABLE, scope(), key).orElseThrow().value();
            for (byte[] damaged : List.of(new byte[0], new byte[bytes.length], new byte[300_000])) {
                store.put(ImageRows.TABLE, scope(), key, damaged, GlobalStore.ANY);
                boolean zeros = damaged.length == 300_000 && image.chunks().get(1).stored() < 300_000 && key.contains(image.chunks().get(1).hash());
                if (!zeros) { // which are what was stored
                    assertThat(catchThrowableOfType(StoreException.class, () -> ImageValues.read(images, "app", image)))
                            .hasMessageContaining("process \"p\" is damaged").hasMessageContaining("does not have the hash")
                            .extracting(StoreException::kind).isEqualTo(Kind.BROKEN);
                }
            }
            store.delete(ImageRows.TABLE, scope(), key, GlobalStore.ANY);
            assertThatThrownBy(() -> ImageValues.read(images, "app", image)).hasMessageContaining("is not in the store");
            store.put(ImageRows.TABLE, scope(), key, bytes, GlobalStore.ANY);
        }
        assertIs(values);
    }

    @Test
    void aDamagedManifestIsNoticedAndReplaced() throws IOException {
        ImageValues values = new ImageValues().put("a", ImageValues.random(2000, 1));
        write(1, 1, values).orElseThrow();
        byte[] row = store.get(ImageRows.TABLE, scope(), "i/p").orElseThrow().value();
        for (int i = 17; i < row.length; i += 13) { // behind the stamp, which says nothing of the image
            byte[] damaged = i % 2 == 0 ? Arrays.copyOf(row, i) : row.clone();
            damaged[i - 1] ^= 0x40;
            damaged[damaged.length - 1] ^= 0x40;
            store.put(ImageRows.TABLE, scope(), "i/p", damaged, GlobalStore.ANY);
            assertThat(catchThrowableOfType(StoreException.class, () -> images.find("app", "p")).kind()).isEqualTo(Kind.BROKEN);
        }
        write(1, 2, values).orElseThrow();
        assertIs(values);
        store.put(ImageRows.TABLE, scope(), "i/p", new byte[] {9, 1, 2}, GlobalStore.ANY);
        assertThatThrownBy(() -> write(1, 3, values)).hasMessageContaining("schema 9");
    }

    @Test
    void whoReadsAnImageThatIsReplacedIsToldSo() throws IOException {
        ProcessImage old = write(1, 1, new ImageValues().put("a", ImageValues.random(LARGE, 1))).orElseThrow().image();
        write(1, 2, new ImageValues().put("a", ImageValues.random(LARGE, 2))).orElseThrow();
        assertThat(catchThrowableOfType(StoreException.class, () -> ImageValues.read(images, "app", old)).kind()).isEqualTo(Kind.CONFLICT);
    }

    @Test
    void imagesAreListedById() throws IOException {
        for (int i = 0; i < 30; i++) {
            images.write("app", "p" + i, 1, i, true, HEAD, new ImageValues().put("a", new byte[i]).all()).orElseThrow();
        }
        images.write("app2", "p", 1, 1, true, HEAD, List.of()).orElseThrow();
        images.delete("app", "p7", 1);
        List<String> expected = IntStream.range(0, 30).filter(i -> i != 7).mapToObj(i -> "p" + i).sorted().toList();
        assertThat(images.list("app", null, 100)).extracting(Listed::process).isEqualTo(expected);
        assertThat(images.list("app", "p6", 2)).extracting(Listed::process).containsExactly("p8", "p9");
        assertThat(images.list("app", "p9", 2)).isEmpty();
        Listed listed = images.list("app", "p28", 1).getFirst();
        assertThat(listed).usingRecursiveComparison().isEqualTo(new Listed("p29", 1, 29, HEAD, 1, 29, listed.storedBytes(), NOW, true, null));
        ProcessImages.deleteApplication(store, "app");
        assertThat(images.list("app", null, 100)).isEmpty();
        assertThat(images.list("app2", null, 100)).hasSize(1);
    }

    @Test
    void aValueThatIsNotAsLongAsItSaysIsRefused() throws IOException {
        ImageValues values = new ImageValues().put("a", new byte[10]);
        write(1, 1, values).orElseThrow();
        for (int wrong : List.of(9, 11)) {
            ProcessImages.Source lying = new ImageValues.Value("lying", "x", new byte[10], wrong);
            assertThatThrownBy(() -> images.write("app", "p", 1, 2, true, HEAD, List.of(lying))).hasMessageContaining("\"lying\"");
        }
        assertIs(values);
    }

    private Optional<Written> write(long epoch, long number, ImageValues values) throws IOException {
        return images.write("app", "p", epoch, number, true, HEAD, values.all());
    }

    private void assertIs(ImageValues values) throws IOException {
        assertThat(ImageValues.read(images, "app", images.find("app", "p").orElseThrow())).isEqualTo(ImageValues.described(values.all()));
    }

    private static String scope() {
        return ImageRows.scope("app", "p");
    }

    private List<String> chunkKeys() {
        return store.keys(ImageRows.TABLE, scope(), "c/", null, Integer.MAX_VALUE);
    }

    private void assertNothingIsUnnamed() {
        assertThat(new ImageLeftovers(store).of("app")).isEmpty();
    }
}
