package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;

/** What an expression can see: the data at hand, the context object, the workflow's variables, and the work it may do. */
public interface Environment {
    /** What {@code $} is; in JSONata, {@code $states.input}. */
    JsonNode input();

    /** That, as a cause shows it. */
    default String inputText() {
        return Template.shortText(input());
    }

    /** JSONata's {@code $states.result}, or null where there is none. */
    JsonNode result();

    /** JSONata's {@code $states.errorOutput}, or null where there is none. */
    JsonNode errorOutput();

    /**
     * What {@code $$} is.
     *
     * @param withInput whether the execution's input is to be in it: not asked for in vain, since it may have to be parsed
     */
    JsonNode context(boolean withInput);

    /** The value of a variable, or null when there is none of that name. */
    JsonNode variable(String name);

    /** What JSONata's {@code $now()} is, in epoch milliseconds. */
    long nowMs();

    /** What the state's expressions may still do. */
    QueryBudget budget();

    /** 64 bits that look random and are the same in a replay; other ones at each call. */
    long draw();
}
