package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessView;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.process.ProcessImage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A machine that loses its power does not come back with an image of what its journals have lost. */
class ImageBehindJournalTest {
    private static final ProcessImage IMAGE = new ProcessImage(7, new ProcessImage.About(1, 1, 0, 0, null, ProcessImage.Counts.NONE),
            Map.of("sum", Payload.json("1".getBytes(StandardCharsets.UTF_8))), Set.of(), List.of(), Map.of());
    private static final Action.WriteImage WRITE = new Action.WriteImage("shop", "p", ProcessPlace.first(0), 1, true, IMAGE,
            new ProcessView("shop", "p", "swapped", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), failure -> { });

    private final ProcessImages images = new ProcessImages(new MemoryStore(), () -> 1);

    private boolean isThere() {
        try {
            return new ProcessStore(images, null, null, () -> { }).read("shop", "p", true, new ArrayList<>()).image() != null;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nothingOfAnImageIsThereBeforeTheJournalsAreOnTheDisk() {
        List<Boolean> wasThere = new ArrayList<>();
        ProcessStore store = new ProcessStore(images, null, null, () -> wasThere.add(isThere()));
        assertThat(store.write(WRITE)).isNull();
        assertThat(wasThere).containsExactly(false);
        assertThat(isThere()).isTrue();
    }

    @Test
    void whereTheDiskDoesNotTakeThemNoImageIsWritten() {
        ProcessStore store = new ProcessStore(images, null, null, () -> {
            throw new BusException(Kind.BROKEN, "the disk is gone", null);
        });
        Failure failure = store.write(WRITE);
        assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(failure.cause()).contains("the disk is gone");
        assertThat(isThere()).isFalse();
    }
}
