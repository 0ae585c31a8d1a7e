package dev.sand.workflow;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document.PayloadSource;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes the execution of a target, and keeps the definitions that it has read. For all threads of a host. */
public final class Executions {
    /** Definitions kept; the least recently used one goes first. */
    private static final int KEPT = 256;

    private record Key(String application, int version, String workflow) {}

    private final ReferencedValues values;
    private final TaskTokens tokens;
    private final Map<Key, StateMachine> machines = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, StateMachine> eldest) {
            return size() > KEPT;
        }
    });

    /** The bytes of values that travel by reference, for paths that look into them; asked only in signals that are heavy. */
    @FunctionalInterface
    public interface ReferencedValues {
        /** @throws dev.sand.workflow.data.StatesError when they cannot be had */
        byte[] bytes(String application, String executionId, Payload payload);
    }

    /** Values that travel by reference cannot be looked into. */
    public Executions() {
        this((application, executionId, payload) -> PayloadSource.NONE.bytes(payload), TaskTokens.ofTrial());
    }

    /** @param tokens for tasks that wait for a callback */
    public Executions(ReferencedValues values, TaskTokens tokens) {
        this.values = values;
        this.tokens = tokens;
    }

    /**
     * @param target a grain or a workflow of the version
     * @param executionId seeds what chance has a part in, so that a replay draws the same
     * @param startMs wall clock of the execution's start: what {@code $$.Execution.StartTime} shows
     * @throws IllegalArgumentException when the version has no such target, or the workflow's definition is not valid
     */
    public Execution create(ApplicationVersion version, String target, String executionId, long startMs) {
        WorkflowSpec workflow = version.workflows().get(target);
        if (workflow == null) {
            if (version.grains().containsKey(target)) {
                return new GrainExecution(target);
            }
            throw new IllegalArgumentException("application " + version.application() + " version " + version.version()
                    + " has neither a grain nor a workflow " + target);
        }
        StateMachine machine = machine(new Key(version.application(), version.version(), target), workflow);
        return new AslExecution(machine, version.application(), target, executionId, startMs,
                payload -> values.bytes(version.application(), executionId, payload), tokens, null, Quotas.NONE);
    }

    /** Reads the version's definitions ahead: to read one takes a millisecond and more, which is not for a shard to spend. */
    public void prepare(ApplicationVersion version) {
        version.workflows().forEach((name, workflow) -> {
            try {
                machine(new Key(version.application(), version.version(), name), workflow);
            } catch (IllegalArgumentException e) {
                // Whoever asks for it is told.
            }
        });
    }

    private StateMachine machine(Key key, WorkflowSpec workflow) {
        StateMachine machine = machines.get(key);
        if (machine == null) {
            machine = parse(workflow); // not under the lock
            machines.put(key, machine);
        }
        return machine;
    }

    /**
     * The execution of a machine for its history alone.
     *
     * @param source where a value's bytes are that stands there by reference
     * @param history told of each event
     */
    public static Execution of(StateMachine machine, String application, String workflow, String executionId, long startMs, PayloadSource source,
                               History history) {
        return new AslExecution(machine, application, workflow, executionId, startMs, source, TaskTokens.ofTrial(), history, Quotas.NONE);
    }

    /** The execution of a machine that is no application's: for trials. @param startTime ISO 8601 with a Z */
    public static Execution of(StateMachine machine, String application, String workflow, String executionId, String startTime) {
        return of(machine, application, workflow, executionId, startTime, null);
    }

    /** As above. @param history told of each event, or null */
    public static Execution of(StateMachine machine, String application, String workflow, String executionId, String startTime, History history) {
        return of(machine, application, workflow, executionId, startTime, history, Quotas.NONE);
    }

    /** As above. @param quotas that it is held to */
    public static Execution of(StateMachine machine, String application, String workflow, String executionId, String startTime, History history,
                               Quotas quotas) {
        return new AslExecution(machine, application, workflow, executionId, Instant.parse(startTime).toEpochMilli(), PayloadSource.NONE,
                TaskTokens.ofTrial(), history, quotas);
    }

    /**
     * The states of the workflow itself that an execution has entered, and that a redrive of it may begin from.
     *
     * @param signals all that it was given
     * @param source where a value's bytes are that stands there by reference
     */
    public static Set<String> entered(StateMachine machine, String executionId, long startMs, List<Signal> signals, PayloadSource source) {
        AslExecution execution = new AslExecution(machine, "app", "flow", executionId, startMs, source, TaskTokens.ofTrial(), null, Quotas.NONE);
        Places places = execution.expectAny();
        signals.forEach(execution::on);
        return places.names();
    }

    private static StateMachine parse(WorkflowSpec workflow) {
        return switch (Definitions.parseChecked(workflow.definition())) {
            case Definitions.Parsed.Valid valid -> valid.machine();
            case Definitions.Parsed.Invalid invalid -> throw new IllegalArgumentException(
                    "workflow " + workflow.name() + " is not valid: " + invalid.diagnostics().getFirst());
        };
    }
}
