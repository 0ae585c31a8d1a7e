package dev.sand.hostagent.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.dataplane.Ticket;
import dev.sand.dataplane.Tickets;
import dev.sand.event.ControlPort;
import dev.sand.event.ControlPort.Asker;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.localbus.BusReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check refuses alone: everything but what the test says is as it should be. */
class ControlCallsTest {
    private static final long NOW = 1_000_000;
    private static final Capabilities.Application CAPABILITY =
            new Capabilities.Application("b", Map.of("aliases", Set.of("moveAlias", "listAliases", "noSuchOperation"), "other", Set.of("deploy")));
    private final Tickets tickets = new Tickets(new byte[32]);
    private final Asker asker = new Asker("operator", "default", Set.of("read", "deploy"), "192.0.2.7");
    private final Operations operations = new Operations();
    private final ControlCalls calls = new ControlCalls(tickets, () -> NOW);

    ControlCallsTest() {
        calls.through(operations);
    }

    @AfterEach
    void close() {
        operations.held.countDown();
        calls.close();
    }

    private static final class Operations implements ControlPort {
        final List<Call> made = new ArrayList<>();
        final List<String> denied = new ArrayList<>();
        final CountDownLatch held = new CountDownLatch(1);
        Function<Call, Reply> does = call -> new Reply(200, new byte[] {'1'});

        @Override
        public Optional<Operation> operation(String id) {
            return id.equals("noSuchOperation") ? Optional.empty() : Optional.of(new Operation(id, id.startsWith("list") ? "read" : "deploy"));
        }

        @Override
        public Reply call(Call call) {
            synchronized (made) {
                made.add(call);
            }
            return does.apply(call);
        }

        @Override
        public void denied(String operation, Asker by, String grain, String why) {
            denied.add(operation + " " + (by == null ? "?" : by.caller()) + " " + grain + ": " + why);
        }
    }

    private String ticket(String execution, Asker by, long expiresMs) {
        return tickets.sign(new Ticket(execution, "moveAlias", by, NOW - 1, expiresMs));
    }

    private CompletableFuture<Object> call(String grain, String execution, String operation, String ticket, byte[] arguments) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        calls.call(new ControlCalls.Grain("0sand-management", grain, execution, CAPABILITY),
                new ControlRequest(operation, ticket, ByteBuffer.wrap(arguments)), new BusReply<>() {
                    @Override
                    public void answer(ControlReply reply) {
                        answer.complete(reply.getStatus() + " " + new String(reply.getBody(), StandardCharsets.UTF_8));
                    }

                    @Override
                    public void refuse(String error, String message) {
                        answer.complete(error);
                    }
                });
        return answer;
    }

    private Object called(String grain, String execution, String operation, String ticket) throws Exception {
        return call(grain, execution, operation, ticket, "{}".getBytes(StandardCharsets.UTF_8)).get(10, TimeUnit.SECONDS);
    }

    private void isDenied(Object answer) {
        assertThat(answer).isEqualTo("Sand.Denied");
        assertThat(operations.made).isEmpty();
        assertThat(operations.denied).hasSize(1);
        assertThat(calls.counts()).isEqualTo(new ControlCalls.Counts(0, 1));
    }

    @Test
    void whatIsAllowedIsDoneInTheNameOfWhoAsked() throws Exception {
        assertThat(called("aliases", "x1", "moveAlias", ticket("x1", asker, NOW + 1))).isEqualTo("200 1");
        assertThat(operations.made).singleElement().satisfies(call -> {
            assertThat(call.operation()).isEqualTo("moveAlias");
            assertThat(call.asker()).isEqualTo(asker);
            assertThat(call.grain()).isEqualTo("0sand-management/aliases");
            assertThat(call.execution()).isEqualTo("x1");
        });
        assertThat(calls.counts()).isEqualTo(new ControlCalls.Counts(1, 0));
    }

    @Test
    void whetherCallsComeThroughAnyGrainMayAskWithItsTicket() throws Exception {
        Asker nobody = new Asker("system", "default", Set.of(), null);
        assertThat(called("housekeeping", "x1", "ready", ticket("x1", nobody, NOW + 1))).isEqualTo("200 ");
        assertThat(operations.made).isEmpty();
        isDenied(called("housekeeping", "x1", "ready", ticket("x2", nobody, NOW + 1)));
    }

    @Test
    void anOperationThatTheGrainWasNotGiven() throws Exception {
        isDenied(called("aliases", "x1", "deploy", ticket("x1", asker, NOW + 1)));
    }

    @Test
    void anOtherGrainOfTheApplication() throws Exception {
        isDenied(called("other", "x1", "moveAlias", ticket("x1", asker, NOW + 1)));
    }

    @Test
    void anOperationThatThereIsNot() throws Exception {
        isDenied(called("aliases", "x1", "noSuchOperation", ticket("x1", asker, NOW + 1)));
    }

    @Test
    void theTicketOfAnotherExecution() throws Exception {
        isDenied(called("aliases", "x1", "moveAlias", ticket("x2", asker, NOW + 1)));
    }

    @Test
    void aTicketThatHasExpired() throws Exception {
        isDenied(called("aliases", "x1", "moveAlias", ticket("x1", asker, NOW)));
    }

    @Test
    void aForgedTicketAndNone() throws Exception {
        byte[] key = new byte[32];
        key[31] = 1;
        isDenied(called("aliases", "x1", "moveAlias", new Tickets(key).sign(new Ticket("x1", "moveAlias", asker, NOW, NOW + 1))));
        assertThat(called("aliases", "x1", "moveAlias", "")).isEqualTo("Sand.Denied");
    }

    @Test
    void aScopeThatWhoAskedDoesNotHave() throws Exception {
        Asker reader = new Asker("operator", "default", Set.of("read"), null);
        isDenied(called("aliases", "x1", "moveAlias", ticket("x1", reader, NOW + 1)));
        assertThat(operations.denied.getFirst()).startsWith("moveAlias operator 0sand-management/aliases");
        assertThat(called("aliases", "x1", "listAliases", ticket("x1", reader, NOW + 1))).isEqualTo("200 1");
    }

    @Test
    void anApplicationWithoutACapability() {
        CompletableFuture<String> refused = new CompletableFuture<>();
        calls.refuse("shop", new BusReply<>() {
            @Override
            public void answer(ControlReply reply) {
                refused.complete("answered");
            }

            @Override
            public void refuse(String error, String message) {
                refused.complete(error + message);
            }
        });
        assertThat(refused.join()).startsWith("Sand.Denied").contains("shop");
        assertThat(calls.counts().denied()).isEqualTo(1);
    }

    @Test
    void argumentsAndAnswersHaveABound() throws Exception {
        String good = ticket("x1", asker, NOW + 1);
        assertThat(call("aliases", "x1", "moveAlias", good, new byte[ControlCalls.MOST_BYTES + 1]).get(10, TimeUnit.SECONDS))
                .isEqualTo("Sand.TooLarge");
        operations.does = call -> new ControlPort.Reply(200, new byte[ControlCalls.MOST_BYTES + 1]);
        assertThat(called("aliases", "x1", "listAliases", good)).isEqualTo("Sand.TooLarge");
        operations.does = call -> {
            throw new IllegalArgumentException("no arguments of it");
        };
        assertThat(called("aliases", "x1", "listAliases", good)).isEqualTo("Sand.BadRequest");
    }

    @Test
    void soManyAtOnceAndNoMore() throws Exception {
        operations.does = call -> {
            try {
                operations.held.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new ControlPort.Reply(200, new byte[0]);
        };
        String good = ticket("x1", asker, NOW + 1);
        List<CompletableFuture<Object>> running = new ArrayList<>();
        for (int i = 0; i < ControlCalls.MOST_AT_ONCE; i++) {
            running.add(call("aliases", "x1", "listAliases", good, new byte[0]));
        }
        assertThat(called("aliases", "x1", "listAliases", good)).isEqualTo("Sand.Overloaded");
        operations.held.countDown();
        for (CompletableFuture<Object> one : running) {
            assertThat(one.get(10, TimeUnit.SECONDS)).isEqualTo("200 ");
        }
    }

    @Test
    void nobodyIsThereYet() {
        ControlCalls early = new ControlCalls(tickets, () -> NOW, Duration.ofMillis(50));
        CompletableFuture<String> refused = new CompletableFuture<>();
        early.call(new ControlCalls.Grain("a", "aliases", "x1", CAPABILITY), new ControlRequest("moveAlias", "", ByteBuffer.allocate(0)),
                new BusReply<>() {
                    @Override
                    public void answer(ControlReply reply) {
                        refused.complete("answered");
                    }

                    @Override
                    public void refuse(String error, String message) {
                        refused.complete(error);
                    }
                });
        assertThat(refused.join()).isEqualTo("Sand.Unavailable");
        early.close();
    }
}
