package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A request that is accepted for later, whose owner has it and does not say so; and a global bus that answers when a test says. */
@Tag("slow")
class UnacceptedRequestTest extends RemoteHostsFixture {
    private final BlockingQueue<GlobalBus.AppendListener> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<InvocationListener> atHost = new LinkedBlockingQueue<>();
    private RemoteHosts patient;
    private Caller caller;
    private String id;

    @BeforeEach
    void hold() {
        GlobalBus slow = (GlobalBus) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalBus.class}, (self, method, args) -> {
            if (method.getName().equals("append")) {
                asked.add((GlobalBus.AppendListener) args[3]);
                return null;
            }
            try {
                return method.invoke(bus, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
        patient = with(slow, Duration.ofSeconds(60));
        a.agent.direct = (request, listener) -> atHost.add(listener);
        id = id();
    }

    private RemoteHosts with(GlobalBus slow, Duration accept) {
        RemoteHosts made = new RemoteHosts(RemoteHosts.Parts.remote(membership, slow, new RecordedResults(records), links),
                RoutingOptions.DEFAULT.withUnaccepted(Duration.ofMillis(200)).withAccept(accept).withGrace(Duration.ofMillis(300)));
        await().until(() -> made.status().join().stream().allMatch(host -> host.problem() == null));
        return made;
    }

    @AfterEach
    void end() {
        patient.close();
    }

    private InvocationListener send(RemoteHosts over) throws InterruptedException {
        caller = new Caller();
        over.invoke(Caller.request(id, "echo", new byte[] {5}, 600_000, true), caller);
        return atHost.take();
    }

    private void turnAway(InvocationListener at, Failure failure) {
        at.onEnd(new InvocationResult(id, Status.FAILED, null, failure, List.of()));
    }

    private static Failure full() {
        return Failure.platform(Errors.OVERLOADED, "the host is full", true);
    }

    @Test
    void itIsAcceptedOnceTheBusHasIt() throws Exception {
        send(patient);
        asked.take().onAppended(0);
        caller.awaitAccepted();
        assertThat(patient.counts().timesOverBus()).isEqualTo(1);
    }

    @Test
    void itIsAcceptedByItsHostAllTheSame() throws Exception {
        InvocationListener at = send(patient);
        GlobalBus.AppendListener copy = asked.take();
        at.onAccepted();
        caller.awaitAccepted();
        copy.onFailed(new BusException(Kind.AWAY, "the bus is away", null));
        at.onEnd(a.agent.succeed(Caller.request(id, "echo", new byte[] {5}, 1, true), Payload.json("1".getBytes())));
        assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(caller.answers).hasValue(1);
    }

    @Test
    void whatTheHostRefusesWhileTheBusIsAskedIsTheBussToTake() throws Exception {
        InvocationListener at = send(patient);
        GlobalBus.AppendListener copy = asked.take();
        turnAway(at, full());
        atHost.take(); // it is asked again meanwhile
        assertThat(caller.ended).isNotDone();
        copy.onAppended(0);
        caller.awaitAccepted();
        assertThat(caller.ended).isNotDone();
    }

    @Test
    void refusedByBothItIsRefusedAsTheHostSaidIt() throws Exception {
        InvocationListener at = send(patient);
        GlobalBus.AppendListener copy = asked.take();
        turnAway(at, full());
        InvocationListener again = atHost.take();
        copy.onFailed(new BusException(Kind.FULL, "the backlog is full", null));
        assertThat(caller.ended).as("the host is asked, and may take it yet").isNotDone();
        turnAway(again, full());
        assertThat(caller.result().failure().cause()).isEqualTo("the host is full");
        assertThat(caller.result().failure().details()).doesNotContainKey(Failure.MAY_HAVE_RUN);
    }

    @Test
    void refusedByTheHostWhenTheBusDidNotAnswerItMayRun() throws Exception {
        InvocationListener at = send(patient);
        asked.take().onFailed(new BusException(Kind.AWAY, "the bus is away", null));
        turnAway(at, full());
        // Perhaps the bus was asked again before: then it is heard first.
        GlobalBus.AppendListener second = asked.poll();
        if (second != null) {
            second.onFailed(new BusException(Kind.AWAY, "the bus is away", null));
        }
        assertThat(caller.result().failure().error()).isEqualTo(Errors.OVERLOADED);
        assertThat(caller.result().failure().details()).containsEntry(Failure.MAY_HAVE_RUN, true);
    }

    @Test
    void refusedByTheHostBeforeTheBusIsAskedItIsRefusedAtOnce() throws Exception {
        InvocationListener at = send(patient);
        turnAway(at, full());
        assertThat(caller.result().failure().cause()).isEqualTo("the host is full");
    }

    @Test
    void whoHearsNothingOfEitherIsToldSoLongBeforeTheDeadline() throws Exception {
        try (RemoteHosts hasty = with(silent(), Duration.ofMillis(700))) {
            send(hasty);
            InvocationResult result = caller.result();
            assertThat(result.status()).isEqualTo(Status.FAILED);
            assertThat(result.failure().error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(result.failure().retryable()).isTrue();
            assertThat(result.failure().cause()).contains(id, "not accepted within 700 ms", "host a");
            assertThat(result.failure().details()).containsEntry(Failure.MAY_HAVE_RUN, true);
        }
    }

    private GlobalBus silent() {
        return (GlobalBus) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalBus.class},
                (self, method, args) -> method.getName().equals("append") ? null : method.invoke(bus, args));
    }

    @Test
    void aSynchronousRequestIsNeverSentOverTheBus() throws Exception {
        caller = new Caller();
        patient.invoke(Caller.request(id, "echo", new byte[] {5}, 600_000, false), caller);
        atHost.take();
        await().pollDelay(Duration.ofMillis(600)).until(() -> asked.isEmpty());
    }

    /** A copy of it would run beside what its caller begins where the process lives by then. */
    @Test
    void whatIsToRunInAProcessIsNeverSentOverTheBus() throws Exception {
        caller = new Caller();
        patient.invoke(new InvocationRequest(id, "demo", 1, "echo", Payload.nullJson(), 600_000, true, null, null, "counter"), caller);
        InvocationListener at = atHost.take();
        await().pollDelay(Duration.ofMillis(600)).until(() -> asked.isEmpty());
        turnAway(at, new Failure(Errors.MOVED, "it lives in slot 3", Failure.Source.PLATFORM, true, null, Map.of(ProcessPlace.SLOT, 3)));
        assertThat(ProcessPlace.slotOf(caller.result().failure())).isEqualTo(3);
        assertThat(caller.accepted).isNotDone();
        assertThat(asked).isEmpty();
    }

    /** Its host had it for long: that is not what it is given up for when the slot goes to another one. */
    @Test
    void whatIsToRunInAProcessWaitsForTheNextOwnerAfterTheFirstHadItForLong() throws Exception {
        try (RemoteHosts hasty = with(bus, Duration.ofMillis(1_000))) {
            caller = new Caller();
            hasty.invoke(new InvocationRequest(id, "demo", 1, "echo", Payload.json("7".getBytes()), 600_000, true, null, null, "counter"), caller);
            atHost.take();
            await().pollDelay(Duration.ofMillis(1_300)).until(() -> !caller.ended.isDone());
            membership.ownAll(null, 2);
            await().pollDelay(Duration.ofMillis(300)).until(() -> !caller.ended.isDone());
            toB(3);
            assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
        }
    }

    @Test
    void whenItsOwnerIsLostAfterTheBusTookItItsRecordIsFollowed() throws Exception {
        send(patient);
        asked.take().onAppended(0);
        caller.awaitAccepted();
        toB(2);
        InvocationRequest request = Caller.request(id, "echo", new byte[] {5}, 600_000, true);
        b.agent.invoke(request, new Caller()); // by the way of the bus
        assertThat(caller.result().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(b.agent.requests).as("not sent by the frontend").hasSize(1);
    }
}
