package dev.sand.standalone.observe;

import dev.sand.hostagent.dataplane.DataPlaneFigures;
import java.util.List;

/** What has passed over a host's data plane, as metrics. */
public final class DataPlaneMetrics {
    private static final double MS = 1e-3;

    private DataPlaneMetrics() {}

    public static void addTo(Metrics metrics, DataPlaneFigures figures) {
        metrics.add(() -> figures, DataPlaneMetrics::families);
    }

    static List<Family> families(DataPlaneFigures figures) {
        Family connections = Family.gauge("sand_data_plane_connections", "Open connections of clients to cloud processes.");
        Family refused = Family.counter("sand_data_plane_refused", "Connections that were turned away, or ended for what they sent.");
        Family invocations = Family.counter("sand_data_plane_invocations", "Invocations over the data plane that have ended.");
        Family time = Family.counter("sand_data_plane_invocation_seconds", "From their arrival to their end, summed up.");
        Family bytes = Family.counter("sand_data_plane_bytes", "Bytes of their inputs and outputs.");
        refused.add(figures.refused());
        for (DataPlaneFigures.Reading one : figures.read()) {
            String application = one.application();
            connections.add(one.connections(), "application", application);
            invocations.add(one.invocations() - one.failed(), "application", application, "outcome", "succeeded");
            invocations.add(one.failed(), "application", application, "outcome", "failed");
            time.add(one.ms() * MS, "application", application);
            bytes.add(one.bytesIn(), "application", application, "direction", "in");
            bytes.add(one.bytesOut(), "application", application, "direction", "out");
        }
        return List.of(connections, refused, invocations, time, bytes);
    }
}
