package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.BundleArchive.Folder;
import dev.sand.datalayer.GlobalStore.Step;
import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a crash leaves is found and goes, and what somebody names does not. */
@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class LeftoversTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long LATER = NOW + LeftoverMarks.AGE.toMillis();

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private GlobalStore store;

    @BeforeEach
    void open() {
        store = kind.open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void whatWasNobodysForLongEnoughIsALeftover() {
        LeftoverMarks marks = new LeftoverMarks(store);
        assertThat(marks.look("s", Map.of("a", 1L, "b", 1L, "c", 1L), NOW)).isEmpty();
        assertThat(marks.look("s", Map.of("a", 1L, "b", 2L), LATER - 1)).isEmpty();
        assertThat(new LeftoverMarks(store).look("s", Map.of("a", 1L, "b", 2L, "c", 1L), LATER))
                .as("another host goes on with it; b was touched, c was somebody's in between").containsExactly("a");
        assertThat(marks.look("other", Map.of("a", 1L), LATER)).isEmpty();
        assertThat(marks.look("s", Map.of("b", 2L, "c", 1L), 2 * LATER)).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void chunksThatNoEntryNamesAreFoundAndGoAndOthersStay() {
        byte[] large = new byte[2_500_000];
        new Random(1).nextBytes(large);
        store.put("t", "app", "named", large, GlobalStore.ANY);
        Set<String> before = Set.copyOf(unnamed());
        StoreException refused = catchThrowableOfType(StoreException.class, () ->
                store.transact("t", "app", List.of(Step.put("named", large, 1), Step.put("k", large, 7))));
        assertThat(refused.kind()).isEqualTo(Kind.CONFLICT); // its chunks are there, as after a crash before the entry was written
        List<String> left = unnamed().stream().filter(id -> !before.contains(id)).toList();
        assertThat(left).hasSize(kind == StoreKind.CASSANDRA ? 2 : 0);
        left.forEach(store::deleteUnnamed);
        assertThat(unnamed().stream().filter(left::contains)).isEmpty();
        assertThat(store.get("t", "app", "named").orElseThrow().value()).isEqualTo(large);
    }

    private List<String> unnamed() {
        return IntStream.range(0, GlobalStore.PARTS).boxed().flatMap(part -> store.unnamed(part).stream()).toList();
    }

    @Test
    void piecesThatNoObjectNamesAreFoundAndGoAndOthersStay() throws IOException {
        ObjectStore objects = new ObjectStore(store, "object", ObjectStore.MOST_BYTES);
        byte[] bytes = new byte[ObjectManifest.PIECE_BYTES + 1];
        new Random(2).nextBytes(bytes);
        objects.put("app", "k", "x", out -> out.write(bytes), GlobalStore.ANY);
        assertThat(objects.unnamed("app")).isEmpty();
        ObjectPieces.Writer crashed = new ObjectPieces(store, "object-pieces").new Writer("app", "l", ObjectStore.MOST_BYTES);
        crashed.write(bytes);
        crashed.manifest("x"); // and is never written
        Set<String> left = objects.unnamed("app");
        assertThat(left).hasSize(2);
        left.forEach(piece -> objects.deleteUnnamed("app", piece));
        assertThat(objects.unnamed("app")).isEmpty();
        assertThat(objects.read("app", "k", 0, bytes.length, GlobalStore.ANY).orElseThrow().bytes()).isEqualTo(bytes);
    }

    @Test
    void aBundleThatIsBuiltAgainWhileItIsCollectedStays() throws IOException {
        Files.writeString(folder.resolve("handler.py"), "");
        BundleArchive archive = new BundleArchive(store);
        archive.put(Folder.BUNDLE, "abc", folder);
        long seen = archive.version(Folder.BUNDLE, "abc");
        archive.put(Folder.BUNDLE, "abc", folder);
        assertThat(catchThrowableOfType(StoreException.class, () -> archive.delete(Folder.BUNDLE, "abc", seen)).kind())
                .isEqualTo(Kind.CONFLICT);
        assertThat(archive.fetch(Folder.BUNDLE, "abc", folder.resolve("to"))).isTrue();
        assertThat(archive.delete(Folder.BUNDLE, "abc", archive.version(Folder.BUNDLE, "abc"))).isTrue();
        assertThat(archive.has(Folder.BUNDLE, "abc")).isFalse();
    }
}
