package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.datalayer.LogStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.QueuedEvents;
import dev.sand.event.TaskCallback;
import dev.sand.globalbus.MemoryBus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The host agent with the real Python runtime: requests run in processes of their own, and what goes wrong has a name. */
@Tag("slow")
class HostAgentTest {
    private static final String ECHO = """
            import os
            def handle(event, context):
                return {"got": event, "pid": os.getpid()}
            """;

    private static TestPlatform platform;

    @BeforeAll
    static void start() throws Exception {
        platform = new TestPlatform();
    }

    @AfterAll
    static void stop() throws Exception {
        platform.close();
    }

    @AfterEach
    void noInvariantIsBroken() {
        assertThat(platform.broken).isNotDone();
    }

    @Test
    void aGrainAnswersInAProcessOfItsOwn() throws Exception {
        ApplicationVersion version = platform.deploy("echo", Map.of("echo", ECHO));
        InvocationResult first = platform.invoke(version, "echo", "{\"n\":1}");
        InvocationResult second = platform.invoke(version, "echo", "{\"n\":2}");
        assertThat(TestPlatform.text(first)).startsWith("{\"got\":{\"n\":1}");
        assertThat(TestPlatform.text(second)).startsWith("{\"got\":{\"n\":2}").isNotEqualTo(TestPlatform.text(first));
        InvocationResult.Hop hop = second.hops().getFirst();
        assertThat(List.of(hop.queuedNs(), hop.handedNs(), hop.startedNs(), hop.endedNs(), hop.returnedNs())).isSorted();
        await().untilAsserted(() -> assertThat(platform.invocations.get("echo", second.executionId())).get()
                .satisfies(record -> {
                    assertThat(record.status()).isEqualTo(Status.SUCCEEDED);
                    assertThat(record.cpuUs()).as("known once the process is reaped").isPositive();
                    assertThat(record.peakMemoryBytes()).isPositive();
                }));
    }

    /** With the beginnings of their inputs, also of those that lie in shared memory. */
    @Test
    void whatWaitsForAnInstanceIsLookedAtAndRunsAllTheSame() throws Exception {
        ApplicationVersion version = platform.deploy("busy", Map.of("hold", """
                import time
                def handle(event, context):
                    time.sleep(2 if event == 0 else 0)
                    return len(str(event))
                """), Map.of(), spec -> changed(spec, GrainSpec.Isolation.REQUEST, spec.timeoutMs(), 1));
        CompletableFuture<InvocationResult> first = platform.start(version, "hold", "0", 30_000);
        String large = "\"" + "x".repeat(300_000) + "\"";
        CompletableFuture<InvocationResult> second = platform.start(version, "hold", large, 30_000);
        QueuedEvents.Look look = new QueuedEvents.Look("busy", "hold", 10);
        await().until(() -> platform.agent.status("busy").join().getFirst().sandboxes().stream()
                .anyMatch(sandbox -> sandbox.grains().getFirst().queued() == 1 && sandbox.grains().getFirst().running() == 1));
        QueuedEvents told = platform.agent.queued(look).join().getFirst();
        assertThat(told.more()).isFalse();
        assertThat(told.events()).singleElement().satisfies(event -> {
            assertThat(event.bytes()).isEqualTo(large.length());
            assertThat(new String(event.preview(), StandardCharsets.UTF_8)).isEqualTo(large.substring(0, QueuedEvents.PREVIEW_BYTES));
            assertThat(event.eventId()).isEqualTo(event.executionId() + "/hold");
            assertThat(event.queuedMs()).isCloseTo(System.currentTimeMillis(), within(60_000L));
        });
        assertThat(platform.agent.queued(new QueuedEvents.Look("busy", "hold", 10)).join().getFirst().events()).hasSize(1);
        assertThat(TestPlatform.text(first.get(30, TimeUnit.SECONDS))).isEqualTo("1");
        assertThat(TestPlatform.text(second.get(30, TimeUnit.SECONDS))).isEqualTo("300000");
        await().untilAsserted(() -> assertThat(platform.agent.status("busy").join().getFirst().sandboxes().getFirst().grains().getFirst())
                .satisfies(grain -> assertThat(List.of(grain.inPerSecond(), grain.outPerSecond())).containsExactly(0.2, 0.2)));
        assertThat(platform.agent.status("nothing").join().getFirst().sandboxes()).isEmpty();
    }

    @Test
    void anInstanceOfIsolationWorkerServesManyRequests() throws Exception {
        ApplicationVersion version = platform.deploy("shared", Map.of("echo", ECHO), Map.of(), spec ->
                changed(spec, GrainSpec.Isolation.WORKER, spec.timeoutMs(), 1));
        String first = TestPlatform.text(platform.invoke(version, "echo", "1"));
        for (int i = 0; i < 20; i++) {
            assertThat(TestPlatform.text(platform.invoke(version, "echo", "1"))).isEqualTo(first);
        }
    }

    @Test
    void aTaskWaitsForWhoeverHasItsToken() throws Exception {
        ApplicationVersion version = platform.deploy("asks", Map.of("ask", "def handle(event, context):\n    print(event['token'])\n"),
                Map.of("main", """
                        {"StartAt": "Ask", "States": {"Ask": {"Type": "Task", "Resource": "ask.waitForTaskToken",
                          "Parameters": {"token.$": "$$.Task.Token"}, "End": true}}}
                        """), spec -> spec);
        CompletableFuture<InvocationResult> end = platform.start(version, "main", "{}", 30_000);
        List<String> printed = new ArrayList<>();
        await().untilAsserted(() -> {
            printed.clear();
            platform.logs.last("asks", new LogStore.Which(null, "ask"), 10).lines().forEach(line -> printed.add(line.text()));
            assertThat(printed).isNotEmpty();
        });
        assertThat(end).isNotDone();
        TaskCallback report = TaskCallback.success(printed.getFirst(), Payload.json("7".getBytes(StandardCharsets.UTF_8)));
        await().ignoreExceptions().until(() -> platform.agent.callBack(report).join() == TaskCallback.Outcome.TAKEN);
        assertThat(TestPlatform.text(end.get(30, TimeUnit.SECONDS))).isEqualTo("7");
        assertThat(platform.agent.callBack(report).join()).isEqualTo(TaskCallback.Outcome.NOT_AWAITED);
        assertThat(platform.agent.callBack(TaskCallback.heartbeat("none")).join()).isEqualTo(TaskCallback.Outcome.UNKNOWN_TOKEN);
    }

    @Test
    void anOutputGoesToTheNextGrain() throws Exception {
        ApplicationVersion version = platform.deploy("chain",
                Map.of("first", "def handle(event, context):\n    return {'n': event['n'] + 1}\n",
                        "second", "def handle(event, context):\n    return {'n': event['n'] * 10}\n"),
                Map.of("main", """
                        {"StartAt": "First", "States": {
                          "First": {"Type": "Task", "Resource": "first", "Next": "Second"},
                          "Second": {"Type": "Task", "Resource": "second", "End": true}}}
                        """), spec -> spec);
        assertThat(TestPlatform.text(platform.invoke(version, "main", "{\"n\":1}"))).isEqualTo("{\"n\":20}");
    }

    @Test
    void anExceptionIsTheGrainsFailureWithItsTraceback() throws Exception {
        ApplicationVersion version = platform.deploy("raises", Map.of("bad", """
                def handle(event, context):
                    raise ValueError("no such order: 7")
                """));
        Failure failure = platform.invoke(version, "bad", "{}").failure();
        assertThat(failure.error()).isEqualTo("ValueError");
        assertThat(failure.cause()).contains("no such order: 7");
        assertThat(failure.stackTrace()).contains("handler.py");
        assertThat(failure.source()).isEqualTo(Failure.Source.GRAIN);
    }

    @Test
    void aCrashIsNamedAndTheNextRequestIsServed() throws Exception {
        ApplicationVersion version = platform.deploy("crashes", Map.of("crash", """
                import ctypes, os
                def handle(event, context):
                    if event == "segv":
                        ctypes.string_at(0)
                    if event == "exit":
                        os._exit(3)
                    return "fine"
                """));
        for (String how : List.of("\"segv\"", "\"exit\"")) {
            InvocationResult result = platform.invoke(version, "crash", how);
            assertThat(result.status()).isEqualTo(Status.FAILED);
            assertThat(result.failure().error()).isEqualTo(Errors.CRASHED);
            assertThat(TestPlatform.text(platform.invoke(version, "crash", "1"))).isEqualTo("\"fine\"");
        }
    }

    @Test
    void anInfiniteLoopEndsAtTheGrainsTimeout() throws Exception {
        ApplicationVersion version = platform.deploy("loops", Map.of("loop", """
                def handle(event, context):
                    while event:
                        pass
                    return "fine"
                """), Map.of(), spec -> changed(spec, GrainSpec.Isolation.REQUEST, 300, 10));
        InvocationResult result = platform.invoke(version, "loop", "true");
        assertThat(result.failure().error()).isEqualTo(Errors.TIMEOUT);
        assertThat(TestPlatform.text(platform.invoke(version, "loop", "false"))).isEqualTo("\"fine\"");
    }

    @Test
    void aSynchronousRequestEndsWithItsApplication() throws Exception {
        ApplicationVersion version = platform.deploy("deleted", Map.of("loop", """
                def handle(event, context):
                    while event:
                        pass
                """));
        platform.invoke(version, "loop", "false");
        CompletableFuture<InvocationResult> running = platform.start(version, "loop", "true", 60_000);
        await().until(() -> platform.agent.status().join().getFirst().sandboxes().stream()
                .anyMatch(sandbox -> sandbox.application().equals("deleted") && sandbox.executions() == 1));
        platform.agent.deleteApplication("deleted", version.version()).get(10, TimeUnit.SECONDS);
        assertThat(running.get(60, TimeUnit.SECONDS).status()).isEqualTo(Status.CANCELLED);
        assertThat(running.join().failure().cause()).contains("is deleted");
        InvocationResult late = platform.invoke(version, "loop", "false");
        assertThat(late.failure().error()).as("from a frontend that has not heard of it").isEqualTo(Errors.NOT_FOUND);
        platform.invocations.deleteApplication("deleted");
        ApplicationVersion next = platform.deploy("deleted", Map.of("loop", "def handle(event, context):\n    return 'next'\n"));
        assertThat(TestPlatform.text(platform.invoke(next, "loop", "1"))).isEqualTo("\"next\"");
        await().until(() -> !platform.invocations.list("deleted", Filter.ALL, null, 10).records().isEmpty());
        assertThat(platform.invocations.list("deleted", Filter.ALL, null, 10).records())
                .as("figures of what was killed came after its end").allMatch(record -> record.version() == next.version());
    }

    @Test
    void aHandlerThatDoesNotImportFailsWhatWaitsForIt() throws Exception {
        ApplicationVersion version = platform.deploy("broken", Map.of("bad", "import nosuchmodule\n"));
        Failure failure = platform.invoke(version, "bad", "{}").failure();
        assertThat(failure.cause()).contains("nosuchmodule");
    }

    @Test
    void anUnknownVersionIsRefused() throws Exception {
        ApplicationVersion version = platform.deploy("known", Map.of("echo", ECHO));
        ApplicationVersion unknown = new ApplicationVersion(version.schema(), "known", 99, version.bundle(), null,
                version.sandbox(), version.grains(), version.workflows(), version.routes(), Map.of(), version.durability(), 0);
        assertThat(platform.invoke(unknown, "echo", "{}").failure().error()).isEqualTo(Errors.NOT_FOUND);
    }

    @Test
    void outputOfAnInvocationIsKeptWithIt() throws Exception {
        ApplicationVersion version = platform.deploy("talks", Map.of("talk", """
                import sys
                def handle(event, context):
                    print("to stdout")
                    print("to stderr", file=sys.stderr)
                    context.logger.info("structured", order=7)
                    return None
                """));
        String id = platform.invoke(version, "talk", "{}").executionId();
        await().untilAsserted(() -> assertThat(platform.logs.after("talks", new LogStore.Which(id, null), 0, 100).lines()).hasSize(3));
        assertThat(platform.logs.after("talks", new LogStore.Which(id, null), 0, 100).lines()).extracting(LogStore.Line::stream)
                .containsExactlyInAnyOrder("stdout", "stdout", "stderr");
        assertThat(platform.logs.after("talks", new LogStore.Which(id, "talk"), 0, 100).lines()).anySatisfy(line -> {
            assertThat(line.level()).isEqualTo("info");
            assertThat(line.text()).contains("\"order\":7");
        });
    }

    @Test
    void grainsShareDataAndSecretsAreGrantedByName() throws Exception {
        ApplicationVersion version = platform.deploy("shares", Map.of("share", """
                def handle(event, context):
                    context.data.put("k", {"v": 1})
                    return [context.data.get("k"), context.data.list(""), context.secret("API_KEY")]
                """), Map.of(), spec -> new GrainSpec(spec.name(), spec.entry(), spec.isolation(), spec.preload(),
                spec.timeoutMs(), spec.concurrency(), spec.memoryBytes(), spec.queueDepth(), spec.queueBytes(), spec.minIdle(),
                spec.maxIdle(), spec.maxRequests(), spec.environment(), List.of("API_KEY")));
        assertThat(TestPlatform.text(platform.invoke(version, "share", "{}")))
                .isEqualTo("[{\"v\":1},[\"k\"],\"key-of-shares\"]");
    }

    @ParameterizedTest
    @EnumSource(GrainSpec.Isolation.class)
    void aSecretThatChangesIsThereWithTheNextRequest(GrainSpec.Isolation isolation) throws Exception {
        platform.key = "key";
        ApplicationVersion version = platform.deploy("renews", Map.of("tell", """
                import time
                def handle(event, context):
                    before = context.secret("API_KEY")
                    time.sleep(event)
                    if event < 0.01:
                        raise ValueError(f"key-of-renews new-of-renews {context.secret('API_KEY')}")
                    return [before, context.secret("API_KEY")]
                """), Map.of(), spec -> new GrainSpec(spec.name(), spec.entry(), isolation, spec.preload(),
                spec.timeoutMs(), 2, spec.memoryBytes(), spec.queueDepth(), spec.queueBytes(), 2,
                2, 0, spec.environment(), List.of("API_KEY")));
        assertThat(TestPlatform.text(platform.invoke(version, "tell", "0.01"))).contains("key-of-renews");
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        CompletableFuture<InvocationResult> running = platform.start(TestPlatform.request(version, "tell",
                Payload.json("2".getBytes(StandardCharsets.UTF_8)), 30_000, false), accepted);
        await().until(() -> platform.agent.status().join().getFirst().sandboxes().stream()
                .anyMatch(sandbox -> sandbox.grains().stream().anyMatch(grain -> grain.running() == 1)));
        platform.key = "new";
        platform.agent.secretsChanged("renews");
        assertThat(TestPlatform.text(platform.invoke(version, "tell", "0.01"))).isEqualTo("[\"new-of-renews\",\"new-of-renews\"]");
        assertThat(TestPlatform.text(running.get(30, TimeUnit.SECONDS))).isEqualTo("[\"key-of-renews\",\"key-of-renews\"]");
        assertThat(platform.invoke(version, "tell", "0").failure().cause()).as("the one before is masked too").isEqualTo("*** *** ***");
        platform.key = "key";
    }

    /** Thousands a second come over the data plane, and an application may have 2,000. */
    @Test
    void aLargeInputLeavesMemoryWithItsInvocation() throws Exception {
        ApplicationVersion version = platform.deploy("read", Map.of("length", "def handle(event, context):\n    return len(event)\n"),
                Map.of(), spec -> spec);
        String large = "\"" + "x".repeat(300_000) + "\"";
        for (int i = 0; i < 40; i++) {
            assertThat(TestPlatform.text(platform.invoke(version, "length", large))).isEqualTo("300000");
        }
        assertThat(platform.segments().bytes()).isLessThan(20L * large.length());
    }

    @Test
    void aLargeValueTravelsByReferenceFromRequestToResponse() throws Exception {
        ApplicationVersion version = platform.deploy("large",
                Map.of("grow", "def handle(event, context):\n    return bytes(event) * 4\n",
                        "turn", "def handle(event, context):\n    return bytes(reversed(bytes(event)))\n"),
                Map.of("main", """
                        {"StartAt": "Grow", "States": {
                          "Grow": {"Type": "Task", "Resource": "grow", "Next": "Turn"},
                          "Turn": {"Type": "Task", "Resource": "turn", "End": true}}}
                        """), spec -> spec);
        byte[] body = new byte[300_000];
        body[0] = 1;
        InvocationResult result = platform.start(TestPlatform.request(version, "main",
                new Payload(Payload.OCTETS, body, null), 30_000, false), new CompletableFuture<>()).get(60, TimeUnit.SECONDS);
        assertThat(result.failure()).isNull();
        assertThat(result.output().bytes()).hasSize(1_200_000);
        assertThat(result.output().bytes()[1_199_999]).isEqualTo((byte) 1);
        await().untilAsserted(() -> assertThat(platform.invocations.get("large", result.executionId())).get()
                .satisfies(record -> assertThat(record.output().size()).isEqualTo(1_200_000)));
    }

    @Test
    void applicationsAreSpreadOverShardsAndBlankSandboxesGoToAny() throws Exception {
        try (TestPlatform many = new TestPlatform(new MemoryBus(), HostAgentConfiguration.defaults("many").withShards(3), 1)) {
            for (String application : List.of("one", "two", "three", "four")) {
                ApplicationVersion version = many.deploy(application, Map.of("echo", ECHO));
                assertThat(TestPlatform.text(many.invoke(version, "echo", "1"))).startsWith("{\"got\":1");
            }
            assertThat(many.agent.status().get(10, TimeUnit.SECONDS).getFirst().sandboxes()).hasSize(4);
            assertThat(many.agent.cancel("nothing", "test").get(10, TimeUnit.SECONDS)).isFalse();
            CompletableFuture<Void> ended = new CompletableFuture<>();
            many.agent.watch("nothing", new HostAgentPort.ProgressListener() {
                @Override
                public void onHop(InvocationResult.Hop hop) {}

                @Override
                public void onEnd() {
                    ended.complete(null);
                }
            });
            ended.get(10, TimeUnit.SECONDS);
            assertThat(many.broken).isNotDone();
        }
    }

    @Test
    void whatWasAcceptedRunsAgainAfterTheHostAgentEnded() throws Exception {
        String slow = """
                import time
                def handle(event, context):
                    time.sleep(event)
                    return "done"
                """;
        MemoryBus bus = new MemoryBus();
        HostAgentConfiguration impatient = HostAgentConfiguration.defaults("first").withDrainTimeout(Duration.ZERO);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        InvocationRequest request;
        try (TestPlatform first = new TestPlatform(bus, impatient, 0)) {
            ApplicationVersion version = first.deploy("slow", Map.of("slow", slow));
            request = TestPlatform.request(version, "slow", Payload.json("1".getBytes()), 60_000, true);
            first.start(request, accepted);
            accepted.get(30, TimeUnit.SECONDS);
        }
        try (TestPlatform second = new TestPlatform(bus, HostAgentConfiguration.defaults("second"), 0, other ->
                other.deploy("slow", Map.of("slow", slow)))) {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() ->
                    assertThat(second.invocations.get("slow", request.executionId())).get()
                            .satisfies(record -> assertThat(record.status()).isEqualTo(Status.SUCCEEDED)));
        }
    }

    @Test
    void aWorkerKilledUnderLoadLosesNoRequest() throws Exception {
        ApplicationVersion version = platform.deploy("killed", Map.of("echo", ECHO));
        platform.invoke(version, "echo", "0");
        List<CompletableFuture<InvocationResult>> results = new ArrayList<>();
        ProcessHandle worker = platform.process("killed", 1);
        for (int i = 0; i < 200; i++) {
            results.add(platform.start(version, "echo", Integer.toString(i), 60_000));
            if (i == 100) {
                results.get(20).get(60, TimeUnit.SECONDS);
                assertThat(worker.destroyForcibly()).isTrue();
            }
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(TestPlatform.text(results.get(i).get(60, TimeUnit.SECONDS))).startsWith("{\"got\":" + i + ",");
        }
        assertThat(platform.process("killed", 1)).isNotEqualTo(worker);
    }

    @Test
    void aSandboxKilledUnderLoadLosesNoRequest() throws Exception {
        ApplicationVersion version = platform.deploy("gone", Map.of("echo", ECHO));
        platform.invoke(version, "echo", "0");
        ProcessHandle supervisor = platform.process("gone", 0);
        List<CompletableFuture<InvocationResult>> results = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            results.add(platform.start(version, "echo", Integer.toString(i), 60_000));
            if (i == 50) {
                supervisor.destroyForcibly();
            }
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(TestPlatform.text(results.get(i).get(60, TimeUnit.SECONDS))).startsWith("{\"got\":" + i + ",");
        }
    }

    private static GrainSpec changed(GrainSpec spec, GrainSpec.Isolation isolation, long timeoutMs, int concurrency) {
        return new GrainSpec(spec.name(), spec.entry(), isolation, spec.preload(), timeoutMs, concurrency,
                spec.memoryBytes(), spec.queueDepth(), spec.queueBytes(), spec.minIdle(), spec.maxIdle(), spec.maxRequests(),
                spec.environment(), spec.secrets());
    }
}
