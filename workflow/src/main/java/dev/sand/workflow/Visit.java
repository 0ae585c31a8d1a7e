package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Environment;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.QueryBudget;
import dev.sand.workflow.data.Timestamps;
import java.util.List;

/** One visit of a state: from its entry to the transition out of it, over all its attempts. */
final class Visit {
    final Scope scope;
    final State state;
    final Document input;
    final long enteredMs;
    /** The event of its entry in the execution's history. */
    final long enteredEvent;
    /** How often each retrier has retried, and all of them together; the array is made at the first retry. */
    private int[] retries;
    private int retryCount;
    /** The step that is waited for, or null. */
    String openStep;
    /** Of a Parallel or Map that runs, else null. */
    Join join;
    /** Of a Parallel or Map that failed or was abandoned: what a redrive goes on with; null: it begins anew. */
    Join left;

    /** Of a distributed Map: whether the run of its attempt has started. */
    boolean hasRun;

    /** Of a task that invokes a function, that of its attempt; else null. */
    Invocation.Kind invocation;

    /** Of a task that waits for its token, else null. */
    TokenWait token;

    /** What its variables were given at its end, or null. */
    ObjectNode assigned;

    private String attemptStep;
    private String firstStep;
    private long draws;
    /** Of a Map, while its ItemSelector is at one, else null: as on AWS, the states of an iteration do not see it. */
    private Scope.Item item;
    /** When it was entered, as the context object shows it; made when it is asked for. */
    private String enteredTime;

    Visit(Scope scope, State state, Document input, long enteredMs, long enteredEvent) {
        this.scope = scope;
        this.state = state;
        this.input = input;
        this.enteredMs = enteredMs;
        this.enteredEvent = enteredEvent;
    }

    /** A Map's own view of one of its iterations, for its ItemSelector. */
    static Visit ofItem(Scope iteration, Visit map) {
        Visit visit = new Visit(iteration, map.state, map.join.itemInput, map.enteredMs, map.enteredEvent);
        visit.attemptStep = map.join.step + "[" + iteration.index + "]";
        visit.enteredTime = map.enteredTime();
        visit.item = iteration.item();
        return visit;
    }

    /** The same visit once more: its attempts are counted anew. */
    Visit again() {
        Visit again = new Visit(scope, state, input, enteredMs, enteredEvent);
        again.firstStep = firstStep;
        return again;
    }

    /** Goes on with what is left: attempts are counted anew all the same. */
    Join goOn() {
        join = left;
        left = null;
        retries = null;
        retryCount = 0;
        return join;
    }

    /** Every attempt has a step of its own, so that a late signal of an earlier one is known. */
    void beginAttempt() {
        attemptStep = scope.newStep(state);
        if (firstStep == null) {
            firstStep = attemptStep;
        }
    }

    /** Of the first attempt: the same in all of them. */
    String firstStep() {
        attemptStep();
        return firstStep;
    }

    String attemptStep() {
        if (attemptStep == null) {
            beginAttempt();
        }
        return attemptStep;
    }

    long draw() {
        return Chance.draw(scope.info.executionId(), attemptStep(), draws++);
    }

    /** What this visit's expressions see, with {@code data} at hand. */
    Environment environment(Document data, PayloadSource source) {
        return environment(data, null, null, source);
    }

    /** @param result of the state's work, or null; @param error output of one that is caught, or null: JSONata can see these */
    Environment environment(Document data, Document result, Document error, PayloadSource source) {
        return new Environment() {
            @Override
            public JsonNode input() {
                return data.node(source);
            }

            /** Of the execution's input, as long as it is that, the text that came, as on AWS. */
            @Override
            public String inputText() {
                return data == scope.info.input() ? data.text(source) : Environment.super.inputText();
            }

            @Override
            public JsonNode result() {
                return result == null ? null : result.node(source);
            }

            @Override
            public JsonNode errorOutput() {
                return error == null ? null : error.node(source);
            }

            @Override
            public long nowMs() {
                return scope.info.clock().nowMs();
            }

            @Override
            public QueryBudget budget() {
                return scope.info.budget();
            }

            @Override
            public JsonNode context(boolean withInput) {
                return contextObject(withInput ? scope.info.input().node(source) : null);
            }

            @Override
            public JsonNode variable(String name) {
                return scope.variables.get(name);
            }

            @Override
            public long draw() {
                return Visit.this.draw();
            }
        };
    }

    private String enteredTime() {
        if (enteredTime == null) {
            enteredTime = Timestamps.format(enteredMs);
        }
        return enteredTime;
    }

    private JsonNode contextObject(JsonNode executionInput) {
        ObjectNode context = Json.NODES.objectNode();
        ObjectNode execution = context.putObject("Execution");
        execution.put("Id", scope.info.executionId());
        if (executionInput != null) {
            execution.set("Input", executionInput);
        }
        execution.put("StartTime", scope.info.start().toString());
        execution.put("Name", scope.info.executionId());
        execution.put("RoleArn", "sand:role:" + scope.info.application());
        Scope.Redrives redrives = scope.info.redrives();
        execution.put("RedriveCount", redrives.count);
        if (redrives.count > 0) {
            execution.put("RedriveTime", Timestamps.format(redrives.lastMs));
        }
        context.putObject("StateMachine").put("Id", scope.info.application() + "/" + scope.info.workflow())
                .put("Name", scope.info.workflow());
        ObjectNode shownState = context.putObject("State").put("Name", state.name()).put("EnteredTime", enteredTime());
        if (state instanceof State.Task || state instanceof State.Parallel || state instanceof State.Map) {
            shownState.put("RetryCount", retryCount);
        }
        if (state instanceof State.Task task && task.awaitsToken()) {
            context.putObject("Task").put("Token", scope.info.tokens().token(scope.info.application(),
                    scope.info.executionId(), attemptStep() + TokenWait.TOKEN));
        }
        if (item != null) {
            ObjectNode shown = context.putObject("Map").putObject("Item").put("Index", item.index());
            if (item.key() != null) {
                shown.put("Key", item.key());
            }
            shown.set("Value", item.value());
            if (item.source() != null) {
                shown.put("Source", item.source());
            }
        }
        return context;
    }

    int retriesBy(int retrier) {
        return retries == null ? 0 : retries[retrier];
    }

    /** Counts a retry of one of the state's retriers. @return how often it had retried before */
    int countRetry(int retrier, List<?> retriers) {
        if (retries == null) {
            retries = new int[retriers.size()];
        }
        retryCount++;
        return retries[retrier]++;
    }
}
