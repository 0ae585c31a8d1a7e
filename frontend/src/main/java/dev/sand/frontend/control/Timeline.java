package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.invoke.ServerTiming.Breakdown;
import java.util.List;

/** Where an execution's time went: every attempt with its parts, in milliseconds from the first one's queueing. */
final class Timeline {
    private static final double NS_A_MS = 1e6;

    private Timeline() {}

    static ObjectNode of(InvocationRecord record) {
        List<Hop> hops = record.hops() == null ? List.of() : record.hops();
        long originNs = hops.stream().mapToLong(Hop::queuedNs).filter(ns -> ns != 0).min().orElse(0);
        ObjectNode timeline = Json.object().put("executionId", record.executionId()).put("status", record.status().name());
        ArrayNode shown = timeline.putArray("hops");
        hops.forEach(hop -> shown.add(hop(hop, originNs)));
        return timeline;
    }

    /** @param originNs 0: without the offset */
    static ObjectNode hop(Hop hop, long originNs) {
        Breakdown breakdown = Breakdown.of(hop);
        ObjectNode shown = Json.object().put("eventId", hop.eventId()).put("grain", hop.grain()).put("attempt", hop.attempt())
                .put("error", hop.error());
        if (originNs != 0 && hop.queuedNs() != 0) {
            shown.put("atMs", (hop.queuedNs() - originNs) / NS_A_MS);
        }
        return shown.put("queueMs", breakdown.queueNs() / NS_A_MS).put("dispatchMs", breakdown.dispatchNs() / NS_A_MS)
                .put("runMs", breakdown.runNs() / NS_A_MS).put("busMs", breakdown.busNs() / NS_A_MS)
                .put("cpuUs", hop.cpuUs()).put("peakMemoryBytes", hop.peakMemoryBytes());
    }
}
