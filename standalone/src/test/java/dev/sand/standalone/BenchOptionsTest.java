package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.frontend.hosts.RoutingOptions;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchOptionsTest {
    @Test
    void without_its_properties_a_platform_backs_up_everything_and_asks_owners_directly() {
        BenchOptions options = BenchOptions.of(new Properties());
        assertThat(options).isEqualTo(new BenchOptions(Set.of(), false, true));
        assertThat(options.routing()).isEqualTo(RoutingOptions.DEFAULT);
        assertThat(options.journal(null)).isNull();
    }

    @Test
    void what_a_measurement_asks_for_is_read() {
        Properties properties = new Properties();
        properties.setProperty("sand.bench.unbacked", "a,b");
        properties.setProperty("sand.bench.bus-first", "true");
        properties.setProperty("sand.test.rehearsal", "off");
        BenchOptions options = BenchOptions.of(properties);
        assertThat(options).isEqualTo(new BenchOptions(Set.of("a", "b"), true, false));
        assertThat(options.routing().busFirst()).isTrue();
    }
}
