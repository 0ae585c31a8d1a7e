package dev.sand.workflow.asl;

import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Template;

/**
 * What a distributed Map has beyond an inline one. Each of its iterations is an execution of its own: with an input, variables and
 * an event history of its own, and it fails alone.
 *
 * @param batch how items are put together, or null: an item an iteration
 * @param toleratedCount how many items may fail, or null
 * @param toleratedPercentage how many of a hundred may fail, or null; with neither, none may
 */
public record Distribution(Batch batch, Amount toleratedCount, Amount toleratedPercentage) {
    /**
     * A number, literal or computed.
     *
     * @param field what gives it
     * @param from null: it is literal
     */
    public record Amount(String field, double literal, Expression from, long least, long most) {}

    /** At least one of the amounts is there. @param input what every batch has beside its items, or null */
    public record Batch(Template input, Amount items, Amount bytes) {}
}
