package dev.sand.standalone.observe;

import dev.sand.frontend.Frontend;
import dev.sand.frontend.http.RequestCounts.Plane;
import java.util.List;
import java.util.Locale;

/** What a frontend has measured, as metrics. */
public final class FrontendMetrics {
    private FrontendMetrics() {}

    public static void addTo(Metrics metrics, Frontend frontend) {
        metrics.add(frontend::figures, FrontendMetrics::families);
    }

    static List<Family> families(Frontend.Figures figures) {
        Family requests = Family.counter("sand_frontend_requests", "HTTP requests that ended, by the class of their status.");
        for (Plane plane : Plane.values()) {
            long[] counts = figures.requests().ended()[plane.ordinal()];
            for (int status = 1; status < counts.length; status++) {
                requests.add(counts[status], "plane", plane.name().toLowerCase(Locale.ROOT), "status", status + "xx");
            }
        }
        return List.of(requests,
                Family.histogram("sand_frontend_request_seconds", "Invocations and routed requests, first byte to last.")
                        .add(figures.requests().invokeBuckets(), figures.requests().invokeNs()),
                Family.gauge("sand_frontend_in_flight", "Requests that wait for their answer.").add(figures.inFlight()),
                Family.gauge("sand_frontend_in_flight_limit", "So many may.").add(figures.inFlightLimit()));
    }
}
