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
     * @param assign values for variables when the state is left, an object; or null
     * @param next the state that follows, null when this one ends its machine
     */
    record Common(String name, String step, int index, Flow flow, Template assign, String next) {}

    /**
     * @param grain that the resource names; null for a service
     * @param timeoutSeconds 0: none
     * @param timeout what gives the time-out, or null
     * @param service what is asked of the platform itself, and of no grain; or null
     * @param awaitsToken the state ends when its token is used, and not with the grain
     * @param heartbeatSeconds between signs of life of whoever has the token; 0: none
     * @param heartbeat what gives HeartbeatSeconds, or null; without a token it is only checked
     * @param credentials an object whose RoleArn the history shows, or null
     * @param required what its parameters must have, as the service that it names requires; empty where nothing is known
     */
    record Task(Common common, String resource, String grain, Service service, boolean awaitsToken, long timeoutSeconds, Expression timeout,
                long heartbeatSeconds, Expression heartbeat, Template credentials, List<String> required, ErrorRules errors) implements State {
        /** Whether it calls the function that the FunctionName of its parameters names, with their Payload. */
        public boolean invokesFunction() {
            return resource != null && Resources.invokesFunction(Resources.withoutToken(resource));
        }

        /** Whether a service only begins what it is waited for to end: an event more in the history. */
        public boolean isSubmitted() {
            return Resources.isSubmitted(resource);
        }

        /** @return the grain that a FunctionName names, or null */
        public static String function(String functionName) {
            return Resources.function(functionName);
        }
    }

    /** @param result null: the input is the result */
    record Pass(Common common, Template.Constant result) implements State {}

    /** @param otherwise the Default, or null: with the state's own Assign and Output */
    record Choice(Common common, List<Branch> branches, String otherwise) implements State {
        /** @param output what goes on, in JSONata, or null; @param assign values for variables, or null */
        public record Branch(Rule rule, Template output, Template assign, String next) {}
    }

    /** One of the four is set, literal or computed; {@code seconds} is -1 otherwise. */
    record Wait(Common common, long seconds, Expression secondsFrom, Instant timestamp, Expression timestampFrom) implements State {}

    record Parallel(Common common, List<StateMachine> branches, ErrorRules errors) implements State {}

    /**
     * @param itemsPath where the array is; null in JSONata
     * @param items what gives the array or object in JSONata; null: the input
     * @param itemSelector what an iteration gets, or null: the item
     * @param maxConcurrency 0: no limit
     * @param distribution null: an inline Map
     * @param isMisfit an inline Map has fields that are a distributed one's alone: it fails when it is entered
     */
    record Map(Common common, Path itemsPath, Template items, Template itemSelector, StateMachine processor, long maxConcurrency,
               Expression concurrency, Distribution distribution, boolean isMisfit, ErrorRules errors) implements State {}

    record Succeed(Common common) implements State {}

    /** Literal or computed, each; null when not given. */
    record Fail(Common common, String error, Expression errorFrom, String cause, Expression causeFrom) implements State {}

    default String name() {
        return common().name();
    }

    default Flow flow() {
        return common().flow();
    }
}
