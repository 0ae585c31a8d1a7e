package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Checks a task that asks something of the platform itself: that the arguments are there, and what they name is. */
final class ServiceReader {
    private static final Set<String> OF_START = Set.of("StateMachineArn", "Input", "Name", "TraceHeader");
    private static final Set<String> OF_SEND = Set.of("QueueUrl", "MessageBody", "MessageGroupId", "MessageDeduplicationId");
    private final MachineReader machines;
    private final Fields fields;
    private final String given;
    private final boolean isJsonata;

    ServiceReader(MachineReader machines, Fields fields, boolean isJsonata) {
        this.machines = machines;
        this.fields = fields;
        this.given = isJsonata ? "Arguments" : "Parameters";
        this.isJsonata = isJsonata;
    }

    void read(Service service, boolean awaitsToken) {
        switch (service) {
            case Service.Start(Service.Mode mode, String workflow) -> {
                if (awaitsToken && mode.awaitsEnd()) {
                    fields.report("Resource", Code.NOT_SUPPORTED, "A task waits for its token or for the end of what it started, not for both.");
                }
                if (workflow != null) {
                    machines.onNamed(KnownNames.Kind.WORKFLOW, workflow, fields.pointer("Resource"));
                } else {
                    check("StateMachineArn", KnownServices.requiredBy("states:startExecution"), OF_START, KnownNames.Kind.WORKFLOW, Service::workflow);
                }
            }
            case Service.Send(String queue) when queue != null ->
                    machines.onNamed(KnownNames.Kind.QUEUE, queue, fields.pointer("Resource"));
            case Service.Send _ -> check("QueueUrl", KnownServices.requiredBy("sqs:sendMessage"), OF_SEND, KnownNames.Kind.QUEUE, Service::queue);
        }
    }

    /** Of a task that invokes a function. A FunctionName that is not written out is only known when it runs. */
    void readFunction() {
        Fields object = arguments(KnownServices.requiredBy("lambda:invoke"), Service.OF_INVOKE);
        JsonNode name = object == null ? null : object.raw("FunctionName");
        if (name == null || !name.isTextual() || isJsonata && QueryReader.isQuery(name)) {
            machines.onGrain(Definitions.UNKNOWN_YET, fields.pointer("Resource"));
            return;
        }
        String grain = Resources.function(name.textValue());
        if (grain == null) {
            object.report("FunctionName", Code.NOT_SUPPORTED, "The function " + name.textValue() + " has no name that a grain can have.");
        } else {
            machines.onGrain(grain, object.pointer("FunctionName"));
        }
    }

    /** Of a task that calls a service of which no more is known. */
    void readRequired(List<String> required) {
        arguments(required, null);
    }

    private void check(String target, List<String> required, Set<String> known, KnownNames.Kind kind, Function<String, String> name) {
        Fields object = arguments(required, known);
        JsonNode text = object == null ? null : object.raw(target);
        if (text != null && text.isTextual() && !(isJsonata && QueryReader.isQuery(text))) {
            machines.onNamed(kind, name.apply(text.textValue()), object.pointer(target));
        }
    }

    /** @param known null: any; @return null: they are not there, or one expression gives all of them */
    private Fields arguments(List<String> required, Set<String> known) {
        JsonNode arguments = fields.raw(given);
        if (arguments == null) {
            fields.report(null, Code.MISSING_FIELD, "The field " + given + " is missing: the resource needs " + String.join(" and ", required) + ".");
            return null;
        }
        Fields object = arguments.isObject() ? fields.object(given) : null;
        if (object == null) {
            return null;
        }
        for (String field : required) {
            if (!object.has(field) && !object.has(field + ".$")) {
                object.report(null, Code.MISSING_FIELD, "The field " + field + " is missing.");
            }
        }
        for (String field : object.names()) {
            String plain = field.endsWith(".$") ? field.substring(0, field.length() - 2) : field;
            if (known != null && !known.contains(plain)) {
                machines.onForeign(object.pointer(field), "The resource does not take " + plain + " here.");
            }
        }
        return object;
    }
}
