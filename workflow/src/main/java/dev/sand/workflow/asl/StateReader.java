package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.State.Choice.Branch;
import dev.sand.workflow.asl.State.Common;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.WorkflowLimits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads one state. */
final class StateReader {
    private final MachineReader machines;
    private final DataFields data;
    private final RuleReader rules;
    private final ErrorRulesReader errorRules;
    private final DistributionReader distributions;

    StateReader(Diagnostics diagnostics, MachineReader machines, boolean wasChecked) {
        this.machines = machines;
        this.data = new DataFields(diagnostics, wasChecked);
        this.rules = new RuleReader(data);
        this.errorRules = new ErrorRulesReader(data);
        this.distributions = new DistributionReader(data);
    }

    /** A state on its way: where it stands and in which language. */
    private record Raw(String name, int index, Fields fields, Ways ways, VariableNames variables,
                       boolean isJsonata) {
        boolean has(String field) {
            return fields.has(field);
        }

        void leads(String to, String pointer) {
            ways.add(name, to, pointer);
        }
    }

    /** @param machineIsJsonata the language of the whole definition; @return null when the state is of no known type */
    State read(String name, int index, Fields fields, Ways ways, VariableNames variables, boolean machineIsJsonata) {
        fields.comment();
        Boolean own = queryLanguage(fields);
        if (machineIsJsonata && Boolean.FALSE.equals(own)) {
            fields.report("QueryLanguage", Code.WRONG_QUERY_LANGUAGE,
                    "A state cannot be in JSONPath when the whole state machine is in JSONata.");
        }
        String type = fields.requiredString("Type");
        if (type == null) {
            return null;
        }
        Raw raw = new Raw(name, index, fields, ways, variables, own == null ? machineIsJsonata : own);
        data.refuseForeign(fields, raw.isJsonata);
        State state = switch (type) {
            case "Task" -> task(raw);
            case "Pass" -> new State.Pass(common(raw, DataFields.Kind.PASS, next(raw)), raw.isJsonata ? null : result(fields));
            case "Choice" -> choice(raw);
            case "Wait" -> wait(raw);
            case "Parallel" -> parallel(raw);
            case "Map" -> map(raw);
            case "Succeed" -> new State.Succeed(common(raw, DataFields.Kind.SUCCEED, null));
            case "Fail" -> fail(raw);
            default -> {
                fields.report("Type", Code.WRONG_VALUE, "There is no state type " + type
                        + "; there are Task, Pass, Choice, Wait, Parallel, Map, Succeed and Fail.");
                yield null;
            }
        };
        if (state != null) {
            fields.reportUnknown("a state of type " + type);
        }
        return state;
    }

    /** @return whether it is JSONata; null when the field is absent or wrong */
    static Boolean queryLanguage(Fields fields) {
        String language = fields.string("QueryLanguage");
        if (language == null || language.equals("JSONata") || language.equals("JSONPath")) {
            return language == null ? null : language.equals("JSONata");
        }
        fields.report("QueryLanguage", Code.WRONG_VALUE, "The field QueryLanguage must be JSONPath or JSONata.");
        return null;
    }

    // --- what states have in common

    private Common common(Raw raw, DataFields.Kind kind, String next) {
        Flow flow = data.flow(raw.fields, raw.isJsonata, kind);
        Template assign = kind == DataFields.Kind.SUCCEED ? null
                : data.assign(raw.fields, "", raw.isJsonata, kind.sight(), raw.variables);
        return new Common(raw.name, step(raw.name), raw.index, flow, assign, next);
    }

    private static String next(Raw raw) {
        Fields fields = raw.fields;
        boolean isEnd = fields.bool("End", false);
        String next = fields.string("Next");
        if (fields.has("Next") && isEnd) {
            fields.report("End", Code.WRONG_VALUE, "A state has either Next or End, not both.");
        } else if (!fields.has("Next") && !isEnd) {
            fields.report(null, Code.MISSING_FIELD, "The state needs Next or \"End\": true.");
        }
        if (next != null) {
            raw.leads(next, fields.pointer("Next"));
        }
        return next;
    }

    /** The characters that separate parts of step names are escaped, so that no two states share a step. */
    static String step(String name) {
        StringBuilder out = new StringBuilder(name.length());
        for (char c : name.toCharArray()) {
            if ("%/#>[]".indexOf(c) >= 0) {
                out.append('%').append(Integer.toHexString(c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    // --- the types

    private State task(Raw raw) {
        Fields fields = raw.fields;
        Common common = common(raw, DataFields.Kind.WORK, next(raw));
        String resource = fields.requiredString("Resource");
        boolean awaitsToken = resource != null && resource.endsWith(Resources.TOKEN);
        Service service = resource == null ? null : Service.of(Resources.withoutToken(resource));
        String grain = resource == null || service != null ? null : Resources.grain(Resources.withoutToken(resource));
        List<String> required = resource == null ? List.of() : KnownServices.required(resource);
        if (service != null) {
            new ServiceReader(machines, fields, raw.isJsonata).read(service, awaitsToken);
        } else if (resource != null && KnownServices.isUnknown(resource)) {
            fields.report("Resource", Code.WRONG_VALUE, "The resource " + resource + " is not recognized: AWS has no such service integration.");
        } else if (resource != null && grain == null) {
            String wanted = ": give a grain's name, sand:grain:<name>, or the ARN of a Lambda function whose name is the grain's.";
            fields.report("Resource", resource.isBlank() ? Code.WRONG_VALUE : Code.NOT_SUPPORTED,
                    (resource.isBlank() ? "The field Resource is empty" : "The resource " + resource + " is no grain") + wanted);
        } else if (resource != null && Resources.invokesFunction(Resources.withoutToken(resource))) {
            new ServiceReader(machines, fields, raw.isJsonata).readFunction();
        } else if (resource != null) {
            machines.onGrain(grain, fields.pointer("Resource"));
            if (!required.isEmpty()) {
                new ServiceReader(machines, fields, raw.isJsonata).readRequired(required);
            }
        }
        fields.atMostOne("TimeoutSeconds", "TimeoutSecondsPath");
        fields.atMostOne("HeartbeatSeconds", "HeartbeatSecondsPath");
        Expression timeoutFrom = data.computed(fields, "TimeoutSeconds", raw.isJsonata);
        Expression heartbeatFrom = data.computed(fields, "HeartbeatSeconds", raw.isJsonata);
        long timeout = timeoutFrom != null ? 0 : fields.integer("TimeoutSeconds", 1, WorkflowLimits.SECONDS, 0);
        long heartbeat = heartbeatFrom != null ? 0 : fields.integer("HeartbeatSeconds", 1, WorkflowLimits.SECONDS, 0);
        if (heartbeat > 0 && timeout > 0 && heartbeat >= timeout) {
            fields.report("HeartbeatSeconds", Code.WRONG_VALUE, "The field HeartbeatSeconds must be smaller than TimeoutSeconds.");
        }
        Template credentials = credentials(raw);
        return new State.Task(common, resource, grain, service, awaitsToken, timeout, timeoutFrom, heartbeat,
                heartbeatFrom, credentials, required,
                errorRules.read(fields, raw.isJsonata, raw.variables, raw::leads));
    }

    /**
     * As on AWS they name a role and nothing else; here, where a grain has the rights of its application, the role is shown and has
     * no effect.
     */
    private Template credentials(Raw raw) {
        Fields credentials = raw.fields.object("Credentials");
        if (credentials == null) {
            return null;
        }
        Template template = raw.isJsonata ? data.queries().template(raw.fields, "Credentials", "", Sight.INPUT)
                : data.templates().read(raw.fields, "Credentials");
        if (raw.isJsonata || !credentials.has("RoleArn.$")) {
            credentials.requiredString("RoleArn");
        } else {
            credentials.ignore("RoleArn.$");
        }
        credentials.reportUnknown("Credentials");
        String resource = raw.fields.string("Resource");
        if (resource != null && Resources.isActivity(resource)) {
            raw.fields.report("Credentials", Code.WRONG_VALUE, "The field Credentials is not for activities.");
        }
        return template;
    }

    private static Template.Constant result(Fields fields) {
        JsonNode result = fields.raw("Result");
        return result == null ? null : new Template.Constant(result);
    }

    private State choice(Raw raw) {
        Fields fields = raw.fields;
        List<Branch> branches = new ArrayList<>();
        fields.required("Choices");
        List<Fields> choices = fields.objects("Choices");
        if (choices.isEmpty() && fields.has("Choices")) {
            fields.report("Choices", Code.WRONG_VALUE, "The field Choices must be a non-empty array of rules.");
        }
        for (int i = 0; i < choices.size(); i++) {
            branches.add(branch(raw, choices.get(i), "Choices[" + i + "]/"));
        }
        String otherwise = fields.string("Default");
        if (otherwise != null) {
            raw.leads(otherwise, fields.pointer("Default"));
        }
        return new State.Choice(common(raw, DataFields.Kind.PASSAGE, null), List.copyOf(branches), otherwise);
    }

    private Branch branch(Raw raw, Fields choice, String within) {
        data.refuseForeign(choice, raw.isJsonata);
        Template output = raw.isJsonata ? data.queries().template(choice, "Output", within, Sight.INPUT) : null;
        Template assign = data.assign(choice, within, raw.isJsonata, Sight.INPUT, raw.variables);
        Rule rule = raw.isJsonata ? rules.condition(choice, within) : rules.read(choice, true);
        String next = choice.requiredString("Next");
        if (next != null) {
            raw.leads(next, choice.pointer("Next"));
        }
        return new Branch(rule, output, assign, next);
    }

    private State wait(Raw raw) {
        Fields fields = raw.fields;
        List<String> names = raw.isJsonata ? List.of("Seconds", "Timestamp") : List.of("Seconds", "SecondsPath", "Timestamp", "TimestampPath");
        long given = names.stream().filter(fields::has).count();
        if (given != 1) {
            names.forEach(fields::ignore);
            fields.report(null, given == 0 ? Code.MISSING_FIELD : Code.WRONG_VALUE,
                    "A Wait state needs exactly one of " + String.join(", ", names) + ".");
        }
        Expression secondsFrom = data.computed(fields, "Seconds", raw.isJsonata);
        Expression timestampFrom = data.computed(fields, "Timestamp", raw.isJsonata);
        long seconds = secondsFrom != null ? -1 : fields.integer("Seconds", 0, WorkflowLimits.SECONDS, -1);
        String text = timestampFrom != null ? null : fields.string("Timestamp");
        Instant timestamp = text == null ? null : Timestamps.parse(text);
        if (text != null && timestamp == null) {
            fields.report("Timestamp", Code.WRONG_VALUE, "The field Timestamp must be a timestamp such as 2016-08-18T17:33:00Z.");
        }
        return new State.Wait(common(raw, DataFields.Kind.PASSAGE, next(raw)), seconds, secondsFrom, timestamp, timestampFrom);
    }

    private State parallel(Raw raw) {
        Fields fields = raw.fields;
        Common common = common(raw, DataFields.Kind.WORK, next(raw));
        fields.required("Branches");
        List<StateMachine> branches = new ArrayList<>();
        for (Fields branch : fields.objects("Branches")) {
            branches.add(machines.read(branch, "a branch", raw.variables.below(raw.name)));
        }
        if (branches.isEmpty() && fields.has("Branches")) {
            fields.report("Branches", Code.WRONG_VALUE, "The field Branches must be a non-empty array of state machines.");
        }
        return new State.Parallel(common, List.copyOf(branches.stream().filter(b -> b != null).toList()),
                errorRules.read(fields, raw.isJsonata, raw.variables, raw::leads));
    }

    private State map(Raw raw) {
        Fields fields = raw.fields;
        fields.atMostOne("ItemProcessor", "Iterator");
        fields.atMostOne("ItemSelector", "Parameters");
        fields.atMostOne("MaxConcurrency", "MaxConcurrencyPath");
        Common common = common(raw, DataFields.Kind.MAP, next(raw));
        Template selector = raw.isJsonata ? data.queries().template(fields, "ItemSelector", "", Sight.INPUT)
                : data.templates().read(fields, fields.has("Parameters") ? "Parameters" : "ItemSelector");
        boolean isDistributed = configures(raw, "Mode", "DISTRIBUTED");
        StateMachine machine = processor(raw, isDistributed);
        Path path = raw.isJsonata ? null : fields.definitePath("ItemsPath");
        Expression concurrency = data.counted(fields, "MaxConcurrency", "", raw.isJsonata);
        return new State.Map(common, path == null ? Flow.WHOLE : path, items(raw), selector, machine,
                concurrency != null ? 0 : fields.integer("MaxConcurrency", 0, Long.MAX_VALUE, 0), concurrency,
                distributions.read(fields, isDistributed, configures(raw, "ExecutionType", "EXPRESS"), raw.isJsonata),
                !isDistributed && DistributionReader.isNeeded(fields), errorRules.read(fields, raw.isJsonata, raw.variables, raw::leads));
    }

    private Template items(Raw raw) {
        if (!raw.isJsonata || !raw.has("Items")) {
            return null;
        }
        JsonNode value = raw.fields.raw("Items");
        if (!value.isArray() && !value.isObject() && !QueryReader.isQuery(value)) {
            raw.fields.report("Items", Code.WRONG_TYPE, "The field Items must be an array, an object, or a JSONata expression.");
        }
        return data.queries().template(raw.fields, "Items", "", Sight.INPUT);
    }

    private static Fields processorFields(Raw raw) {
        return raw.fields.object(raw.has("Iterator") ? "Iterator" : "ItemProcessor");
    }

    private static boolean configures(Raw raw, String field, String value) {
        Fields processor = processorFields(raw);
        Fields configuration = processor == null ? null : processor.object("ProcessorConfig");
        return configuration != null && configuration.raw(field) != null && value.equals(configuration.raw(field).asText());
    }

    private StateMachine processor(Raw raw, boolean isDistributed) {
        Fields processor = raw.fields.required(raw.has("Iterator") ? "Iterator" : "ItemProcessor") == null ? null : processorFields(raw);
        if (processor == null) {
            return null;
        }
        Fields configuration = processor.object("ProcessorConfig");
        if (configuration != null) {
            oneOf(configuration, "Mode", List.of("INLINE", "DISTRIBUTED"));
            oneOf(configuration, "ExecutionType", List.of("STANDARD", "EXPRESS"));
            if (isDistributed) {
                configuration.required("ExecutionType");
            } else if (configuration.has("ExecutionType") && configures(raw, "Mode", "INLINE")) {
                configuration.report("ExecutionType", Code.WRONG_VALUE, "The field ExecutionType is for the Mode DISTRIBUTED.");
            }
            configuration.reportUnknown("a ProcessorConfig");
        }
        return machines.read(processor, "an item processor", raw.variables.below(raw.name));
    }

    private static void oneOf(Fields fields, String name, List<String> values) {
        String value = fields.string(name);
        if (value != null && !values.contains(value)) {
            fields.report(name, Code.WRONG_VALUE, "The field " + name + " must be " + String.join(" or ", values) + ".");
        }
    }

    private State fail(Raw raw) {
        Fields fields = raw.fields;
        fields.atMostOne("Error", "ErrorPath");
        fields.atMostOne("Cause", "CausePath");
        Common common = new Common(raw.name, step(raw.name), raw.index, raw.isJsonata ? Flow.ofQueries(null, null) : Flow.DEFAULT, null, null);
        Expression error = raw.isJsonata ? data.queries().query(fields, "Error", "") : fields.expression("ErrorPath");
        Expression cause = raw.isJsonata ? data.queries().query(fields, "Cause", "") : fields.expression("CausePath");
        return new State.Fail(common, error != null && raw.isJsonata ? null : fields.string("Error"), error,
                cause != null && raw.isJsonata ? null : fields.string("Cause"), cause);
    }
}
