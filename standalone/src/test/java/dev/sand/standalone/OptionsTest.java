package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void what_is_not_said_has_a_default_that_is_shown() {
        Options options = Options.parse(new String[] {"--home", "/tmp/sand-x"}, Map.of());
        assertThat(options.host()).isEqualTo("127.0.0.1");
        assertThat(options.port()).isEqualTo(7263);
        assertThat(options.effective()).containsEntry("body-limit", 6 << 20).containsEntry("secrets", "none");
    }

    @Test
    void both_ways_to_write_an_option_mean_the_same() {
        assertThat(Options.parse(new String[] {"--home=/tmp/sand-x", "--pool=3", "--folder-deploy", "--listen=[::1]:0"}, Map.of()))
                .isEqualTo(Options.parse(new String[] {"--folder-deploy", "--home", "/tmp/sand-x", "--pool", "3", "--listen", "[::1]:0"},
                        Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--pool=17", "--pool=x", "--listen=7263", "--listen=host:99999", "--sandbox=jail", "--body-limit=lots",
        "--body-limit=2GiB", "--unknown=1", "--drain=soon", "loose"})
    void what_means_nothing_is_refused(String option) {
        assertThatThrownBy(() -> Options.parse(new String[] {"--home=/tmp/sand-x", option}, Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Options.parse(new String[0], Map.of())).hasMessageContaining("--home");
    }
}
