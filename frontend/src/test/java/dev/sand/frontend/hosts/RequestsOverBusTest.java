package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.RequestRecord;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that are accepted for later and go over the global bus, or find neither it nor a host. */
@Tag("slow")
class RequestsOverBusTest extends RemoteHostsFixture {
    @Test
    void who_asks_for_acceptance_alone_does_not_wait_for_the_deadline() throws Exception {
        membership.ownAll(null, 0);
        Caller caller = new Caller();
        hosts.invoke(Caller.request(id(), "echo", new byte[RequestRecord.INPUT_BYTES + 1], 3_600_000, true), caller);
        assertThat(caller.result().failure().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(caller.result().failure().cause()).contains("has no owner").contains("within 700 ms");
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
}
