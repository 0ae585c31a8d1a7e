package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.StoredImages;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What others are told of a process while it is swapped out: nothing, until it is. */
class SwapStatusTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private Running watcher;

    SwapStatusTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm());
    }

    @BeforeEach
    void aWatcherSeesAnIdleOne() {
        watcher = running("q");
        finish(running("p"), write("a", "1"));
        shop.after(SPEC.idleMs() + 1);
        shop.writesImages = false;
        assertThat(status()).isEqualTo("idle");
        Answer.Listed now = (Answer.Listed) call(watcher, new ProcessCall.Processes(null, 0));
        ask(watcher, new ProcessCall.Processes(now.version(), 20_000));
    }

    private String status() {
        return ((ProcessView) command("p", Kind.DESCRIBE)).status();
    }

    private Action.WriteImage swap() {
        command("p", Kind.SWAP_OUT);
        Action.WriteImage write = shop.only(Action.WriteImage.class);
        assertThat(status()).as("as it was").isEqualTo("idle");
        deliver(shop.after(100));
        assertThat(told).as("nothing is another").isEmpty();
        return write;
    }

    @Test
    void whoWatchesIsToldOnceItIs() {
        Action.WriteImage write = swap();
        StoredImages.put(shop.images, "p", write.image());
        on(new Input.ImageWritten(write, null));
        deliver(shop.after(100));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Listed.class,
                listed -> assertThat(listed.statuses()).containsEntry("p", "swapped"));
    }

    @Test
    void whenItCannotBeItIsIdleStillAndNobodyIsToldAnything() {
        on(new Input.ImageWritten(swap(), Failure.platform("Sand.Unavailable", "the store is away", true)));
        deliver(shop.after(100));
        assertThat(status()).isEqualTo("idle");
        assertThat(told).isEmpty();
    }

    @Test
    void whoCameMeanwhileMakesItActive() {
        Action.WriteImage write = swap();
        invoke("p");
        on(new Input.ImageWritten(write, null));
        assertThat(status()).isEqualTo("active");
    }

    @Test
    void aStepThatIsRefusedMeanwhileNamesWhatItWas() {
        swap();
        assertThat(command("p", Kind.SWAP_IN)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.details()).containsEntry("state", "idle"));
    }
}
