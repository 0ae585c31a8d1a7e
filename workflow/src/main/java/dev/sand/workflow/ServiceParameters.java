package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Service;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The parameters of a task that calls a service, as AWS looks at them when the task begins.
 *
 * @param known what they may be called, or null: anything; @param required of these, which there must be; @param texts which are strings
 * @param json a string too, for which an object or an array may stand, which is then written as one; or null
 */
record ServiceParameters(Set<String> known, List<String> required, Set<String> texts, String json) {
    static final ServiceParameters SEND_MESSAGE = new ServiceParameters(
            Set.of("DelaySeconds", "MessageAttribute", "MessageAttributes", "MessageBody", "MessageDeduplicationId", "MessageGroupId",
                    "MessageSystemAttributes", "QueueUrl"),
            Service.required("sqs:sendMessage"), Set.of("QueueUrl", "MessageGroupId", "MessageDeduplicationId"), "MessageBody");
    static final ServiceParameters START_EXECUTION = new ServiceParameters(Set.of("StateMachineArn", "Input", "Name", "TraceHeader"),
            Service.required("states:startExecution"), Set.of("StateMachineArn", "Name", "TraceHeader"), "Input");
    static final ServiceParameters INVOKE = new ServiceParameters(Service.OF_INVOKE, Service.required("lambda:invoke"),
            Set.of("FunctionName", "InvocationType", "LogType", "Qualifier"), "Payload");

    /** Of a service of which no more is known. */
    static ServiceParameters requiring(List<String> required) {
        return new ServiceParameters(null, required, Set.of(), null);
    }

    /**
     * Those that say something: one that is null is as one that is not there, but for what is sent on, of which the service tells.
     *
     * @throws StatesError States.Runtime with all that is wrong with them, in AWS's words
     */
    ObjectNode checked(JsonNode given, boolean isJsonata) {
        ObjectNode said = Json.NODES.objectNode();
        List<String> faults = new ArrayList<>();
        given.properties().forEach(member -> {
            if (known != null && !known.contains(member.getKey())) {
                faults.add("The field \"" + member.getKey() + "\" is not supported by Step Functions");
            }
            if (!member.getValue().isNull()) {
                said.set(member.getKey(), member.getValue());
            }
        });
        if (!isJsonata) {
            addUnmade(given, faults);
        }
        for (String name : required) {
            if (!(known == null || name.equals(json) ? given : said).has(name)) {
                faults.add("The field '" + name + "' is required but was missing");
            }
        }
        said.properties().forEach(member -> {
            JsonNode value = member.getValue();
            if (texts.contains(member.getKey()) && !value.isTextual()
                    || member.getKey().equals(json) && !value.isTextual() && !value.isContainerNode()) {
                faults.add("The value for the field '" + member.getKey() + "' must be a STRING");
            }
        });
        if (!faults.isEmpty()) {
            throw StatesError.runtime("The " + (isJsonata ? "Arguments" : "Parameters") + " '" + Template.shortText(given)
                    + "' could not be used to start the Task: [" + String.join(", ", faults) + "]");
        }
        return said;
    }

    /** Names that end as those of paths do, in what a template has made, whose values are texts and no paths. */
    private static void addUnmade(JsonNode value, List<String> faults) {
        if (value.isObject()) {
            value.properties().forEach(member -> {
                JsonNode one = member.getValue();
                if (member.getKey().endsWith(".$") && one.isTextual() && !one.textValue().startsWith("$") && !one.textValue().startsWith("States.")) {
                    faults.add("The value for the field '" + member.getKey() + "' must be a valid JSONPath or a valid intrinsic function call");
                }
            });
        }
        if (value.isContainerNode()) {
            value.forEach(one -> addUnmade(one, faults));
        }
    }

    /** @return null: it is not there; @throws StatesError States.Runtime when it is empty */
    static String text(ObjectNode said, String field) {
        JsonNode value = said.get(field);
        if (value == null) {
            return null;
        }
        if (value.textValue().isEmpty()) {
            throw StatesError.runtime("The field " + field + " must be a string with at least one character, it is \"\"");
        }
        return value.textValue();
    }
}
