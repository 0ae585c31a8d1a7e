package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.RequestRecord;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.LinkOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of requests when hosts go, slots move and answers are lost. */
@Tag("slow")
class RemoteHostsTest {
    private final Random random = new Random(11);
    private final InvocationStore records = new InvocationStore(new MemoryStore(), InvocationStore.Options.DEFAULT);
    private final MemoryBus bus = new MemoryBus();
    private final HandMadeMembership membership = new HandMadeMembership();
    private final HostLinks links = new HostLinks("frontend", FakeHost.KEY, LinkOptions.DEFAULT);
    private FakeHost a;
    private FakeHost b;
    private RemoteHosts hosts;

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws Exception {
        bus.createTopic(Topics.requests("demo"), HandMadeMembership.SLOTS);
        a = new FakeHost("a", records, 1);
        b = new FakeHost("b", records, 0);
        membership.host("a", a.address(), false);
        membership.host("b", b.address(), false);
        membership.ownAll("a", 1);
        hosts = new RemoteHosts(RemoteHosts.Parts.remote(membership, bus, new RecordedResults(records), links),
                RoutingOptions.DEFAULT.withOverBus(Duration.ofMillis(200)).withGrace(Duration.ofMillis(300)).withBuild(Duration.ofMillis(600))
                        .withMostOverBus(3).withAccept(Duration.ofMillis(700)));
        await().until(() -> hosts.status().join().stream().allMatch(host -> host.problem() == null));
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
        links.close();
        a.close();
        b.close();
        bus.close();
        records.close();
    }

    private String id() {
        return Ids.next(1_700_000_000_000L, random);
    }

    private Caller invoke(String id, String target, long timeoutMs, boolean durable) {
        Caller caller = new Caller();
        hosts.invoke(Caller.request(id, target, new byte[] {5}, timeoutMs, durable), caller);
        return caller;
    }

    private static boolean runs(FakeHost host, String id) {
        return host.agent.running.containsKey(id);
    }

    private void toB(long epoch) {
        b.epoch = epoch;
        membership.ownAll("b", epoch);
    }

    @Test
    void each_execution_is_its_slots_owners() throws Exception {
        b.epoch = 2;
        for (int slot = 0; slot < HandMadeMembership.SLOTS; slot += 2) {
            membership.own(slot, "b", 2);
        }
        for (int i = 0; i < 40; i++) {
            String id = id();
            assertThat(invoke(id, "echo", 20_000, false).result().status()).isEqualTo(Status.SUCCEEDED);
            FakeHost owner = Slots.of(id, HandMadeMembership.SLOTS) % 2 == 0 ? b : a;
            assertThat(owner.agent.requests).anyMatch(request -> request.executionId().equals(id));
        }
        assertThat(a.agent.requests.size() + b.agent.requests.size()).isEqualTo(40);
    }

    @Test
    void a_request_whose_connection_breaks_is_sent_again_under_its_id() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, false);
        await().until(() -> runs(a, id));
        int port = a.port();
        a.cut();
        a.open(port);
        await().until(() -> a.agent.requests.size() == 2);
        a.agent.release(id, Payload.json("1".getBytes()));
        assertThat(caller.result().output().bytes()).containsExactly('1');
        assertThat(caller.answers).hasValue(1);
        assertThat(a.agent.requests.get(1).timeoutMs()).isLessThanOrEqualTo(a.agent.requests.get(0).timeoutMs());
        assertThat(hosts.counts().timesResent()).isEqualTo(1);
    }

    @Test
    void one_that_is_turned_away_after_its_connection_broke_may_have_run() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, false);
        await().until(() -> runs(a, id));
        a.agent.direct = (request, listener) -> listener.onEnd(new InvocationResult(request.executionId(), Status.FAILED, null,
                Failure.platform(Errors.OVERLOADED, "full", true), List.of()));
        int port = a.port();
        a.cut();
        a.open(port);
        assertThat(caller.result().failure().details()).as("under its key nothing else may run").containsEntry(Failure.MAY_HAVE_RUN, true);
        assertThat(invoke(id(), "hold", 20_000, false).result().failure().details()).as("never begun").isEmpty();
    }

    @Test
    void a_request_follows_its_slot_and_the_old_owners_late_answer_is_refused() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, false);
        await().until(() -> runs(a, id));
        toB(2);
        await().until(() -> runs(b, id));
        a.agent.release(id, Payload.json("\"late\"".getBytes()));
        // The record that the old owner wrote is another part's to refuse: only the answer is looked at here.
        b.agent.release(id, Payload.json("\"new\"".getBytes()));
        assertThat(new String(caller.result().output().bytes())).isEqualTo("\"new\"");
        assertThat(caller.answers).hasValue(1);
    }

    @Test
    void an_answer_of_a_lower_epoch_than_the_owners_is_refused() throws Exception {
        // The view says 5; the host that answers still believes in 3, and is told off until it knows better.
        membership.ownAll("a", 5);
        a.epoch = 3;
        a.agent.direct = (request, listener) -> listener.onEnd(a.agent.succeed(request, Payload.json("\"stale\"".getBytes())));
        Caller caller = invoke(id(), "echo", 20_000, false);
        await().until(() -> hosts.counts().timesRefused() >= 2);
        assertThat(caller.answers).hasValue(0);
        a.agent.direct = null;
        a.epoch = 5;
        assertThat(caller.result().output().bytes()).containsExactly(5);
    }

    @Test
    void a_host_that_says_moved_is_asked_again_or_the_new_owner_is() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        a.agent.direct = (request, listener) -> {
            asked.incrementAndGet();
            listener.onEnd(a.agent.end(request, Status.FAILED, null, Failure.platform(Errors.MOVED, "not ours", true)));
        };
        Caller caller = invoke(id(), "echo", 20_000, false);
        await().until(() -> asked.get() >= 3);
        toB(2);
        assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(b.agent.requests).hasSize(1);
    }

    @Test
    void a_host_that_cannot_take_it_just_now_is_asked_again_for_a_while() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        a.agent.direct = (request, listener) -> {
            if (asked.incrementAndGet() < 4) {
                listener.onEnd(new InvocationResult(request.executionId(), Status.FAILED, null,
                        Failure.platform(Errors.UNAVAILABLE, "stopping", true), List.of()));
            } else {
                listener.onEnd(a.agent.succeed(request, Payload.nullJson()));
            }
        };
        assertThat(invoke(id(), "echo", 20_000, false).result().status()).isEqualTo(Status.SUCCEEDED);
        a.agent.direct = (request, listener) -> listener.onEnd(new InvocationResult(request.executionId(), Status.FAILED, null,
                Failure.platform(Errors.UNAVAILABLE, "the store is away", true), List.of()));
        assertThat(invoke(id(), "echo", 20_000, false).result().failure().cause()).isEqualTo("the store is away");
    }

    @Test
    void what_ended_while_its_answer_was_lost_is_not_run_again() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, false);
        await().until(() -> runs(a, id));
        membership.ownAll(null, 0);
        a.cut();
        // It ends all the same, and its record says how.
        a.agent.release(id, Payload.json("42".getBytes()));
        await().until(() -> records.get("demo", id).filter(record -> record.status() == Status.SUCCEEDED).isPresent());
        toB(2);
        assertThat(caller.result().output().bytes()).isEqualTo("42".getBytes());
        assertThat(b.agent.requests).isEmpty();
        a.open(0);
    }

    @Test
    void a_synchronous_request_waits_for_an_owner() throws Exception {
        membership.ownAll(null, 0);
        Caller caller = invoke(id(), "echo", 20_000, false);
        await().pollDelay(Duration.ofMillis(400)).until(() -> caller.answers.get() == 0);
        toB(2);
        assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
    }

    @Test
    void without_an_owner_until_the_deadline_it_fails_and_says_so() throws Exception {
        membership.ownAll(null, 0);
        Failure failure = invoke(id(), "echo", 300, false).result().failure();
        assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(failure.retryable()).isTrue();
        assertThat(failure.cause()).contains("has no owner").contains("until its deadline");
    }

    @Test
    void who_asks_for_acceptance_alone_does_not_wait_for_the_deadline() throws Exception {
        membership.ownAll(null, 0);
        Caller caller = new Caller();
        hosts.invoke(Caller.request(id(), "echo", new byte[RequestRecord.INPUT_BYTES + 1], 3_600_000, true), caller);
        assertThat(caller.result().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(caller.result().failure().cause()).contains("has no owner").contains("within 700 ms");
    }

    @Test
    void an_owner_that_cannot_be_reached_is_named() throws Exception {
        a.cut();
        Failure failure = invoke(id(), "echo", 300, false).result().failure();
        assertThat(failure.cause()).contains("host a, which owns slot");
        a.open(0);
    }

    @Test
    void a_host_that_never_answers_does_not_hold_the_request_for_ever() throws Exception {
        a.agent.direct = (request, listener) -> { };
        InvocationResult result = invoke(id(), "echo", 300, false).result();
        assertThat(result.status()).isEqualTo(Status.TIMED_OUT);
        assertThat(result.failure().cause()).contains("long after its deadline");
    }

    @Test
    void an_accepted_later_request_without_an_owner_goes_over_the_bus() throws Exception {
        membership.ownAll(null, 0);
        String id = id();
        Caller caller = new Caller();
        caller.wantsEnd = false;
        InvocationRequest request = Caller.request(id, "echo", new byte[] {5}, 20_000, true);
        hosts.invoke(request, caller);
        caller.awaitAccepted();
        var appended = bus.read(Topics.requests("demo"), Slots.of(id, HandMadeMembership.SLOTS), 0, 10);
        assertThat(appended).singleElement().satisfies(record -> {
            InvocationRequest read = RequestRecord.decode(record.value()).request();
            assertThat(read.executionId()).isEqualTo(id);
            assertThat(read.input().bytes()).containsExactly(5);
        });
        assertThat(hosts.counts().timesOverBus()).isEqualTo(1);
        assertThat(records.get("demo", id)).get().extracting(InvocationRecord::status).isEqualTo(Status.RUNNING);
    }

    @Test
    void the_bench_may_send_over_the_bus_what_is_accepted_for_later_and_that_alone() throws Exception {
        try (RemoteHosts measured = new RemoteHosts(RemoteHosts.Parts.remote(membership, bus, new RecordedResults(records), links),
                RoutingOptions.DEFAULT.withBusFirst())) {
            await().until(() -> measured.status().join().stream().allMatch(host -> host.problem() == null));
            Caller later = new Caller();
            later.wantsEnd = false;
            measured.invoke(Caller.request(id(), "echo", new byte[] {5}, 20_000, true), later);
            later.awaitAccepted();
            Caller now = new Caller();
            measured.invoke(Caller.request(id(), "echo", new byte[] {6}, 20_000, false), now);
            assertThat(now.result().output().bytes()).containsExactly(6);
            assertThat(measured.counts().timesOverBus()).isEqualTo(1);
            assertThat(a.agent.requests).hasSize(1);
        }
    }

    @Test
    void as_many_as_wait_over_the_bus_already_are_refused_at_once() throws Exception {
        membership.ownAll(null, 0);
        String id = id();
        int slot = Slots.of(id, HandMadeMembership.SLOTS);
        for (int i = 0; i < 3; i++) {
            bus.append(Topics.requests("demo"), slot, new byte[1], new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {}

                @Override
                public void onFailed(BusException failure) {
                    throw failure;
                }
            });
        }
        Failure refused = invoke(id, "echo", 20_000, true).result().failure();
        assertThat(refused.error()).isEqualTo(Errors.OVERLOADED);
        assertThat(refused.retryable()).isTrue();
        assertThat(refused.cause()).contains("slot " + slot, "3");
        assertThat(bus.endOffset(Topics.requests("demo"), slot)).isEqualTo(3);
    }

    @Test
    void who_wants_the_end_of_a_request_that_went_over_the_bus_gets_it_from_its_record() throws Exception {
        membership.ownAll(null, 0);
        String id = id();
        Caller caller = invoke(id, "echo", 20_000, true);
        caller.awaitAccepted();
        records.record(new InvocationRecord(Limits.SCHEMA_VERSION, id, "demo", 1, "echo", Status.SUCCEEDED, null,
                Payload.json("7".getBytes()), null, 1, 2, 0, 0, List.of()), null);
        assertThat(caller.result().output().bytes()).containsExactly('7');
    }

    @Test
    void an_accepted_request_is_followed_and_not_sent_again() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, true);
        caller.awaitAccepted();
        toB(2);
        a.agent.release(id, Payload.json("\"recorded\"".getBytes()));
        assertThat(new String(caller.result().output().bytes())).isEqualTo("\"recorded\"");
        assertThat(b.agent.requests).isEmpty();
    }

    @Test
    void a_watch_follows_its_execution() throws Exception {
        String id = id();
        invoke(id, "hold", 20_000, true).awaitAccepted();
        List<String> told = new CopyOnWriteArrayList<>();
        try (AutoCloseable watch = hosts.watch(id, new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                told.add("hop");
            }

            @Override
            public void onEnd() {
                told.add("end");
            }
        })) {
            assertThat(watch).isNotNull();
            await().until(() -> !a.agent.running.get(id).watchers().isEmpty());
            toB(2);
            // It runs on the new owner a moment later.
            b.agent.invoke(Caller.request(id, "hold", new byte[1], 1000, false), new Caller());
            await().until(() -> !b.agent.running.get(id).watchers().isEmpty());
            assertThat(told).isEmpty();
            b.agent.release(id, Payload.nullJson());
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(told).containsExactly("hop", "end"));
        }
    }

    @Test
    void cancelling_waits_for_the_owner() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, true);
        caller.awaitAccepted();
        int port = a.port();
        a.cut();
        var cancelled = hosts.cancel(id, "no longer wanted");
        a.open(port);
        assertThat(cancelled.join()).isTrue();
        assertThat(caller.result().status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void builds_go_to_a_live_host_that_is_not_draining() throws Exception {
        membership.host("a", a.address(), true);
        Path source = Files.createDirectories(folder.resolve("app"));
        Files.writeString(source.resolve("sand.yaml"), "name: demo\n");
        BuildRequest request = new BuildRequest("demo", source, SandboxSpec.DEFAULT, Map.of());
        hosts.build(request, line -> { }).join();
        assertThat(b.agent.builds).hasSize(1);
        membership.gone("b");
        assertThatThrownBy(() -> hosts.build(request, line -> { }).join()).cause().isInstanceOf(BuildException.class)
                .hasMessageContaining("no host can build");
    }

    @Test
    void the_status_has_all_hosts_and_says_who_does_not_answer() throws Exception {
        membership.own(3, "b", 2);
        b.cut();
        await().untilAsserted(() -> {
            var status = hosts.status().join();
            assertThat(status).extracting(HostAgentPort.HostStatus::host).containsExactly("a", "b");
            assertThat(status.get(0).problem()).isNull();
            assertThat(status.get(0).place().slots()).hasSize(15);
            assertThat(status.get(0).place().labels()).containsExactly("here");
            assertThat(status.get(1).problem()).isNotEmpty();
            assertThat(status.get(1).place().slots()).containsExactly(3);
        });
        b.open(0);
    }
}
