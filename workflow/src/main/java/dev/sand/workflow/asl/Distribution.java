package dev.sand.workflow.asl;

import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.objects.ItemFormat;

/**
 * What a distributed Map has beyond an inline one. Each of its iterations is an execution of its own: with an input, variables and
 * an event history of its own, and it fails alone.
 *
 * @param isExpress whether an iteration that is redriven begins anew, as an Express execution does
 * @param label what its executions are named by, or null: the state's name
 * @param reader where the items come from, or null: from the state's input
 * @param writer what becomes of the results, or null: they are the state's
 * @param batch how items are put together, or null: an item an iteration
 * @param toleratedCount how many items may fail, or null
 * @param toleratedPercentage how many of a hundred may fail, or null; with neither, none may
 */
public record Distribution(boolean isExpress, String label, Reader reader, Writer writer, Batch batch, Amount toleratedCount, Amount toleratedPercentage) {
    /**
     * A number, literal or computed.
     *
     * @param field what gives it
     * @param from null: it is literal
     */
    public record Amount(String field, double literal, Expression from, long least, long most) {}

    /** At least one of the amounts is there. @param input what every batch has beside its items, or null */
    public record Batch(Template input, Amount items, Amount bytes) {}

    /**
     * @param needsBucket whether the resource has no objects without a bucket
     * @param parameters Bucket, Key and the like
     * @param format of the object; null: objects are listed, and are the items
     * @param maxItems or null
     */
    public record Reader(boolean needsBucket, Template parameters, ItemFormat format, Amount maxItems) {}

    /**
     * @param parameters Bucket and Prefix; null: results are not written but the state's
     * @param needsBucket whether the resource has no objects without a bucket
     */
    public record Writer(boolean needsBucket, Template parameters, Transformation transformation, boolean isLines) {
        /** Of the results: with what is known of their executions; as they are; those that are arrays taken apart. */
        public enum Transformation { NONE, COMPACT, FLATTEN }

        public boolean isExported() {
            return parameters != null;
        }
    }
}
