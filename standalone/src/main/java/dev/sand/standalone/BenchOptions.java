package dev.sand.standalone;

import dev.sand.frontend.hosts.RoutingOptions;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.PartialJournal;
import java.util.Properties;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code ./sand bench} switches to measure what a part costs, and tests to start many platforms. System properties and no options:
 * nobody runs a platform so.
 *
 * @param unbacked applications of which nothing is backed up: {@code -Dsand.bench.unbacked=A,B}
 * @param busFirst requests accepted for later go over the global bus: {@code -Dsand.bench.bus-first=true}
 * @param rehearses before it takes requests; a platform that lives for seconds has nothing of it: {@code -Dsand.test.rehearsal=off}
 */
record BenchOptions(Set<String> unbacked, boolean busFirst, boolean rehearses) {
    private static final Logger LOG = LoggerFactory.getLogger(BenchOptions.class);

    static BenchOptions of(Properties properties) {
        String unbacked = properties.getProperty("sand.bench.unbacked", "");
        return new BenchOptions(unbacked.isEmpty() ? Set.of() : Set.of(unbacked.split(",")),
                Boolean.parseBoolean(properties.getProperty("sand.bench.bus-first")), !"off".equals(properties.getProperty("sand.test.rehearsal")));
    }

    JournalAdapter journal(JournalAdapter whole) {
        if (unbacked.isEmpty()) {
            return whole;
        }
        LOG.warn("for a measurement: applications {} are not backed up, and what runs of them is lost with this process", unbacked);
        return new PartialJournal(whole, unbacked);
    }

    RoutingOptions routing() {
        if (!busFirst) {
            return RoutingOptions.DEFAULT;
        }
        LOG.warn("for a measurement: requests accepted for later go over the global bus, whoever can be reached");
        return RoutingOptions.DEFAULT.withBusFirst();
    }
}
