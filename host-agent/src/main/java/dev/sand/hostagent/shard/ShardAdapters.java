package dev.sand.hostagent.shard;

import dev.sand.event.Tracing;
import dev.sand.hostagent.ApplicationSecrets;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostagent.control.ControlCalls;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxRuntime;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.hostagent.usage.UsageCounter;
import dev.sand.hostagent.work.RemoteWork;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What performs a shard's actions on other threads.
 *
 * @param secrets of an application, from memory: shards ask for them
 * @param capabilities of applications that may control the platform; @param control how they do
 * @param usage counts what grains use
 * @param shards gives an input to all of this host
 * @param withheld counts what the slots' fence holds back
 */
record ShardAdapters(
        ApplicationSource applications,
        SandboxRuntime sandboxes,
        JournalAdapter journal,
        RecordAdapter records,
        ExpressionPool expressions,
        LargePayloads payloads,
        GrainData data,
        GrainProcesses processes,
        Peers peers,
        ObjectWork objects,
        Function<String, ApplicationSecrets> secrets,
        SlotTable slots,
        RemoteWork remote,
        Questions questions,
        Work work,
        Tracing tracing,
        Withheld withheld,
        Capabilities capabilities,
        ControlCalls control,
        UsageCounter usage,
        Consumer<Input> shards) {}
