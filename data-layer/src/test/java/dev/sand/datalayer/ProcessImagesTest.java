package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.ProcessImages.Listed;
import dev.sand.datalayer.ProcessImages.Written;
import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@ParameterizedClass
@EnumSource(StoreKind.class)
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
        images = new ProcessImages(store, () -> NOW);
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

    private Optional<Written> write(long epoch, long number, ImageValues values) throws IOException {
        return images.write("app", "p", epoch, number, true, HEAD, values.all());
    }
}
