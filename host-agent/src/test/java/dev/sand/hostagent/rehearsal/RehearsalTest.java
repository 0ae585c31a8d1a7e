package dev.sand.hostagent.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
    @Test
    void eachKindOfRequestIsAnsweredAndNothingIsLeft(@TempDir Path folder) {
        Path own = folder.resolve("rehearsal");
        assertThat(Rehearsal.play(own)).isGreaterThanOrEqualTo(4);
        assertThat(own).doesNotExist();
    }

    @Test
    void aRehearsalThatCannotBePlayedIsNoReasonNotToStart() {
        assertThat(Rehearsal.play(Path.of("/proc/none"))).isZero();
    }
}
