package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.RecordedResults;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of requests when hosts go, slots move and answers are lost. */
@Tag("slow")
class RemoteHostsTest extends RemoteHostsFixture {
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
    void what_may_have_ended_is_not_run_elsewhere_while_its_record_cannot_be_read() throws Exception {
        AtomicBoolean away = new AtomicBoolean();
        MemoryStore memory = new MemoryStore();
        GlobalStore store = (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    if (away.get()) {
                        throw new StoreException(StoreException.Kind.AWAY, "the store is away", 0, null);
                    }
                    return method.invoke(memory, arguments);
                });
        String id = id();
        try (InvocationStore kept = new InvocationStore(store, InvocationStore.Options.DEFAULT);
                RemoteHosts reader = new RemoteHosts(RemoteHosts.Parts.remote(membership, bus, new RecordedResults(kept), links), RoutingOptions.DEFAULT)) {
            await().until(() -> reader.status().join().stream().allMatch(host -> host.problem() == null));
            Caller caller = new Caller();
            reader.invoke(Caller.request(id, "hold", new byte[] {5}, 20_000, false), caller);
            await().until(() -> runs(a, id));
            kept.record(new InvocationRecord(Limits.SCHEMA_VERSION, id, "demo", 1, "hold", Status.SUCCEEDED, null,
                    Payload.json("7".getBytes()), null, 1, 2, 0, 0, List.of()), null);
            await().until(() -> kept.get("demo", id).isPresent());
            away.set(true);
            toB(2);
            await().pollDelay(Duration.ofMillis(700)).until(() -> !caller.ended.isDone());
            assertThat(b.agent.requests).isEmpty();
            away.set(false);
            assertThat(caller.result().output().bytes()).containsExactly('7');
            assertThat(b.agent.requests).isEmpty();
        }
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
}
