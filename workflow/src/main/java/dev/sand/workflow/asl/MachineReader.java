package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Reads a state machine: the definition itself, a branch, an item processor. */
final class MachineReader {
    private final Diagnostics diagnostics;
    private final KnownNames.Listener onNamed;
    private final StateReader states;
    private final Map<String, String> names = new HashMap<>();
    /** Of distributed Maps, with where they stand. */
    private final Map<String, String> labels = new HashMap<>();
    /** The language of the whole definition. */
    private boolean isJsonata;

    /**
     * @param wasChecked whether the definition is known to be good, so that its expressions need not be parsed yet
     * @param onNamed told of each name of a grain, workflow or queue
     */
    MachineReader(Diagnostics diagnostics, boolean wasChecked, KnownNames.Listener onNamed) {
        this.diagnostics = diagnostics;
        this.onNamed = onNamed;
        this.states = new StateReader(diagnostics, this, wasChecked);
    }

    void onGrain(String grain, String pointer) {
        onNamed(KnownNames.Kind.GRAIN, grain, pointer);
    }

    void onForeign(String pointer, String message) {
        onNamed.onForeign(pointer, message);
    }

    void onNamed(KnownNames.Kind kind, String name, String pointer) {
        onNamed.onNamed(kind, name, pointer);
    }

    /** The whole definition. @param isLarge see {@link StateMachine} */
    StateMachine readTop(JsonNode tree, boolean isLarge) {
        if (!tree.isObject()) {
            diagnostics.add("", Code.WRONG_TYPE, "A definition must be an object.");
            return null;
        }
        Fields fields = new Fields((ObjectNode) tree, "", diagnostics);
        String version = fields.string("Version");
        if (version != null && !version.equals("1.0")) {
            fields.report("Version", Code.WRONG_VALUE, "The field Version must be 1.0.");
        }
        isJsonata = Boolean.TRUE.equals(StateReader.queryLanguage(fields));
        VariableNames variables = new VariableNames();
        long timeout = fields.integer("TimeoutSeconds", 0, WorkflowLimits.SECONDS, 0);
        StateMachine machine = read(fields, "a state machine", variables);
        variables.check(diagnostics);
        // Of branches and item processors AWS does not ask for it.
        boolean isWhole = machine != null && machine.states().size() == tree.path("States").size();
        if (isWhole && machine.states().values().stream().noneMatch(MachineReader::isTerminal)) {
            fields.report("States", Code.NO_TERMINAL_STATE, "No state ends it: a state with \"End\": true, a Succeed or a Fail is needed.");
        }
        return machine == null ? null : new StateMachine(machine.startAt(), machine.states(), timeout, machine.looksInside(),
                machine.hasQueries(), machine.copies(), isLarge);
    }

    /** @param variables of the machine's scope; @return null when nothing sensible can be made of it */
    StateMachine read(Fields fields, String what, VariableNames variables) {
        fields.comment();
        String startAt = fields.requiredString("StartAt");
        Fields all = fields.required("States") == null ? null : fields.object("States");
        fields.reportUnknown(what);
        if (all == null) {
            return null;
        }
        Map<String, State> machine = new LinkedHashMap<>();
        Ways ways = new Ways();
        for (String name : all.names()) {
            checkName(name, all);
            Fields below = all.object(name);
            ways.add(name);
            State state = below == null ? null : states.read(name, machine.size(), below, ways, variables, isJsonata);
            if (state != null) {
                machine.put(name, state);
                checkLabel(state, below);
            }
        }
        variables.lead(ways);
        if (ways.states().isEmpty()) {
            fields.report("States", Code.WRONG_VALUE, "The field States must hold at least one state.");
            return null;
        }
        if (startAt != null && !ways.states().contains(startAt)) {
            fields.report("StartAt", Code.MISSING_TARGET, "There is no state " + startAt + " here.");
        } else if (startAt != null) {
            Set<String> reached = ways.reached(Map.of(startAt, "")).keySet();
            ways.states().stream().filter(name -> !reached.contains(name))
                    .forEach(name -> all.report(name, Code.UNREACHABLE_STATE, "No state leads to " + name + "."));
        }
        ways.all().stream().filter(target -> !ways.states().contains(target.state())).forEach(target ->
                diagnostics.add(target.pointer(), Code.MISSING_TARGET, "There is no state " + target.state() + " here."));
        return new StateMachine(startAt, machine, 0, machine.values().stream().anyMatch(MachineReader::looksInside),
                machine.values().stream().anyMatch(MachineReader::hasQueries),
                machine.values().stream().mapToInt(MachineReader::copies).max().orElse(1), false);
    }

    private void checkName(String name, Fields all) {
        if (name.isEmpty() || name.codePointCount(0, name.length()) > WorkflowLimits.STATE_NAME_CHARS) {
            all.report(name, Code.WRONG_VALUE, "A state's name must have from 1 to " + WorkflowLimits.STATE_NAME_CHARS + " characters.");
        }
        String other = names.putIfAbsent(name, all.pointer(name));
        if (other != null) {
            all.report(name, Code.DUPLICATE_STATE, "The name " + name + " is that of the state at " + other
                    + " too; names are unique in the whole definition.");
        }
    }

    private void checkLabel(State state, Fields fields) {
        String label = state instanceof State.Map map && map.distribution() != null ? map.distribution().label() : null;
        String other = label == null ? null : labels.putIfAbsent(label, fields.pointer());
        if (other != null) {
            fields.report("Label", Code.WRONG_VALUE, "The Label " + label + " is that of the Map at " + other
                    + " too; labels are unique in the whole definition.");
        }
    }

    private static boolean isTerminal(State state) {
        return state instanceof State.Succeed || state instanceof State.Fail
                || state.common().next() == null && !(state instanceof State.Choice);
    }

    private static int copies(State state) {
        int own = Math.max(Math.max(copies(state.flow().parameters()), copies(state.flow().resultSelector())),
                copies(state.common().assign()));
        return switch (state) {
            case State.Parallel parallel ->
                    Math.max(own, parallel.branches().stream().mapToInt(StateMachine::copies).max().orElse(1));
            case State.Map map -> Math.max(own, Math.max(copies(map.itemSelector()),
                    map.processor() == null ? 1 : map.processor().copies()));
            default -> own;
        };
    }

    private static int copies(Template template) {
        return Math.max(1, template == null ? 1 : template.expressions());
    }

    /** A state in JSONata that has no expression at all is rare, and no reason to look closer. */
    private static boolean hasQueries(State state) {
        return state.flow().isJsonata() || switch (state) {
            case State.Parallel parallel -> parallel.branches().stream().anyMatch(StateMachine::hasQueries);
            case State.Map map -> map.processor() != null && map.processor().hasQueries();
            default -> false;
        };
    }

    private static boolean looksInside(State state) {
        return state.flow().looksInside() || state.common().assign() != null || switch (state) {
            case State.Task task -> task.invokesFunction() || task.service() != null || task.timeout() != null
                    || task.credentials() != null || assigns(task.errors());
            case State.Wait wait -> wait.secondsFrom() != null || wait.timestampFrom() != null;
            case State.Choice choice -> true;
            case State.Map map -> true;
            case State.Fail fail -> fail.errorFrom() != null || fail.causeFrom() != null;
            case State.Parallel parallel -> assigns(parallel.errors()) || parallel.branches().stream().anyMatch(StateMachine::looksInside);
            case State.Pass pass -> false;
            case State.Succeed succeed -> false;
        };
    }

    private static boolean assigns(ErrorRules errors) {
        return errors.catchers().stream().anyMatch(catcher -> catcher.assign() != null);
    }
}
