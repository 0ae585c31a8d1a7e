package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.Ids;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.Redrive;
import dev.sand.event.SandboxSpec;
import dev.sand.event.TaskCallback;
import dev.sand.frontend.FakeHostAgent;
import dev.sand.workflow.TaskTokens;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a frontend may rely on, whether the host agent is in its own process or at the other end of a network. */
abstract class HostAgentPortContract {
    private final Random random = new Random(7);

    @TempDir
    Path folder;

    abstract HostAgentPort port();

    /** The host agent at the other end. */
    abstract FakeHostAgent agent();

    private String id() {
        return Ids.next(1_700_000_000_000L, random);
    }

    private Caller invoke(String id, String target, byte[] input, boolean durable) {
        Caller caller = new Caller();
        port().invoke(Caller.request(id, target, input, 20_000, durable), caller);
        return caller;
    }

    @Test
    void a_redrive_arrives_as_such() throws Exception {
        String id = id();
        Redrive redrive = new Redrive(2, Status.TIMED_OUT, "E", null, 3, 4);
        InvocationRequest first = Caller.request(id, "echo", new byte[] {'1'}, 20_000, true);
        Caller caller = new Caller();
        port().invoke(new InvocationRequest(id, first.application(), first.version(), first.target(), first.input(), 20_000, true, null,
                redrive), caller);
        caller.awaitAccepted();
        assertThat(agent().requests).filteredOn(request -> request.executionId().equals(id))
                .isNotEmpty().allMatch(request -> redrive.equals(request.redrive()));
    }

    @Test
    void an_answer_has_the_output_and_every_hop() throws Exception {
        String id = id();
        InvocationResult result = invoke(id, "echo", new byte[] {1, 2, 3}, false).result();
        assertThat(result.executionId()).isEqualTo(id);
        assertThat(result.status()).isEqualTo(Status.SUCCEEDED);
        assertThat(result.output().contentType()).isEqualTo(Payload.OCTETS);
        assertThat(result.output().bytes()).containsExactly(1, 2, 3);
        assertThat(result.hops()).singleElement().satisfies(hop -> {
            assertThat(hop.eventId()).isEqualTo(id + "/echo");
            assertThat(hop.handedNs() - hop.queuedNs()).isEqualTo(50_000);
            assertThat(hop.peakMemoryBytes()).isEqualTo(12 << 20);
            assertThat(hop.error()).isNull();
        });
    }

    @Test
    void a_failure_comes_as_it_is() throws Exception {
        Failure failure = invoke(id(), "fail", new byte[1], false).result().failure();
        assertThat(failure).isEqualTo(Failure.grain("ValueError", "no such colour", "Traceback …\nValueError: no such colour"));
        Failure full = invoke(id(), "full", new byte[1], false).result().failure();
        assertThat(full.error()).isEqualTo(Errors.OVERLOADED);
        assertThat(full.retryable()).isTrue();
        assertThat(full.details()).isEqualTo(Map.of("limit", 10, "actual", 11));
    }

    @Test
    void a_durable_request_is_accepted_before_it_ends() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", new byte[1], true);
        caller.awaitAccepted();
        assertThat(caller.answers).hasValue(0);
        agent().release(id, Payload.nullJson());
        assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
    }

    @Test
    void the_same_id_joins_and_each_caller_is_answered_once() throws Exception {
        String id = id();
        Caller first = invoke(id, "hold", new byte[1], true);
        first.awaitAccepted();
        Caller second = invoke(id, "hold", new byte[1], true);
        second.awaitAccepted();
        agent().release(id, Payload.json("1".getBytes()));
        assertThat(first.result().output().bytes()).containsExactly('1');
        assertThat(second.result().output().bytes()).containsExactly('1');
        assertThat(first.answers).hasValue(1);
        assertThat(second.answers).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Limits.INLINE_BYTES, Limits.INLINE_BYTES + 1, 300_000, 20 << 20})
    void values_of_any_size_pass_both_ways(int size) throws Exception {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        assertThat(invoke(id(), "echo", bytes, false).result().output().bytes()).isEqualTo(bytes);
    }

    @Test
    void large_and_small_calls_are_under_way_together() throws Exception {
        List<Caller> callers = new ArrayList<>();
        List<byte[]> inputs = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            byte[] input = new byte[i % 6 == 0 ? 3 << 20 : 100];
            random.nextBytes(input);
            inputs.add(input);
            callers.add(invoke(id(), "echo", input, false));
        }
        for (int i = 0; i < callers.size(); i++) {
            assertThat(callers.get(i).result().output().bytes()).isEqualTo(inputs.get(i));
        }
    }

    @Test
    void many_wait_at_once_and_one_can_be_cancelled() throws Exception {
        List<String> ids = new ArrayList<>();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ids.add(id());
            callers.add(invoke(ids.get(i), "hold", new byte[1], true));
        }
        for (Caller caller : callers) {
            caller.awaitAccepted();
        }
        assertThat(port().cancel(ids.get(7), "no longer wanted").join()).isTrue();
        assertThat(callers.get(7).result().status()).isEqualTo(Status.CANCELLED);
        assertThat(callers.get(7).result().failure().cause()).isEqualTo("no longer wanted");
        assertThat(port().cancel(ids.get(7), "again").join()).isFalse();
        assertThat(port().cancel(ids.get(8), "Mine", "as given").join()).isTrue();
        assertThat(callers.get(8).result().failure()).isEqualTo(Failure.caller("Mine", "as given"));
        for (int i = 0; i < ids.size(); i++) {
            if (i != 7 && i != 8) {
                agent().release(ids.get(i), Payload.nullJson());
                assertThat(callers.get(i).result().status()).isEqualTo(Status.SUCCEEDED);
            }
        }
    }

    @Test
    void a_callback_comes_as_it_was_sent_and_its_outcome_back() {
        String token = TaskTokens.ofTrial().token("demo", id(), "Ask>token");
        TaskCallback success = TaskCallback.success(token, Payload.json("{\"n\": 1.50}".getBytes(StandardCharsets.UTF_8)));
        for (TaskCallback callback : List.of(success, TaskCallback.failure(token, "E", null), TaskCallback.heartbeat(token))) {
            assertThat(port().callBack(callback).join()).isEqualTo(TaskCallback.Outcome.TAKEN);
            assertThat(agent().callbacks.getLast()).usingRecursiveComparison().isEqualTo(callback);
        }
        agent().callbackOutcome = TaskCallback.Outcome.NOT_AWAITED;
        assertThat(port().callBack(success).join()).isEqualTo(TaskCallback.Outcome.NOT_AWAITED);
    }

    @Test
    void who_watches_is_told_of_each_hop_and_of_the_end() throws Exception {
        String id = id();
        invoke(id, "hold", new byte[1], true).awaitAccepted();
        List<String> told = new CopyOnWriteArrayList<>();
        HostAgentPort.ProgressListener listener = new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                told.add(hop.grain());
            }

            @Override
            public void onEnd() {
                told.add("end");
            }
        };
        try (AutoCloseable watch = port().watch(id, listener)) {
            assertThat(watch).isNotNull();
            await().until(() -> !agent().running.get(id).watchers().isEmpty());
            agent().release(id, Payload.nullJson());
            await().untilAsserted(() -> assertThat(told).containsExactly("hold", "end"));
        }
        try (AutoCloseable watch = port().watch(id, listener)) {
            assertThat(watch).isNotNull();
            await().untilAsserted(() -> assertThat(told).containsExactly("hold", "end", "end"));
        }
    }

    @Test
    void who_watches_no_more_is_told_nothing() throws Exception {
        String id = id();
        invoke(id, "hold", new byte[1], true).awaitAccepted();
        AutoCloseable watch = port().watch(id, new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {}

            @Override
            public void onEnd() {}
        });
        await().until(() -> !agent().running.get(id).watchers().isEmpty());
        watch.close();
        await().until(() -> agent().running.get(id).watchers().isEmpty());
    }

    @Test
    void a_folder_is_built_where_the_host_agent_is() throws Exception {
        Path source = Files.createDirectories(folder.resolve("app"));
        Files.createDirectories(source.resolve("grains/greet/data"));
        Files.writeString(source.resolve("grains/greet/handler.py"), "def handle(event, context): return 1\n");
        byte[] large = new byte[3 << 20];
        random.nextBytes(large);
        Files.write(source.resolve("grains/greet/data/größe.bin"), large);
        Path tool = Files.writeString(source.resolve("grains/greet/tool.sh"), "#!/bin/sh\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
        List<String> lines = new CopyOnWriteArrayList<>();
        var built = port().build(build(source), lines::add).join();
        assertThat(built.bundle()).startsWith("bundle-demo");
        assertThat(built.dependencies()).isNull();
        assertThat(built.resolved()).isEmpty();
        assertThat(lines).contains("importing [greet]");
        assertThat(agent().builds).singleElement().satisfies(request -> {
            assertThat(request.sandbox()).isEqualTo(SandboxSpec.DEFAULT);
            assertThat(request.grains()).isEqualTo(Map.of("greet", GrainSpec.withDefaults("greet")));
        });
        Path bundle = agent().bundle(built.bundle());
        assertThat(Files.readAllBytes(bundle.resolve("grains/greet/data/größe.bin"))).isEqualTo(large);
        assertThat(Files.isExecutable(bundle.resolve("grains/greet/tool.sh"))).isTrue();
        assertThat(Files.isExecutable(bundle.resolve("grains/greet/handler.py"))).isFalse();
    }

    private static BuildRequest build(Path source) {
        return new BuildRequest("demo", source, SandboxSpec.DEFAULT, Map.of("greet", GrainSpec.withDefaults("greet")));
    }

    @Test
    void a_build_that_fails_says_why() throws Exception {
        Path source = Files.createDirectories(folder.resolve("app"));
        Files.writeString(source.resolve("x.py"), "import nothing\n");
        agent().buildFailure = Failure.grain("ModuleNotFoundError", "No module named 'nothing'", "Traceback");
        assertThatThrownBy(() -> port().build(build(source), line -> { }).join()).isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(BuildException.class)
                .satisfies(e -> assertThat(((BuildException) e.getCause()).failure()).isEqualTo(agent().buildFailure));
    }

    @Test
    void a_version_is_retired_and_an_applications_data_forgotten() throws Exception {
        port().retire("demo", 3);
        await().untilAsserted(() -> assertThat(agent().retired).containsExactly("demo@3"));
        port().deleteApplication("demo", 7).join();
        assertThat(agent().deleted).containsExactly("demo@7");
    }

    @Test
    void how_executions_ended_lately_is_told_from_a_moment_on() {
        agent().recent.clear();
        agent().recent.add(new RecentEnds("here", null, 5, List.of(new RecentEnds.Step("demo", 10_000, 4, 1, 3, new int[] {1, 0, 3}),
                new RecentEnds.Step("demo", 20_000, 7, 0, 2, new int[] {7}))));
        assertThat(port().recentEnds(15_000).join()).singleElement().satisfies(host -> {
            assertThat(host.problem()).isNull();
            assertThat(host.sinceMs()).isEqualTo(5);
            assertThat(host.steps()).singleElement().satisfies(step -> {
                assertThat(step.startMs()).isEqualTo(20_000);
                assertThat(step.ended()).isEqualTo(7);
                assertThat(step.counts()).containsExactly(7);
            });
        });
    }

    @Test
    void the_status_of_an_application_has_its_sandboxes_alone() {
        assertThat(port().status("demo").join()).singleElement()
                .satisfies(host -> assertThat(host.sandboxes()).isEqualTo(agent().status().join().getFirst().sandboxes()));
        assertThat(port().status("other").join()).singleElement().satisfies(host -> {
            assertThat(host.problem()).isNull();
            assertThat(host.sandboxes()).isEmpty();
        });
    }

    @Test
    void what_waits_for_a_grain_is_told_with_the_beginning_of_its_input() {
        QueuedEvents.Queued event = new QueuedEvents.Queued(3, "e1", "e1/echo", 5_000, 2, 1 << 20, "text/plain", new byte[] {1, 2});
        agent().queued = List.of(new QueuedEvents("here", null, List.of(event), true));
        assertThat(port().queued(new QueuedEvents.Look("demo", "echo", 7)).join()).singleElement().satisfies(host -> {
            assertThat(host.problem()).isNull();
            assertThat(host.more()).isTrue();
            assertThat(host.events()).usingRecursiveFieldByFieldElementComparator().containsExactly(event);
        });
        assertThat(agent().looks).containsExactly(new QueuedEvents.Look("demo", "echo", 7));
    }

    @Test
    void the_status_has_every_sandbox() {
        var status = port().status().join();
        assertThat(status).singleElement().satisfies(host -> {
            assertThat(host.problem()).isNull();
            assertThat(host.sandboxKind()).isEqualTo("process");
            assertThat(host.sandboxes()).isEqualTo(agent().status().join().getFirst().sandboxes());
        });
    }
}
