package dev.sand.localbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.thrift.BusError;
import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.CommandsReply;
import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.EnqueueRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.KillCommand;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.Payload;
import dev.sand.event.thrift.Publication;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TableOperation;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TableResult;
import dev.sand.event.thrift.TakeReply;
import dev.sand.event.thrift.TakeRequest;
import dev.sand.event.thrift.WorkerExitedReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every local bus does, sockets or not. */
abstract class LocalBusContract {
    static final BusConfiguration CONFIGURATION = new BusConfiguration(256 * 1024, 8, 4);

    Path directory;
    Path socket;
    LocalBus bus;
    BusEndpoint endpoint;
    final RecordingBroker broker = new RecordingBroker();

    abstract LocalBus newBus();

    abstract BusClient connect() throws IOException;

    abstract void stopOwners();

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        socket = directory.resolve("bus.sock");
        bus = newBus();
        endpoint = bus.listen(socket, broker);
    }

    @AfterEach
    void close() throws IOException {
        bus.close();
        stopOwners();
        Files.deleteIfExists(socket);
        Files.deleteIfExists(directory);
    }

    @Test
    void anInstanceWaitsInTakeUntilItsEventIsHandedOver() throws Exception {
        try (BusClient client = connect()) {
            CompletableFuture<TakeReply> reply = inBackground(() -> client.take(new TakeRequest("i1", 42)));
            RecordingBroker.Call take = next("take");
            assertThat(take.request()).isEqualTo(new TakeRequest("i1", 42));
            assertThat(take.inOwnerThread()).isTrue();
            take.connection().execute(() -> assertThat(take.connection().handOver(event("e1"))).isTrue());
            assertThat(reply.get(10, TimeUnit.SECONDS).getEvent()).isEqualTo(event("e1"));
        }
    }

    @Test
    void anOutputReachesTheBrokerAndTheNextTakeFollowsIt() throws Exception {
        try (BusClient client = connect()) {
            takeOne(client, "i1", "e1");
            FinishRequest finish = new FinishRequest("e1", 1, json("{\"n\":1}"), 5, 6);
            client.finish(finish);
            CompletableFuture<TakeReply> reply = inBackground(() -> client.take(new TakeRequest("i1", 42)));
            assertThat(next("finish").request()).isEqualTo(finish);
            RecordingBroker.Call take = next("take");
            take.connection().execute(take.connection()::dismiss);
            assertThat(reply.get(10, TimeUnit.SECONDS).isSetEvent()).isFalse();
        }
    }

    @Test
    void failuresAndPublicationsReachTheBroker() throws Exception {
        try (BusClient client = connect()) {
            takeOne(client, "i1", "e1");
            client.publish(new PublishRequest("e1", 1, new Publication("next", json("1"))));
            assertThatThrownBy(() -> client.enqueue(new EnqueueRequest("e1", 0, "orders", json("1"))))
                    .isEqualTo(new BusError("Sand.BadRequest", "there are no queues here"));
            client.fail(new FailRequest("e1", 1, "ValueError", "bad", 5, 6));
            assertThat(next("publish").request())
                    .isEqualTo(new PublishRequest("e1", 1, new Publication("next", json("1"))));
            assertThat(next("fail").request()).isEqualTo(new FailRequest("e1", 1, "ValueError", "bad", 5, 6));
        }
    }

    @Test
    void dataCallsAreAnsweredOrRefused() throws Exception {
        try (BusClient client = connect()) {
            assertThat(client.dataGet(new DataGetRequest("k")).getVersion()).isEqualTo(7);
            assertThatThrownBy(() -> client.dataPut(new DataPutRequest("k", json("1")).setIfVersion(1)))
                    .isEqualTo(new BusError("Sand.Conflict", "it is at version 3"));
            assertThat(client.dataDelete(new DataDeleteRequest("k"))).isTrue();
            assertThat(client.dataList(new DataListRequest("", 10)).getKeys()).containsExactly("a", "b");
            assertThat(client.dataAdd(new DataAddRequest("n", 41))).isEqualTo(42);
        }
    }

    @Test
    void callsOfTablesAndObjectsGoThere() throws Exception {
        try (BusClient client = connect()) {
            TableRequest request = new TableRequest("p", List.of(new TableOperation("put", "k").setValue(json("1")).setNumber(2),
                    new TableOperation("setField", "m").setField("f").setValue(json("2"))));
            assertThat(client.table(request)).isEqualTo(new TableReply(List.of(new TableResult(9).setNumber(3))));
            assertThat(next("table").request()).isEqualTo(request);
            ObjectReply reply = client.object(new ObjectRequest("write", "o").setOffset(7).setBytes(new byte[] {1, 2}).setIfVersion(3));
            assertThat(reply).isEqualTo(new ObjectReply(4).setBytes(new byte[] {1, 2}).setSize(2));
        }
    }

    @Test
    void controlIsForWhoHasTakenAndRefusedWhereNobodyLets() throws Exception {
        ControlRequest request = new ControlRequest("listApplications", "AQ", ByteBuffer.wrap(new byte[] {'{', '}'}));
        try (BusClient client = connect()) {
            takeOne(client, "i1", "e1");
            assertThat(client.control(request)).isEqualTo(new ControlReply(200, ByteBuffer.wrap(new byte[] {'1'})));
            assertThat(next("control").request()).isEqualTo(request);
            assertThatThrownBy(() -> client.control(new ControlRequest("deploy", "", ByteBuffer.allocate(0))))
                    .isEqualTo(new BusError("Sand.Denied", "nobody controls the platform from here"));
        }
        try (BusClient client = connect()) {
            assertThatThrownBy(() -> client.control(request)).isInstanceOf(TException.class);
        }
    }

    @Test
    void aSupervisorPollsForCommandsAndReports() throws Exception {
        try (BusClient client = connect()) {
            client.report(Report.workerExited(new WorkerExitedReport("w1", 1, 9)));
            assertThat(next("report").request()).isEqualTo(Report.workerExited(new WorkerExitedReport("w1", 1, 9)));
            CompletableFuture<CommandsReply> reply = inBackground(() -> client.commands(new CommandsRequest("token", 1)));
            RecordingBroker.Call poll = next("commands");
            poll.connection().execute(() -> {
                assertThat(poll.connection().awaitsCommands()).isTrue();
                poll.connection().command(List.of(Command.kill(new KillCommand(3))));
                assertThat(poll.connection().command(List.of())).as("the poll is answered once").isFalse();
            });
            assertThat(reply.get(10, TimeUnit.SECONDS).getCommands()).containsExactly(Command.kill(new KillCommand(3)));
        }
    }

    @Test
    void anEndedClientIsSeenOnceAndALateAnswerIsLost() throws Exception {
        BusClient client = connect();
        takeOne(client, "i1", "e1");
        client.close();
        RecordingBroker.Call closed = next("closed");
        closed.connection().execute(() -> assertThat(closed.connection().handOver(event("e2"))).isFalse());
        await().until(() -> bus.counts().connections() == 0);
        assertThat(broker.calls).isEmpty();
    }

    @Test
    void anOutputBeforeTheFirstTakeEndsTheConnection() throws Exception {
        try (BusClient client = connect()) {
            client.finish(new FinishRequest("e1", 1, json("1"), 5, 6));
            next("closed");
            assertThat(bus.counts().violations()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionBelongsToOneInstance() throws Exception {
        try (BusClient client = connect()) {
            takeOne(client, "i1", "e1");
            assertThatThrownBy(() -> client.take(new TakeRequest("i2", 42)))
                    .isInstanceOf(TException.class).hasMessageContaining("instance i1");
            next("closed");
            assertThat(bus.counts().violations()).isEqualTo(1);
        }
    }

    @Test
    void aClaimedEndpointGivesNewConnectionsToItsNewOwner() throws Exception {
        LocalBus other = newBus();
        try (BusClient before = connect()) {
            before.dataGet(new DataGetRequest("k"));
            endpoint.moveTo(other);
            try (BusClient after = connect()) {
                after.dataGet(new DataGetRequest("k"));
                assertThat(bus.counts().accepted()).isEqualTo(1);
                assertThat(other.counts().accepted()).isEqualTo(1);
                assertThat(broker.calls).allMatch(RecordingBroker.Call::inOwnerThread);
            }
        } finally {
            other.close();
        }
    }

    @Test
    void aClosedEndpointEndsItsConnectionsAndTakesNoMore() throws Exception {
        try (BusClient client = connect()) {
            client.dataGet(new DataGetRequest("k"));
            endpoint.close();
            next("dataGet");
            next("closed");
            assertThatThrownBy(() -> connect().dataGet(new DataGetRequest("k"))).isInstanceOf(Exception.class);
        }
    }

    void takeOne(BusClient client, String instance, String eventId) throws Exception {
        CompletableFuture<TakeReply> reply = inBackground(() -> client.take(new TakeRequest(instance, 42)));
        RecordingBroker.Call take = next("take");
        take.connection().execute(() -> take.connection().handOver(event(eventId)));
        reply.get(10, TimeUnit.SECONDS);
    }

    RecordingBroker.Call next(String name) throws InterruptedException {
        RecordingBroker.Call call = broker.calls.poll(10, TimeUnit.SECONDS);
        assertThat(call).as("the call %s", name).isNotNull();
        assertThat(call.name()).isEqualTo(name);
        return call;
    }

    interface Blocking<T> {
        T call() throws Exception;
    }

    static <T> CompletableFuture<T> inBackground(Blocking<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    static EventMessage event(String eventId) {
        return new EventMessage((short) 1, eventId, "x1", "grain", 1, 30_000, json("{\"a\":1}"));
    }

    static Payload json(String text) {
        return new Payload("application/json").setBytes(text.getBytes(StandardCharsets.UTF_8));
    }
}
