package dev.sand.tests.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The application of {@link OwnerFailureTest}: workflows that wait for somebody's callback when their owner dies. Each order is
 * one execution; its grains count how often they ran, and note the token that they were given.
 */
final class Orders {
    static final String NAME = "orders";
    private static final Duration LONGEST = Duration.ofSeconds(120);
    private static final Duration SEEN = Duration.ofMillis(1_500);
    private static final String ASK = """
            {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "Parameters": {"FunctionName": "ask",
              "Payload": {"order.$": "$.order", "token.$": "$$.Task.Token"}}, "ResultPath": "$.answer", "Next": "Told"},
            "Told": {"Type": "Task", "Resource": "step", "Parameters": {"order.$": "$.order", "step": "told", "answer.$": "$.answer"},
              "OutputPath": "$.answer", "End": true}""";
    private static final Map<String, String> FILES = Map.of(
            "sand.yaml", "name: " + NAME + "\nsandbox: {memory: 256MiB}\ndefaults: {timeout: 1m}\n",
            "grains/ask/handler.py", """
                    def handle(event, context):
                        context.data.counter(f"{event['order']}/asked", 1)
                        context.data.put(f"{event['order']}/token", event["token"])
                    """,
            "grains/step/handler.py", """
                    def handle(event, context):
                        times = context.data.counter(f"{event['order']}/{event['step']}", 1)
                        if event["step"] == "broken" and not context.data.get("mended"):
                            raise ValueError("not mended yet")
                        return {**event, "times": times}
                    """,
            "grains/mend/handler.py", """
                    def handle(event, context):
                        context.data.put("mended", event)
                    """,
            "grains/seen/handler.py", """
                    def handle(event, context):
                        return {name: context.data.get(f"{event}/{name}") for name in ("token", "asked", "told", "whole", "broken")}
                    """,
            "workflows/callback.asl.json", """
                    {"StartAt": "Ask", "States": {"Ask": ASK}}""".replace("ASK", ASK),
            "workflows/parent.asl.json", """
                    {"StartAt": "Child", "States": {"Child": {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution.sync:2",
                      "Parameters": {"StateMachineArn": "callback", "Input.$": "$"}, "OutputPath": "$.Output", "End": true}}}""",
            "workflows/comeback.asl.json", """
                    {"StartAt": "Both", "States": {"Both": {"Type": "Parallel", "OutputPath": "$[1]", "End": true, "Branches": [
                      {"StartAt": "Whole", "States": {"Whole": {"Type": "Task", "Resource": "step", "Parameters": {"order.$": "$.order",
                        "step": "whole"}, "End": true}}},
                      {"StartAt": "After", "States": {
                        "After": {"Type": "Wait", "Seconds": 2, "Next": "Broken"},
                        "Broken": {"Type": "Task", "Resource": "step", "Parameters": {"order.$": "$.order", "step": "broken"}, "Next": "Ask"},
                        "Ask": ASK}},
                      {"StartAt": "Late", "States": {"Late": {"Type": "Wait", "Seconds": 5, "End": true}}}]}}}
                    """.replace("ASK", ASK));

    private final PlatformClient client;
    private final String workflow;
    private final List<String> names;
    private final List<String> executions;

    private Orders(PlatformClient client, String workflow, List<String> names) {
        this.client = client;
        this.workflow = workflow;
        this.names = names;
        this.executions = names.stream().map(name -> begin(name).json().path("executionId").asText()).toList();
    }

    static void deploy(PlatformClient client) {
        client.deploy(FILES);
    }

    static Orders begin(PlatformClient client, String workflow, int count) {
        String run = workflow + "-" + System.nanoTime() + "-";
        return new Orders(client, workflow, IntStream.range(0, count).mapToObj(n -> run + n).toList());
    }

    private PlatformClient.Answer begin(String name) {
        return await("the order is taken").atMost(LONGEST).until(() -> client.invokeLater(NAME + "/" + workflow, "{\"order\": \"" + name + "\"}",
                Map.of("Prefer", "respond-async", "Sand-Timeout", "10m", "Idempotency-Key", name)).join(), answer -> answer.status() == 202);
    }

    /** Returns when every host sees it: a read may be a second behind another host's write (docs/DATA.md). */
    static void mend(PlatformClient client, boolean isMended) {
        await("the mended step").atMost(LONGEST).until(() -> client.invoke(NAME + "/mend", String.valueOf(isMended)).status() == 200);
        await("what another host wrote").pollDelay(SEEN).atMost(LONGEST).until(() -> true);
    }

    int count() {
        return names.size();
    }

    /** The host that owns the first of them. */
    String owner(ClusterFixture cluster) {
        int slots = cluster.hosts().stream().mapToInt(host -> cluster.slots(client, host).size()).sum();
        int slot = Slots.of(executions.getFirst(), slots);
        return cluster.hosts().stream().filter(host -> cluster.slots(client, host).contains(slot)).findFirst().orElseThrow();
    }

    /** What its grains did. */
    JsonNode seen(int n) {
        return await("what was seen of order " + n).atMost(LONGEST).until(() -> client.invoke(NAME + "/seen", "\"" + names.get(n) + "\""),
                answer -> answer.status() == 200).json();
    }

    void awaitTokens() {
        for (int n = 0; n < count(); n++) {
            int order = n;
            await("the token of order " + n).atMost(LONGEST).until(() -> seen(order).path("token").isTextual());
        }
    }

    JsonNode record(int n) {
        return await("the record of order " + n).atMost(LONGEST).until(() -> client.get(path(n)), answer -> answer.status() == 200).json();
    }

    void awaitStatus(String status) {
        for (int n = 0; n < count(); n++) {
            int order = n;
            await(status + " of order " + n).atMost(LONGEST).until(() -> record(order).path("status").asText().equals(status));
        }
    }

    void redrive() {
        for (int n = 0; n < count(); n++) {
            String path = path(n) + "/redrive";
            await("the redrive of order " + n).atMost(LONGEST).until(() -> client.post(path, "{\"redriveCount\": 1}").status() == 202);
        }
    }

    /** @return how the first report that was answered at all was */
    int callBack(int n) {
        String body = "{\"token\": " + seen(n).path("token") + ", \"output\": {\"order\": " + n + "}}";
        return await("the callback of order " + n).atMost(LONGEST).until(() -> client.post("/api/v1/task-tokens/success", body).status(),
                status -> status == 200 || status == 409);
    }

    PlatformClient.Answer output(int n) {
        return client.get(path(n) + "/output");
    }

    /** Types of events, in order; once the end is among them. */
    List<String> history(int n) {
        JsonNode events = await("the whole history of order " + n).atMost(LONGEST).until(
                () -> client.get(path(n) + "/history?limit=1000").json().path("events"),
                all -> all.findValuesAsText("type").contains("ExecutionSucceeded"));
        return events.findValuesAsText("type");
    }

    private String path(int n) {
        return "/api/v1/applications/" + NAME + "/invocations/" + executions.get(n);
    }
}
