package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessView;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever is wrong with the store of images, also what nobody thought of: who waits is told, and all goes on when it is over. */
@Tag("slow")
class BrokenImagesTest {
    private TestPlatform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new TestPlatform();
        platform.deploy("shop", Map.of("work", "def handle(event, context):\n    return event\n"));
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private ProcessView done(Kind kind) throws Exception {
        return platform.agent.process(new ProcessCommand("shop", 1, "p", kind)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aProcessIsSwappedOutAndInAndKilledOnceTheStoreDoesSo() throws Exception {
        done(Kind.CREATE);
        platform.imageFault = new IllegalStateException("nobody thought of this");
        assertThatThrownBy(() -> done(Kind.SWAP_OUT)).hasMessageContaining("nobody thought of this");
        assertThat(done(Kind.DESCRIBE).status()).as("it stays").isNotEqualTo("swapped");
        platform.imageFault = null;
        assertThat(done(Kind.SWAP_OUT).status()).isEqualTo("swapped");
        platform.imageFault = new IllegalStateException("nor of this");
        assertThatThrownBy(() -> done(Kind.SWAP_IN)).hasMessageContaining("nor of this");
        assertThatThrownBy(() -> done(Kind.DESCRIBE)).hasMessageContaining("nor of this");
        platform.imageFault = null;
        assertThat(done(Kind.SWAP_IN).status()).isNotEqualTo("swapped");
        done(Kind.KILL);
        assertThatThrownBy(() -> done(Kind.DESCRIBE)).hasMessageContaining("p");
    }
}
