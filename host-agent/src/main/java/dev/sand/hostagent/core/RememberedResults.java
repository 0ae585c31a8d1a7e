package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Results of executions that ended here lately, for the same id given again; bounded in count and bytes. One counts only
 * while its slot is ours under the same epoch: meanwhile another host may have answered differently.
 */
final class RememberedResults {
    /**
     * @param result null: only its record has it. A large output's memory is kept for a few seconds, and is another's then
     * @param isKept the bus or its record has it too, or is about to
     */
    record Entry(InvocationResult result, boolean isKept, long epoch, long endedNs) {
        private long bytes() {
            return result == null || result.output() == null || result.output().bytes() == null ? 0 : result.output().bytes().length;
        }
    }

    private final CoreContext context;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private long bytes;

    RememberedResults(CoreContext context) {
        this.context = context;
    }

    Entry get(String executionId, int slot) {
        Entry entry = entries.get(executionId);
        return entry != null && context.mayAct(slot, entry.epoch) ? entry : null;
    }

    /** @param result null: it ended under an earlier owner */
    void add(String executionId, InvocationResult result, boolean isKept, long epoch) {
        Entry entry = new Entry(result, isKept, epoch, context.nowNs);
        Entry replaced = entries.put(executionId, entry);
        bytes += entry.bytes() - (replaced == null ? 0 : replaced.bytes());
        CoreConfiguration limits = context.configuration;
        while (entries.size() > limits.rememberedResults() || bytes > limits.rememberedBytes()) {
            var oldest = entries.entrySet().iterator();
            bytes -= oldest.next().getValue().bytes();
            oldest.remove();
        }
    }
}
