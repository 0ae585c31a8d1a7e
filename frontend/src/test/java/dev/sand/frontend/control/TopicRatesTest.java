package dev.sand.frontend.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.frontend.control.TopicRates.Level;
import dev.sand.frontend.control.TopicRates.Rate;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicRatesTest {
    private static final long SECOND_NS = 1_000_000_000;
    private long nowNs = -7 * SECOND_NS;
    private final TopicRates rates = new TopicRates(null, () -> nowNs);

    private void look(int afterSeconds, Map<String, Level> levels) {
        nowNs += afterSeconds * SECOND_NS;
        rates.onLevels(levels, nowNs);
    }

    private Rate later(int seconds, long came, long gone) {
        nowNs += seconds * SECOND_NS;
        return rates.of("t", new Level(came, gone));
    }

    @Test
    void nothing_is_known_until_it_was_looked_at_for_a_while() {
        assertThat(later(0, 5, 0)).isNull();
        look(0, Map.of("t", new Level(100, 50)));
        assertThat(later(1, 500, 50)).isNull();
        assertThat(later(1, 110, 54)).isEqualTo(new Rate(5, 2));
    }

    @Test
    void a_rate_is_of_the_last_ten_to_fifteen_seconds() {
        look(0, Map.of("t", new Level(0, 0)));
        for (int i = 0; i < 20; i++) {
            look(5, Map.of("t", new Level(1000, 1000)));
        }
        assertThat(later(0, 1000, 1000)).as("it is long ago").isEqualTo(new Rate(0, 0));
        look(5, Map.of("t", new Level(1050, 1030)));
        assertThat(later(0, 1050, 1030)).isEqualTo(new Rate(5, 3));
        assertThat(later(4, 1070, 1042)).isEqualTo(new Rate(5, 3));
    }

    @Test
    void a_topic_that_is_new_or_was_made_again_had_nothing_before() {
        look(0, Map.of("t", new Level(1000, 900), "u", new Level(3, 3)));
        assertThat(later(10, 20, 10)).isEqualTo(new Rate(2, 1));
        assertThat(rates.of("v", new Level(30, 0))).isEqualTo(new Rate(3, 0));
    }
}
