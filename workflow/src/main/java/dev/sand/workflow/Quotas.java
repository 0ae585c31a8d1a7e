package dev.sand.workflow;

import dev.sand.workflow.data.WorkflowLimits;

/**
 * What AWS allows an execution beyond the bounds of {@link WorkflowLimits}: {@code sand asl run} holds one to it, the platform does not.
 *
 * @param dataBytes what the data of a task, a state or an execution may have, see {@link DataLimit}
 * @param historyEvents how many events a history may have, the last of them that of its end
 */
public record Quotas(long dataBytes, long historyEvents) {
    /** Of an execution that is not held to them. */
    public static final Quotas NONE = new Quotas(Long.MAX_VALUE, Long.MAX_VALUE);
    public static final Quotas AWS = new Quotas(WorkflowLimits.AWS_DATA_BYTES, WorkflowLimits.AWS_HISTORY_EVENTS);
}
