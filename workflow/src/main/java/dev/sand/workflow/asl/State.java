package dev.sand.workflow.asl;

import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Template;
import java.time.Instant;
import java.util.List;

/** A state of a state machine, as defined. */
public sealed interface State {
    /** What every state has. */
    Common common();

    /**
     * @param name as defined
     * @param step the name as a part of step names: with the characters escaped that separate these
     * @param index of the state in its machine, from 0
     * @param next the state that follows, null when this one ends its machine
     */
    record Common(String name, String step, int index, Flow flow, String next) {}

    /**
     * @param grain that the resource names
     * @param timeoutSeconds 0: none
     * @param timeoutPath where the time-out is in the input, or null
     */
    record Task(Common common, String resource, String grain, long timeoutSeconds, Path timeoutPath, ErrorRules errors)
            implements State {}

    /** @param result null: the input is the result */
    record Pass(Common common, Template.Constant result) implements State {}

    /** @param otherwise the Default, or null */
    record Choice(Common common, List<Branch> branches, String otherwise) implements State {
        public record Branch(Rule rule, String next) {}
    }

    /** One of the four is set; {@code seconds} is -1 otherwise. */
    record Wait(Common common, long seconds, Path secondsPath, Instant timestamp, Path timestampPath) implements State {}

    record Parallel(Common common, List<StateMachine> branches, ErrorRules errors) implements State {}

    /**
     * Inline Map.
     *
     * @param itemsPath where the array is
     * @param itemSelector what an iteration gets, or null: the item
     * @param maxConcurrency 0: no limit
     */
    record Map(Common common, Path itemsPath, Template itemSelector, StateMachine processor, long maxConcurrency,
               Path maxConcurrencyPath, ErrorRules errors) implements State {}

    record Succeed(Common common) implements State {}

    /** Literal or computed, each; null when not given. */
    record Fail(Common common, String error, Expression errorPath, String cause, Expression causePath) implements State {}

    default String name() {
        return common().name();
    }

    default Flow flow() {
        return common().flow();
    }
}
