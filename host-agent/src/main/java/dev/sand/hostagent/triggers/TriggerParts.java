package dev.sand.hostagent.triggers;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.HostAgentPort;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Queues;
import java.util.function.LongSupplier;

/**
 * What triggers work with; all of it is the giver's to close.
 *
 * @param host this host, which owns what is in its slots
 * @param clockMs the time that all hosts agree on: a schedule that moves to another host neither pauses nor fires twice
 */
public record TriggerParts(HostAgentPort host, Registry registry, InvocationStore records, GlobalBus bus, Queues queues,
                           TriggerStore store, SharedData data, Ownership ownership, LongSupplier clockMs) {}
