package dev.sand.hostagent;

import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.log.LogConfiguration;
import dev.sand.localbus.BusConfiguration;
import java.time.Duration;
import java.util.Set;

/**
 * @param host this host's name
 * @param address host:port where others reach it, or null: in this process alone
 * @param labels that {@code placement} may name
 * @param shards event loops; an application belongs to one of them
 * @param core limits and times of each shard's logic
 * @param bus limits of connections
 * @param logs limits of output
 * @param stallLimit an input that holds a shard longer is counted
 * @param maxWork blocking tasks of all shards at once
 * @param maxBacklog records and journal entries not yet durable; beyond, requests are refused for a while
 * @param memoryReserve share of the host's memory, and of each limit of its own; when less is available, what is idle leaves
 * @param drainTimeout longest wait on stop for what runs
 */
public record HostAgentConfiguration(
        String host, String address, Set<String> labels, int shards, CoreConfiguration core, BusConfiguration bus, LogConfiguration logs, Duration stallLimit,
        int maxWork, long maxBacklog, double memoryReserve, Duration drainTimeout) {

    public HostAgentConfiguration {
        if (shards < 1 || shards > 64) {
            throw new IllegalArgumentException("shards: 1 to 64, not " + shards);
        }
    }

    /** One shard for every four cores: the rest is the grains'. */
    public static HostAgentConfiguration defaults(String host) {
        return new HostAgentConfiguration(host, null, Set.of(), Math.clamp(Runtime.getRuntime().availableProcessors() / 4, 1, 8),
                CoreConfiguration.DEFAULT, BusConfiguration.DEFAULT, LogConfiguration.DEFAULT, Duration.ofNanos(500_000),
                10_000, 20_000, 0.05, Duration.ofSeconds(20));
    }

    public HostAgentConfiguration withAddress(String value) {
        return new HostAgentConfiguration(host, value, labels, shards, core, bus, logs, stallLimit, maxWork, maxBacklog,
                memoryReserve, drainTimeout);
    }

    public HostAgentConfiguration withLabels(Set<String> value) {
        return new HostAgentConfiguration(host, address, Set.copyOf(value), shards, core, bus, logs, stallLimit, maxWork,
                maxBacklog, memoryReserve, drainTimeout);
    }

    public HostAgentConfiguration withShards(int value) {
        return new HostAgentConfiguration(host, address, labels, value, core, bus, logs, stallLimit, maxWork, maxBacklog, memoryReserve,
                drainTimeout);
    }

    public HostAgentConfiguration withCore(CoreConfiguration value) {
        return new HostAgentConfiguration(host, address, labels, shards, value, bus, logs, stallLimit, maxWork, maxBacklog, memoryReserve,
                drainTimeout);
    }

    public HostAgentConfiguration withDrainTimeout(Duration value) {
        return new HostAgentConfiguration(host, address, labels, shards, core, bus, logs, stallLimit, maxWork, maxBacklog, memoryReserve, value);
    }

    public HostAgentConfiguration withStallLimit(Duration value) {
        return new HostAgentConfiguration(host, address, labels, shards, core, bus, logs, value, maxWork, maxBacklog, memoryReserve,
                drainTimeout);
    }
}
