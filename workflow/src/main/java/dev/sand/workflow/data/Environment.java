package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;

/** What an expression can see: the data at hand, the context object, the workflow's variables. */
public interface Environment {
    /** What {@code $} is. */
    JsonNode input();

    /**
     * What {@code $$} is.
     *
     * @param withInput whether the execution's input is to be in it: not asked for in vain, since it may have to be parsed
     */
    JsonNode context(boolean withInput);

    /** The value of a variable, or null when there is none of that name. */
    JsonNode variable(String name);

    /** 64 bits that look random and are the same in a replay; other ones at each call. */
    long draw();
}
