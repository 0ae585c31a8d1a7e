package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A run of a distributed Map, with what its fields gave.
 *
 * @param itemsPerBatch 0: no bound
 * @param bytesPerBatch of an iteration's whole input; 0: no bound
 * @param batchInput what every batch has beside its items, or null
 * @param toleratedCount of failed items; -1: not given
 * @param toleratedPercentage of failed items; -1: not given
 */
record MapRun(long itemsPerBatch, long bytesPerBatch, JsonNode batchInput, double toleratedCount, double toleratedPercentage) {
    static final String EXCEEDED = "The specified tolerated failure threshold was exceeded";

    boolean isBatched() {
        return itemsPerBatch > 0 || bytesPerBatch > 0;
    }

    /** Whether more items have failed than may. */
    boolean isExceededBy(long failed, long all) {
        if (toleratedCount < 0 && toleratedPercentage < 0) {
            return failed > 0;
        }
        return toleratedCount >= 0 && failed > toleratedCount
                || toleratedPercentage >= 0 && failed * 100.0 > toleratedPercentage * all;
    }
}
