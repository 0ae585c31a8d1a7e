package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.Placement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code placement:} of {@code sand.yaml}: the application's under the empty name, and those of grains that say their own. */
final class PlacementReader {
    static final String APPLICATION = "";

    private PlacementReader() {}

    static Map<String, Placement> read(JsonNode yaml, Collection<String> grains) {
        Map<String, Placement> placements = new TreeMap<>();
        put(placements, APPLICATION, yaml.path("placement"));
        for (String grain : grains) {
            JsonNode own = yaml.path("grains").path(grain).path("placement");
            put(placements, grain, own.isMissingNode() ? yaml.path("defaults").path("placement") : own);
        }
        return placements;
    }

    private static void put(Map<String, Placement> placements, String grain, JsonNode node) {
        if (!node.isMissingNode()) {
            placements.put(grain, new Placement(names(node.path("hosts")), names(node.path("labels"))));
        }
    }

    private static Set<String> names(JsonNode list) {
        Set<String> names = new TreeSet<>();
        list.forEach(name -> names.add(name.asText()));
        return names;
    }

    /** What fits no host that is there now: not wrong, since hosts come and go, but told to whoever deploys. */
    static List<String> unmet(Map<String, Placement> placements, List<HostStatus> hosts) {
        List<String> unmet = new ArrayList<>();
        placements.forEach((grain, placement) -> {
            boolean met = hosts.stream().anyMatch(host -> placement.allows(host.host(),
                    host.place() == null ? Set.of() : host.place().labels()));
            if (!met) {
                unmet.add((grain.equals(APPLICATION) ? "the application" : "grain " + grain) + " may run on no host that is there now: "
                        + "hosts " + (placement.hosts().isEmpty() ? "any" : placement.hosts()) + ", labels " + placement.labels());
            }
        });
        return unmet;
    }
}
