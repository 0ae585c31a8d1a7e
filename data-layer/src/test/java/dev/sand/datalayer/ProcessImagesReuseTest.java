package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.ProcessImages.Written;
import dev.sand.datalayer.StoreException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Values that are nowhere but in the last image: the next one has them too, and one is read without the others. */
@Tag("slow")
@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class ProcessImagesReuseTest {
    private static final int LARGE = 2 * ImageCuts.CHUNK_BYTES + 77;

    @Parameter
    StoreKind kind;

    private GlobalStore store;
    private ProcessImages images;
    private final AtomicInteger chunksRead = new AtomicInteger();
    private final TreeMap<String, byte[]> values = new TreeMap<>();

    @BeforeEach
    void open() {
        store = kind.open();
        images = new ProcessImages(counting(store), () -> 1, Runnable::run);
    }

    private GlobalStore counting(GlobalStore real) {
        return (GlobalStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalStore.class}, (self, call, given) -> {
            if (call.getName().equals("get") && ((String) given[2]).startsWith("c/")) {
                chunksRead.incrementAndGet();
            }
            try {
                return call.invoke(real, given);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** One whose bytes nobody has. */
    private record Gone(String name, String contentType, long size) implements ProcessImages.Source {
        @Override
        public boolean isInImage() {
            return true;
        }

        @Override
        public void writeTo(OutputStream out) {
            throw new AssertionError("\"" + name + "\" is not here");
        }
    }

    private Written write(long number, Set<String> gone) throws IOException {
        List<ProcessImages.Source> sources = new ArrayList<>();
        values.forEach((name, bytes) -> {
            ImageValues.Value here = new ImageValues.Value(name, bytes);
            sources.add(gone.contains(name) ? new Gone(name, here.contentType(), here.size()) : here);
        });
        return images.write("app", "p", 1, number, false, new byte[0], sources).orElseThrow();
    }

    private Map<String, byte[]> read(Set<String> wanted) throws IOException {
        Map<String, byte[]> read = new HashMap<>();
        images.read("app", images.find("app", "p").orElseThrow(), part -> wanted.contains(part.name()), (part, bytes) -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            bytes.writeTo(out);
            read.put(part.name(), out.toByteArray());
        });
        return read;
    }

    private void assertIs() throws IOException {
        Map<String, byte[]> read = read(values.keySet());
        assertThat(read.keySet()).isEqualTo(values.keySet());
        values.forEach((name, bytes) -> assertThat(read.get(name)).as(name).isEqualTo(bytes));
        assertThat(new ImageLeftovers(store).of("app")).isEmpty();
    }

    @Test
    void aLargeValueIsTakenOverWithoutBeingReadOrWritten() throws IOException {
        values.put("a", ImageValues.random(LARGE, 1));
        values.put("b", ImageValues.random(300_000, 2));
        values.put("c", ImageValues.random(LARGE, 3));
        write(1, Set.of());
        values.put("b", ImageValues.random(400_000, 4));
        chunksRead.set(0);
        Written second = write(2, Set.of("a", "c"));
        assertThat(chunksRead).hasValue(0);
        assertThat(List.of(second.chunks(), second.chunksThere())).containsExactly(1, 6);
        values.remove("a");
        write(3, Set.of("b", "c"));
        assertIs();
    }

    @Test
    void ofSmallValuesOnlyTheChunksOfThoseThatChangedAreRead() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            values.put("s/" + i, ImageValues.random(500, i));
        }
        Written first = write(1, Set.of());
        values.put("s/1000", ImageValues.random(700, 7));
        Set<String> gone = new HashSet<>(values.keySet());
        gone.remove("s/1000");
        chunksRead.set(0);
        Written second = write(2, gone);
        assertThat(second.chunks()).as("of " + first.chunks()).isBetween(1, 5);
        assertThat(chunksRead.get()).as("and the list of values").isBetween(1, 6);
        assertIs();
    }

    @Test
    void oneValueIsReadWithoutTheOthers() throws IOException {
        values.put("a", ImageValues.random(LARGE, 1));
        values.put("b", new byte[0]);
        values.put("c", ImageValues.random(LARGE, 3));
        values.put("d", ImageValues.random(100, 4));
        values.put("e", ImageValues.random(200, 5));
        write(1, Set.of());
        for (String name : values.keySet()) {
            chunksRead.set(0);
            assertThat(read(Set.of(name)).get(name)).isEqualTo(values.get(name));
            assertThat(chunksRead.get()).isEqualTo(name.equals("b") ? 0 : values.get(name).length == LARGE ? 3 : 1);
        }
        assertThat(read(Set.of("x"))).isEmpty();
    }

    @Test
    void whateverIsGoneAndWhateverChangesNothingIsLost() throws IOException {
        for (long seed = 1; seed <= (kind == StoreKind.MEMORY ? 60 : 4); seed++) {
            Random dice = new Random(seed);
            values.clear();
            images.delete("app", "p", 1);
            Set<String> kept = new HashSet<>();
            for (int round = 1; round < 8; round++) {
                for (int i = dice.nextInt(40); i > 0; i--) {
                    String name = "v" + dice.nextInt(60);
                    kept.remove(name);
                    int size = switch (dice.nextInt(6)) {
                        case 0 -> dice.nextInt(3 * ImageCuts.CHUNK_BYTES / 2);
                        case 1 -> 0;
                        default -> dice.nextInt(40_000);
                    };
                    if (dice.nextInt(4) == 0) {
                        values.remove(name);
                    } else {
                        values.put(name, ImageValues.random(size, dice.nextLong()));
                    }
                }
                write(round, kept);
                assertIs();
                values.keySet().stream().filter(name -> dice.nextInt(3) > 0).forEach(kept::add);
            }
        }
    }

    @Test
    void whatTheLastImageDoesNotHaveIsNotTakenOverAndThatImageStays() throws IOException {
        values.put("a", ImageValues.random(300_000, 1));
        write(1, Set.of());
        Map<String, byte[]> before = Map.copyOf(values);
        values.put("b", new byte[10]);
        assertThat(catchThrowableOfType(StoreException.class, () -> write(2, Set.of("b")))).hasMessageContaining("\"b\" of 10 bytes")
                .extracting(StoreException::kind).isEqualTo(Kind.BROKEN);
        values.remove("b");
        values.put("a", new byte[10]);
        assertThat(catchThrowableOfType(StoreException.class, () -> write(2, Set.of("a"))).kind()).isEqualTo(Kind.BROKEN);
        values.putAll(before);
        assertIs();
    }

    @Test
    void aChunkThatIsLostIsNotNamedAgain() throws IOException {
        values.put("a", ImageValues.random(300_000, 1));
        write(1, Set.of());
        String scope = ImageRows.scope("app", "p");
        store.keys(ImageRows.TABLE, scope, "c/", null, 10).forEach(key -> store.delete(ImageRows.TABLE, scope, key, GlobalStore.ANY));
        assertThat(catchThrowableOfType(StoreException.class, () -> write(2, Set.of("a")))).hasMessageContaining("is not in the store")
                .extracting(StoreException::kind).isEqualTo(Kind.BROKEN);
    }
}
