package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The application of the failure suites: a workflow of five grains with a Parallel in it, whose every grain writes down what it
 * did, each time anew. For input n: (n + 1) into two branches, ×2 and ×3, whose sum times ten is the output: 50·(n + 1).
 */
final class FiveSteps {
    static final String NAME = "five";
    /** As grains of the workflow, each at least once in an execution that ended well. */
    static final Set<String> STEPS = Set.of("first", "double", "triple", "sum", "last");
    private static final String DID = """
            import os, time

            def did(run, context, name, pause=0.05):
                time.sleep(pause)
                context.data.put(f"did/{run}/{context.execution_id}/{name}/{os.urandom(8).hex()}", context.attempt)
            """;
    /** Grains that find the data layer away try again; nothing else is tried again by the workflow. */
    private static final String RETRY = """
            "Retry": [{"ErrorEquals": ["Sand.Unavailable"], "IntervalSeconds": 1, "BackoffRate": 1, "MaxAttempts": 60}]""";
    private static final Map<String, String> FILES = Map.ofEntries(
            Map.entry("sand.yaml", "name: five\ndurability: DURABILITY\nsandbox: {memory: 256MiB}\n"),
            Map.entry("grains/first/handler.py", grain("did(event['run'], context, 'first')\n    return {**event, 'n': event['n'] + 1}")),
            Map.entry("grains/double/handler.py", grain("did(event['run'], context, 'double')\n    return {**event, 'n': event['n'] * 2}")),
            Map.entry("grains/triple/handler.py", grain("did(event['run'], context, 'triple', 0.1)\n    return {**event, 'n': event['n'] * 3}")),
            Map.entry("grains/sum/handler.py", grain("did(event[0]['run'], context, 'sum')\n    "
                    + "return {'run': event[0]['run'], 'sum': sum(each['n'] for each in event)}")),
            Map.entry("grains/last/handler.py", grain("did(event['run'], context, 'last')\n    return {'result': event['sum'] * 10}")),
            Map.entry("grains/history/handler.py", """
                    def handle(event, context):
                        found, after = {}, None
                        while True:
                            keys = context.data.list(f"did/{event['run']}/", after=after)
                            if not keys:
                                return found
                            for key in keys:
                                _, _, execution, step, _ = key.split("/")
                                found.setdefault(execution, []).append(step)
                            after = keys[-1]
                    """),
            Map.entry("workflows/main.asl.json", """
                    {"StartAt": "First", "States": {
                      "First": {"Type": "Task", RETRY, "Resource": "first", "Next": "Both"},
                      "Both": {"Type": "Parallel", "Next": "Sum", "Branches": [
                        {"StartAt": "Double", "States": {"Double": {"Type": "Task", RETRY, "Resource": "double", "End": true}}},
                        {"StartAt": "Triple", "States": {"Triple": {"Type": "Task", RETRY, "Resource": "triple", "End": true}}}]},
                      "Sum": {"Type": "Task", RETRY, "Resource": "sum", "Next": "Pause"},
                      "Pause": {"Type": "Wait", "Seconds": 1, "Next": "Last"},
                      "Last": {"Type": "Task", RETRY, "Resource": "last", "End": true}}}
                    """));

    private FiveSteps() {}

    private static String grain(String body) {
        return DID + "\ndef handle(event, context):\n    " + body + "\n";
    }

    /** @param durability relaxed or strict: an application of its own for each */
    static Map<String, String> files(String durability) {
        Map<String, String> files = new HashMap<>(FILES);
        files.put("sand.yaml", files.get("sand.yaml").replace("name: five", "name: " + name(durability))
                .replace("DURABILITY", durability));
        files.replaceAll((path, text) -> text.replace("RETRY", RETRY));
        return files;
    }

    static String name(String durability) {
        return NAME + "-" + durability;
    }

    /** @param run whose request it is: what grains do for it is written down under that */
    static String input(int n, String run) {
        return "{\"n\": " + n + ", \"run\": \"" + run + "\"}";
    }

    static boolean isRight(int n, JsonNode output) {
        return output.path("result").asInt(-1) == 50 * (n + 1);
    }
}
