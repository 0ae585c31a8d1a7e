package dev.sand.hostagent.shard;

import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxRuntime;
import java.util.Map;
import java.util.function.Function;

/**
 * What performs a shard's actions on other threads.
 *
 * @param secrets of an application, by name
 */
record ShardAdapters(
        ApplicationSource applications,
        SandboxRuntime sandboxes,
        JournalAdapter journal,
        RecordAdapter records,
        ExpressionPool expressions,
        LargePayloads payloads,
        GrainData data,
        Function<String, Map<String, String>> secrets,
        Work work) {}
