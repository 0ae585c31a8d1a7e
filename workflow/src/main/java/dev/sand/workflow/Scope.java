package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.QueryBudget;
import dev.sand.workflow.data.Timestamps;
import java.util.Set;
import java.util.function.Supplier;

/** One run of a state machine: the execution's own, a branch of a Parallel, or an iteration of a Map. */
final class Scope {
    /**
     * What the context object shows of the execution.
     *
     * @param start when it began
     * @param budget what the state at hand may still do
     * @param tokens for tasks that wait for a callback
     * @param history told of each event, or null
     * @param redrives how often it was redriven
     * @param quotas that it is held to
     */
    record Info(String executionId, String application, String workflow, Start start, Document input, Clock clock,
                QueryBudget budget, TaskTokens tokens, History history, Redrives redrives, Quotas quotas) {
        Info withInput(Document other) {
            return new Info(executionId, application, workflow, start, other, clock, budget, tokens, history, redrives, quotas);
        }
    }

    /** As the context object shows it; written when it is asked for, which is dear at first. */
    static final class Start {
        private final long startMs;
        private String text;

        Start(long startMs) {
            this.startMs = startMs;
        }

        @Override
        public String toString() {
            if (text == null) {
                text = Timestamps.format(startMs);
            }
            return text;
        }
    }

    /** The same for all of an execution. */
    static final class Redrives {
        int count;
        long lastMs;
    }

    /** The execution's time: that of its last signal. */
    interface Clock {
        long nowMs();
    }

    /** What the context object shows of an iteration. @param key of a member of an object, else null; @param source or null */
    record Item(int index, String key, JsonNode value, String source) {}

    /** The last event of a history. */
    private static final Set<String> ENDS = Set.of("ExecutionSucceeded", "ExecutionFailed", "ExecutionTimedOut", "ExecutionAborted");

    final Info info;
    final StateMachine machine;
    /** The join that this one's end is awaited by, and the place in it; null and 0 for the execution itself. */
    final Join join;
    final int index;
    /** When it began. */
    final long beganMs;
    final int beganRedrives;
    /** The visit of the state that it is in; null before the first. */
    Visit current;
    /** The state that it is to enter; null when it is in one. */
    Agenda.Ready.Enter following;
    /** Ended or abandoned: nothing that belongs to it counts any more. */
    boolean isClosed;

    final Variables variables;
    private final String prefix;
    private final Item item;
    private final int[] visits;
    private final Events events;
    /** What the next event follows. */
    private long lastEvent;

    /** Of an execution's history so far, counted as AWS counts them, since causes name them; the first one is the start. */
    private static final class Events {
        /** The iteration of a distributed Map whose history it is; empty: the execution's own. */
        private final String run;
        private long count = 1;
        /** How many it may have before that of its end. */
        private final long most;

        Events(String run, Quotas quotas) {
            this.run = run;
            this.most = quotas.historyEvents() - 1;
        }
    }

    private Scope(Info info, StateMachine machine, Join join, int index, String prefix, Item item, Variables variables, Events events) {
        this.info = info;
        this.machine = machine;
        this.join = join;
        this.index = index;
        this.prefix = prefix;
        this.item = item;
        this.variables = variables;
        this.events = events;
        this.beganMs = info.clock().nowMs();
        this.beganRedrives = info.redrives().count;
        this.visits = new int[machine.states().size()];
    }

    static Scope root(Info info, StateMachine machine) {
        return new Scope(info, machine, null, 0, "", null, Variables.root(), new Events("", info.quotas));
    }

    /** @param item of a Map's iteration, else null */
    static Scope below(Join join, int index, StateMachine machine, Item item) {
        Scope parent = join.visit.scope;
        Scope scope = new Scope(parent.info, machine, join, index, join.step + "[" + index + "]/", item, parent.variables.inner(), parent.events);
        scope.follows(parent);
        return scope;
    }

    /** An iteration of a distributed Map: an execution of its own. */
    static Scope execution(Join join, int index, StateMachine machine, Item item, Document input) {
        Scope parent = join.visit.scope;
        return new Scope(parent.info.withInput(input), machine, join, index, join.step + "[" + index + "]/", item,
                parent.variables.apart(), new Events(join.step + "[" + index + "]", parent.info.quotas));
    }

    /** @return the number of the event, which is one more in the history */
    long event(String type) {
        return event(type, null);
    }

    /** @param details made only where the history is read; null: the event has none */
    long event(String type, Supplier<ObjectNode> details) {
        return lastEvent = aside(type, details);
    }

    /** As {@link #event}; what comes next follows the one before it, as on AWS. @throws HistoryFull when only that of the end may follow */
    long aside(String type, Supplier<ObjectNode> details) {
        if (events.count >= events.most && !ENDS.contains(type)) {
            throw new HistoryFull(execution(), info.quotas.historyEvents());
        }
        long id = ++events.count;
        if (info.history != null) {
            info.history.add(events.run, id, lastEvent, info.clock.nowMs(), type, History.details(type), details == null ? null : details.get());
        }
        return id;
    }

    /** The one whose history this one's events are in. */
    private Scope execution() {
        Scope scope = this;
        while (scope.join != null && scope.join.visit.scope.events == events) {
            scope = scope.join.visit.scope;
        }
        return scope;
    }

    long lastEvent() {
        return lastEvent;
    }

    /** The next event of this scope follows the one of that number. */
    void follows(long id) {
        lastEvent = id;
    }

    /** The first one, which is counted from the beginning. */
    void started() {
        if (info.history != null) {
            ObjectNode details = History.value(Json.NODES.objectNode(), "input", info.input);
            info.history.add(events.run, 1, 0, info.clock.nowMs(), "ExecutionStarted", History.details("ExecutionStarted"), details);
        }
    }

    /** Events of this scope follow those of the other. */
    void follows(Scope other) {
        lastEvent = other.lastEvent;
    }

    /** It has ended. */
    void close() {
        isClosed = true;
        variables.drop();
    }

    /** It has failed or is abandoned; a redrive may open it again. */
    void suspend() {
        isClosed = true;
        variables.suspend();
    }

    void reopen() {
        isClosed = false;
        variables.reopen();
        if (join.run == null) {
            follows(join.visit.scope);
        }
    }

    /** It is open again, and begins anew. */
    void restart() {
        variables.suspend();
        variables.forget();
        current = null;
    }

    /** "Tag", "Tag#2", …: a step that this execution has not had yet. */
    String newStep(State state) {
        int count = ++visits[state.common().index()];
        String path = prefix.isEmpty() ? state.common().step() : prefix + state.common().step();
        return count == 1 ? path : path + "#" + count;
    }

    /** Of an iteration, else null. */
    Item item() {
        return item;
    }
}
