package dev.sand.standalone.observe;

import dev.sand.frontend.hosts.RoutingCounts;
import java.util.List;

/** How requests found their hosts, as metrics; of a platform without a cluster, all of them 0. */
public final class RoutingMetrics {
    private RoutingMetrics() {}

    public static void addTo(Metrics metrics, RoutingCounts counts) {
        metrics.add(() -> counts, RoutingMetrics::families);
    }

    static List<Family> families(RoutingCounts counts) {
        return List.of(
                Family.counter("sand_requests_resent", "Requests sent again under the same id.").add(counts.timesResent()),
                Family.counter("sand_requests_over_bus", "Requests put into the global bus: their slot had no owner in reach.")
                        .add(counts.timesOverBus()),
                Family.counter("sand_answers_refused", "Answers of hosts whose slot was another's by then.").add(counts.timesRefused()));
    }
}
