package dev.sand.workflow.data;

import com.dashjoin.jsonata.Jsonata;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A JSONata expression in a field of a state. It is evaluated off the shards, within the bounds of {@link QueryRun}. */
public final class Query implements Expression {
    /** What of {@code $states} a field can see, beside {@code input} and {@code context}. */
    public enum Sight { INPUT, RESULT, ERROR }

    /** In the order in which AWS shows them. */
    private static final List<String> STATES = List.of("input", "context", "result", "errorOutput");

    private record Parsed(Jsonata jsonata, QueryTree tree) {}

    private final String text;
    private final String location;
    private final Sight sight;
    /** Made when it is first needed: twice, when two threads need it at once, which does no harm. */
    private Parsed parsed;

    private Query(String text, String location, Sight sight) {
        this.text = text;
        this.location = location;
        this.sight = sight;
    }

    /**
     * @param text without the braces
     * @param location of the field in its state: {@code Output/a[0]}
     * @throws IllegalArgumentException with one sentence, when it is no JSONata, or refers to what is not there
     */
    public static Query parse(String text, String location, Sight sight) {
        Query query = unparsed(text, location, sight);
        query.parsed();
        return query;
    }

    /** Of a definition that was checked: parsing takes as long as many a state, and is left to the first evaluation. */
    public static Query unparsed(String text, String location, Sight sight) {
        return new Query(text, location, sight);
    }

    private Parsed parsed() {
        Parsed known = parsed;
        if (known == null) {
            known = parse(text, sight);
            parsed = known;
        }
        return known;
    }

    private static Parsed parse(String text, Sight sight) {
        int characters = text.codePointCount(0, text.length());
        if (characters > WorkflowLimits.QUERY_CHARS) {
            throw new IllegalArgumentException("The JSONata expression has " + characters + " characters; the limit is "
                    + WorkflowLimits.QUERY_CHARS);
        }
        try {
            Jsonata jsonata = Jsonata.jsonata(text);
            jsonata.setValidateInput(false);
            jsonata.setOutputConvertNulls(false);
            QueryFunctions.register(jsonata);
            QueryTree tree = QueryTree.of(jsonata, text);
            tree.states().forEach(names -> checkSight(names, sight));
            return new Parsed(jsonata, tree);
        } catch (StackOverflowError e) {
            throw new IllegalArgumentException("The JSONata expression is nested too deep");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The JSONata expression '" + text + "': " + e.getMessage());
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("'" + text + "' is not valid JSONata: " + QueryErrors.sentence(e, null));
        }
    }

    private static void checkSight(List<String> names, Sight sight) {
        if (!names.isEmpty() && !STATES.contains(names.getFirst())) {
            throw new IllegalArgumentException("$states has no '" + names.getFirst() + "'");
        }
        if (!names.isEmpty() && names.getFirst().equals("result") && sight != Sight.RESULT) {
            throw new IllegalArgumentException("$states.result is only there in Output and Assign of a Task, Parallel or Map");
        }
        if (!names.isEmpty() && names.getFirst().equals("errorOutput") && sight != Sight.ERROR) {
            throw new IllegalArgumentException("$states.errorOutput is only there in Output and Assign of a Catch");
        }
    }

    @Override
    public JsonNode evaluate(Environment environment) {
        QueryRun run = new QueryRun(environment);
        try {
            return ScopedValue.where(QueryRun.CURRENT, run).call(() -> evaluate(parsed(), run));
        } catch (StackOverflowError e) {
            throw threw("A value or an evaluation is nested too deep");
        } catch (RuntimeException e) {
            throw translated(e, run);
        }
    }

    private JsonNode evaluate(Parsed of, QueryRun run) {
        Jsonata.Frame frame = of.jsonata.createFrame();
        frame.setEvaluateEntryCallback(run);
        frame.setEvaluateExitCallback(run);
        Environment environment = run.environment();
        for (String name : of.tree.variables()) {
            JsonNode value = environment.variable(name);
            if (value != null) {
                frame.bind(name, QueryValues.of(value, run.budget()));
            }
        }
        if (!of.tree.states().isEmpty()) {
            frame.bind("states", states(of.tree, environment));
        }
        Object result = of.jsonata.evaluate(null, frame);
        if (result == null) {
            throw failed("returned nothing (undefined).");
        }
        run.check(result);
        return QueryValues.json(result, run);
    }

    private static Map<String, Object> states(QueryTree tree, Environment environment) {
        Map<String, Object> states = new LinkedHashMap<>();
        for (String name : STATES) {
            put(states, name, tree, environment);
        }
        return states;
    }

    private static void put(Map<String, Object> states, String name, QueryTree tree, Environment environment) {
        if (tree.states().stream().noneMatch(names -> names.isEmpty() || names.getFirst().equals(name))) {
            return;
        }
        JsonNode value = switch (name) {
            case "input" -> environment.input();
            case "result" -> environment.result();
            case "errorOutput" -> environment.errorOutput();
            default -> environment.context(tree.states().stream().anyMatch(Query::needsExecutionInput));
        };
        if (value != null) {
            states.put(name, QueryValues.of(value, environment.budget()));
        }
    }

    /** Whether {@code $states.context.Execution.Input} is among what is referred to: not asked for in vain. */
    private static boolean needsExecutionInput(List<String> names) {
        return names.isEmpty() || names.getFirst().equals("context")
                && (names.size() < 2 || names.get(1).equals("Execution") && (names.size() < 3 || names.get(2).equals("Input")));
    }

    /** Ours come through the library's own exceptions: an error of the language, or a cancellation, is what they are. */
    private RuntimeException translated(RuntimeException thrown, QueryRun run) {
        for (Throwable e = thrown; e != null; e = e.getCause()) {
            if (e instanceof QueryValues.Unsupported) {
                return failed("returned an unsupported result type.");
            }
            if (e instanceof QueryBudget.Cancelled cancelled) {
                return cancelled;
            }
            if (e instanceof StatesError error) {
                boolean isOurs = error.error().equals(StatesError.QUERY_EVALUATION_ERROR)
                        || error.error().equals(StatesError.INTRINSIC_FAILURE);
                return isOurs && !error.getMessage().startsWith("The JSONata expression") ? threw(error.getMessage()) : error;
            }
        }
        return threw(QueryErrors.sentence(thrown, run));
    }

    /** As AWS has it: after a code, which begins a sentence, and after none. */
    private StatesError threw(String message) {
        return failed("threw an error during evaluation" + (QueryErrors.hasCode(message) ? ". " : ": ") + message);
    }

    private StatesError failed(String why) {
        return QueryRun.failure("The JSONata expression '" + text + "' specified for the field '" + location + "' " + why);
    }

    /** For a value that the field does not take. @param expected a type of JSONata's */
    public StatesError mistyped(String expected, JsonNode value) {
        return failed("returned an unexpected result type. Expected '" + expected + "', but was '"
                + value.getNodeType().name().toLowerCase(Locale.ROOT) + "' for value: " + Json.text(value));
    }

    /** For a value of the right type that the field does not take. */
    public StatesError outOfBounds(String expected, JsonNode value) {
        return failed("returned a value that the field does not take. Expected " + expected + ", but was: " + Json.text(value));
    }

    @Override
    public String toString() {
        return text;
    }
}
