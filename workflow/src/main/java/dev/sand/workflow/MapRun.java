package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Distribution.Writer;
import dev.sand.workflow.asl.Distribution.Writer.Transformation;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;

/**
 * A run of a distributed Map, with what its fields gave.
 *
 * @param isExpress whether an iteration that is redriven begins anew
 * @param reads the parameters of its ItemReader, or null
 * @param itemsPerBatch 0: no bound
 * @param bytesPerBatch of an iteration's whole input; 0: no bound
 * @param batchInput what every batch has beside its items, or null
 * @param toleratedCount of failed items; 0: no bound, as on AWS
 * @param toleratedPercentage of failed items; 0: no bound, as on AWS; with neither bound none may fail
 * @param writer what becomes of the results, or null
 * @param writes the parameters of its ResultWriter; null: results are not written
 * @param maxItems of an ItemReader; 0: no bound; below: a fault
 */
record MapRun(boolean isExpress, JsonNode reads, long itemsPerBatch, long bytesPerBatch, JsonNode batchInput, double toleratedCount,
              double toleratedPercentage, Writer writer, JsonNode writes, long maxItems) {
    static final String EXCEEDED = "The specified tolerated failure threshold was exceeded";

    boolean isBatched() {
        return itemsPerBatch > 0 || bytesPerBatch > 0;
    }

    Transformation transformation() {
        return writer == null ? Transformation.COMPACT : writer.transformation();
    }

    /** Of the items that are read. As on AWS, 0 is no bound, and what is computed may be beyond the largest. */
    long most() {
        return maxItems == 0 ? WorkflowLimits.MAX_ITEMS : Math.min(maxItems, WorkflowLimits.MAX_ITEMS);
    }

    void checkMaxItems() {
        if (maxItems < 0) {
            throw new StatesError(StatesError.ITEM_READER_FAILED, "field MaxItems must be positive");
        }
    }

    /** Whether more items have failed than may. @param all -1: not known yet, so that a share of them is not either */
    boolean isExceededBy(long failed, long all) {
        if (toleratedCount == 0 && toleratedPercentage == 0) {
            return failed > 0;
        }
        return toleratedCount > 0 && failed > toleratedCount
                || toleratedPercentage > 0 && all >= 0 && failed * 100.0 > toleratedPercentage * all;
    }
}
