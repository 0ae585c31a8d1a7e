package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.State.Choice.Branch;
import dev.sand.workflow.asl.State.Common;
import dev.sand.workflow.data.Path;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.data.WorkflowLimits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads one state. */
final class StateReader {
    private final Diagnostics diagnostics;
    private final MachineReader machines;
    private final TemplateReader templates;
    private final RuleReader rules = new RuleReader();
    private final ErrorRulesReader errorRules = new ErrorRulesReader();

    StateReader(Diagnostics diagnostics, MachineReader machines) {
        this.diagnostics = diagnostics;
        this.machines = machines;
        this.templates = new TemplateReader(diagnostics);
    }

    /** @return null when it is of no known type */
    State read(String name, int index, Fields fields, MachineReader.Targets targets) {
        fields.ignore("Comment");
        queryLanguage(fields);
        String type = fields.requiredString("Type");
        if (type == null) {
            return null;
        }
        State state = switch (type) {
            case "Task" -> task(name, index, fields, targets);
            case "Pass" -> new State.Pass(work(name, index, fields, targets, true, false), result(fields));
            case "Choice" -> choice(name, index, fields, targets);
            case "Wait" -> wait(name, index, fields, targets);
            case "Parallel" -> parallel(name, index, fields, targets);
            case "Map" -> map(name, index, fields, targets);
            case "Succeed" -> new State.Succeed(passage(name, index, fields, null));
            case "Fail" -> fail(name, index, fields);
            default -> {
                fields.report("Type", Code.WRONG_VALUE, "There is no state type " + type
                        + "; there are Task, Pass, Choice, Wait, Parallel, Map, Succeed and Fail.");
                yield null;
            }
        };
        if (state != null) {
            if (fields.has("Assign")) {
                fields.ignore("Assign");
                fields.report("Assign", Code.NOT_SUPPORTED, "Variables (Assign) are not supported yet.");
            }
            fields.reportUnknown("a state of type " + type);
        }
        return state;
    }

    static void queryLanguage(Fields fields) {
        String language = fields.string("QueryLanguage");
        if (language != null && language.equals("JSONata")) {
            fields.report("QueryLanguage", Code.NOT_SUPPORTED, "The query language JSONata is not supported yet; JSONPath is.");
        } else if (language != null && !language.equals("JSONPath")) {
            fields.report("QueryLanguage", Code.WRONG_VALUE, "The field QueryLanguage must be JSONPath.");
        }
    }

    // --- what states have in common

    /** A state that works: its result goes where ResultPath says. */
    private Common work(String name, int index, Fields fields, MachineReader.Targets targets, boolean hasParameters,
                        boolean hasSelector) {
        Template parameters = hasParameters ? templates.read(fields, "Parameters") : null;
        Template selector = hasSelector ? templates.read(fields, "ResultSelector") : null;
        Flow flow = new Flow(selection(fields, "InputPath"), parameters, selector, resultPath(fields), selection(fields, "OutputPath"));
        return new Common(name, step(name), index, flow, next(fields, targets));
    }

    /** A state that passes its input on. */
    private Common passage(String name, int index, Fields fields, String next) {
        Flow flow = new Flow(selection(fields, "InputPath"), null, null, Flow.ALL, selection(fields, "OutputPath"));
        return new Common(name, step(name), index, flow, next);
    }

    private static Path selection(Fields fields, String name) {
        JsonNode value = fields.raw(name);
        if (value == null) {
            return Flow.WHOLE;
        }
        return value.isNull() ? null : fields.path(name);
    }

    static ReferencePath resultPath(Fields fields) {
        JsonNode value = fields.raw("ResultPath");
        if (value == null) {
            return Flow.ALL;
        }
        return value.isNull() ? null : fields.referencePath("ResultPath");
    }

    private static String next(Fields fields, MachineReader.Targets targets) {
        boolean isEnd = fields.bool("End", false);
        String next = fields.string("Next");
        if (fields.has("Next") && isEnd) {
            fields.report("End", Code.WRONG_VALUE, "A state has either Next or End, not both.");
        } else if (!fields.has("Next") && !isEnd) {
            fields.report(null, Code.MISSING_FIELD, "The state needs Next or \"End\": true.");
        }
        if (next != null) {
            targets.add(next, fields.pointer("Next"));
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

    private State task(String name, int index, Fields fields, MachineReader.Targets targets) {
        Common common = work(name, index, fields, targets, true, true);
        String resource = fields.requiredString("Resource");
        String grain = resource == null ? null : Resources.grain(resource);
        if (resource != null && grain == null) {
            fields.report("Resource", Code.NOT_SUPPORTED, "The resource " + resource + " is no grain: give a grain's name, sand:grain:<name>,"
                    + " or the ARN of a Lambda function whose name is the grain's.");
        } else if (resource != null) {
            machines.onGrain(grain, fields.pointer("Resource"));
        }
        fields.atMostOne("TimeoutSeconds", "TimeoutSecondsPath");
        fields.atMostOne("HeartbeatSeconds", "HeartbeatSecondsPath");
        long timeout = fields.integer("TimeoutSeconds", 1, WorkflowLimits.SECONDS, 0);
        long heartbeat = fields.integer("HeartbeatSeconds", 1, WorkflowLimits.SECONDS, 0);
        if (heartbeat > 0 && timeout > 0 && heartbeat >= timeout) {
            fields.report("HeartbeatSeconds", Code.WRONG_VALUE, "The field HeartbeatSeconds must be smaller than TimeoutSeconds.");
        }
        Path timeoutPath = fields.definitePath("TimeoutSecondsPath");
        fields.definitePath("HeartbeatSecondsPath");
        fields.ignore("Credentials");
        return new State.Task(common, resource, grain, timeout, timeoutPath, errorRules.read(fields, targets::add));
    }

    private static Template.Constant result(Fields fields) {
        JsonNode result = fields.raw("Result");
        return result == null ? null : new Template.Constant(result);
    }

    private State choice(String name, int index, Fields fields, MachineReader.Targets targets) {
        List<Branch> branches = new ArrayList<>();
        fields.required("Choices");
        List<Fields> choices = fields.objects("Choices");
        if (choices.isEmpty() && fields.has("Choices")) {
            fields.report("Choices", Code.WRONG_VALUE, "The field Choices must be a non-empty array of rules.");
        }
        for (Fields choice : choices) {
            Rule rule = rules.read(choice, true);
            String next = choice.requiredString("Next");
            if (next != null) {
                targets.add(next, choice.pointer("Next"));
            }
            branches.add(new Branch(rule, next));
        }
        String otherwise = fields.string("Default");
        if (otherwise != null) {
            targets.add(otherwise, fields.pointer("Default"));
        }
        return new State.Choice(passage(name, index, fields, null), List.copyOf(branches), otherwise);
    }

    private State wait(String name, int index, Fields fields, MachineReader.Targets targets) {
        long given = List.of("Seconds", "SecondsPath", "Timestamp", "TimestampPath").stream().filter(fields::has).count();
        if (given != 1) {
            fields.report(null, given == 0 ? Code.MISSING_FIELD : Code.WRONG_VALUE,
                    "A Wait state needs exactly one of Seconds, SecondsPath, Timestamp and TimestampPath.");
        }
        long seconds = fields.integer("Seconds", 0, WorkflowLimits.SECONDS, -1);
        String text = fields.string("Timestamp");
        Instant timestamp = text == null ? null : Timestamps.parse(text);
        if (text != null && timestamp == null) {
            fields.report("Timestamp", Code.WRONG_VALUE, "The field Timestamp must be a timestamp such as 2016-08-18T17:33:00Z.");
        }
        Path secondsPath = fields.definitePath("SecondsPath");
        Path timestampPath = fields.definitePath("TimestampPath");
        Common common = passage(name, index, fields, next(fields, targets));
        return new State.Wait(common, seconds, secondsPath, timestamp, timestampPath);
    }

    private State parallel(String name, int index, Fields fields, MachineReader.Targets targets) {
        Common common = work(name, index, fields, targets, true, true);
        fields.required("Branches");
        List<StateMachine> branches = new ArrayList<>();
        for (Fields branch : fields.objects("Branches")) {
            branches.add(machines.read(branch, "a branch"));
        }
        if (branches.isEmpty() && fields.has("Branches")) {
            fields.report("Branches", Code.WRONG_VALUE, "The field Branches must be a non-empty array of state machines.");
        }
        return new State.Parallel(common, List.copyOf(branches.stream().filter(b -> b != null).toList()),
                errorRules.read(fields, targets::add));
    }

    private State map(String name, int index, Fields fields, MachineReader.Targets targets) {
        fields.atMostOne("ItemProcessor", "Iterator");
        fields.atMostOne("ItemSelector", "Parameters");
        fields.atMostOne("MaxConcurrency", "MaxConcurrencyPath");
        for (String name2 : List.of("ItemReader", "ItemBatcher", "ResultWriter", "ToleratedFailureCount", "ToleratedFailureCountPath",
                "ToleratedFailurePercentage", "ToleratedFailurePercentagePath")) {
            if (fields.has(name2)) {
                fields.ignore(name2);
                fields.report(name2, Code.NOT_SUPPORTED, "The field " + name2 + " (distributed Map) is not supported yet.");
            }
        }
        fields.ignore("Label");
        Common common = work(name, index, fields, targets, false, true);
        Template selector = templates.read(fields, fields.has("Parameters") ? "Parameters" : "ItemSelector");
        String processorField = fields.has("Iterator") ? "Iterator" : "ItemProcessor";
        Fields processor = fields.required(processorField) == null ? null : fields.object(processorField);
        StateMachine machine = null;
        if (processor != null) {
            Fields configuration = processor.object("ProcessorConfig");
            if (configuration != null) {
                String mode = configuration.string("Mode");
                configuration.ignore("ExecutionType");
                if (mode != null && !mode.equals("INLINE")) {
                    configuration.report("Mode", mode.equals("DISTRIBUTED") ? Code.NOT_SUPPORTED : Code.WRONG_VALUE,
                            mode.equals("DISTRIBUTED") ? "Distributed Map is not supported yet; INLINE is."
                                    : "The field Mode must be INLINE or DISTRIBUTED.");
                }
                configuration.reportUnknown("a ProcessorConfig");
            }
            machine = machines.read(processor, "an item processor");
        }
        Path items = fields.path("ItemsPath");
        return new State.Map(common, items == null ? Flow.WHOLE : items, selector, machine,
                fields.integer("MaxConcurrency", 0, WorkflowLimits.SECONDS, 0), fields.definitePath("MaxConcurrencyPath"),
                errorRules.read(fields, targets::add));
    }

    private State fail(String name, int index, Fields fields) {
        fields.atMostOne("Error", "ErrorPath");
        fields.atMostOne("Cause", "CausePath");
        Common common = new Common(name, step(name), index, Flow.DEFAULT, null);
        return new State.Fail(common, fields.string("Error"), fields.expression("ErrorPath"), fields.string("Cause"),
                fields.expression("CausePath"));
    }
}
