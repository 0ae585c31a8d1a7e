package dev.sand.event;

import java.util.Set;

/**
 * Where an application's grains, or one grain, may run: {@code placement} of sand.yaml. Empty sets say nothing.
 *
 * @param hosts ids of hosts; any of them
 * @param labels all of which a host must have
 */
public record Placement(Set<String> hosts, Set<String> labels) {
    public static final Placement ANYWHERE = new Placement(Set.of(), Set.of());

    public boolean allows(String host, Set<String> hostLabels) {
        return (hosts.isEmpty() || hosts.contains(host)) && hostLabels.containsAll(labels);
    }
}
