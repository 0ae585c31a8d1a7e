package dev.sand.localbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.LocalBus.dataAdd_args;
import dev.sand.event.thrift.LocalBus.dataAdd_result;
import dev.sand.event.thrift.LocalBus.dataGet_args;
import dev.sand.event.thrift.LocalBus.finish_args;
import dev.sand.event.thrift.LocalBus.take_args;
import dev.sand.event.thrift.LocalBus.take_result;
import dev.sand.event.thrift.TakeRequest;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.junit.jupiter.api.Test;

class SocketLocalBusTest extends LocalBusContract {
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());

    @Override
    void stopOwners() {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Override
    LocalBus newBus() {
        return new SocketLocalBus(group.next(), CONFIGURATION);
    }

    @Override
    BusClient connect() throws IOException {
        return SocketBusClient.connect(socket);
    }

    @Test
    void aPendingTakeDoesNotHoldUpOtherCallsOfItsConnection() throws Exception {
        try (SocketChannel raw = raw()) {
            send(raw, frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 1))));
            send(raw, frame("dataAdd", TMessageType.CALL, 2, new dataAdd_args(new DataAddRequest("n", 1))));
            Reply add = receive(raw);
            assertThat(add.head.seqid).isEqualTo(2);
            assertThat(add.read(new dataAdd_result()).getSuccess()).isEqualTo(2);
            RecordingBroker.Call take = next("take");
            take.connection().execute(() -> take.connection().handOver(event("e1")));
            Reply taken = receive(raw);
            assertThat(taken.head.seqid).isEqualTo(1);
            assertThat(taken.read(new take_result()).getSuccess().getEvent()).isEqualTo(event("e1"));
        }
    }

    @Test
    void halfAFrameOfOneIsItsOwnWhileOthersAreRead() throws Exception {
        try (SocketChannel slow = raw(); SocketChannel other = raw()) {
            for (int size : new int[] {10, 1000, 66_000, 200_000}) {
                byte[] whole = frame("dataAdd", TMessageType.CALL, 1, new dataAdd_args(new DataAddRequest("s".repeat(size), 5)));
                send(slow, Arrays.copyOf(whole, whole.length - 5));
                for (int i = 0; i < 3; i++) {
                    send(other, frame("dataAdd", TMessageType.CALL, 2, new dataAdd_args(new DataAddRequest("o".repeat(66_000), 10 + i))));
                    assertThat(receive(other).read(new dataAdd_result()).getSuccess()).isEqualTo(11 + i);
                }
                send(slow, Arrays.copyOfRange(whole, whole.length - 5, whole.length));
                assertThat(receive(slow).read(new dataAdd_result()).getSuccess()).isEqualTo(6);
            }
        }
    }

    @Test
    void anEventThatWasNotReadBeforeTheEndIsKnown() throws Exception {
        BusConnection unread;
        try (SocketChannel raw = raw()) {
            send(raw, frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 1))));
            unread = next("take").connection();
            handOver(unread);
        }
        next("closed");
        assertThat(unread.leftEventUnread()).isTrue();
        BusConnection read;
        try (SocketChannel raw = raw()) {
            send(raw, frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i2", 1))));
            read = next("take").connection();
            handOver(read);
            receive(raw);
        }
        next("closed");
        assertThat(read.leftEventUnread()).isFalse();
    }

    @Test
    void anAnswerThatWasNotReadIsNoUnreadEvent() throws Exception {
        BusConnection connection;
        try (SocketChannel raw = raw()) {
            send(raw, frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 1))));
            connection = next("take").connection();
            handOver(connection);
            receive(raw);
            send(raw, frame("dataGet", TMessageType.CALL, 2, new dataGet_args(new DataGetRequest("k"))));
            next("dataGet");
            CountDownLatch answered = new CountDownLatch(1);
            connection.execute(answered::countDown);
            answered.await();
        }
        next("closed");
        assertThat(connection.leftEventUnread()).isFalse();
    }

    private void handOver(BusConnection connection) throws InterruptedException {
        CountDownLatch written = new CountDownLatch(1);
        connection.execute(() -> {
            connection.handOver(event("e1"));
            written.countDown();
        });
        written.await();
    }

    @Test
    void callsMayShareOneWriteOrComeByteByByte() throws Exception {
        byte[] finish = frame("finish", TMessageType.ONEWAY, 2, new finish_args(new FinishRequest("e1", 1, json("1"), 5, 6)));
        byte[] take = frame("take", TMessageType.CALL, 3, new take_args(new TakeRequest("i1", 1)));
        try (SocketChannel raw = raw()) {
            for (byte b : take) {
                send(raw, new byte[] {b});
            }
            RecordingBroker.Call first = next("take");
            first.connection().execute(first.connection()::dismiss);
            receive(raw);
            ByteBuffer both = ByteBuffer.allocate(finish.length + take.length).put(finish).put(take);
            send(raw, both.array());
            next("finish");
            next("take");
        }
    }

    @Test
    void anEventThatCannotBeWrittenIsGivenBackBeforeItsConnectionCloses() throws Exception {
        SocketChannel raw = raw();
        send(raw, frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 42))));
        RecordingBroker.Call take = next("take");
        CountDownLatch gone = new CountDownLatch(1);
        // The owner is held until the client has gone, so that it cannot have seen the end before it writes.
        take.connection().execute(() -> {
            awaitQuietly(gone);
            take.connection().handOver(event("e1"));
        });
        raw.close();
        gone.countDown();
        assertThat(next("handOverFailed").request()).isEqualTo(event("e1"));
        next("closed");
    }

    @Test
    void aLargePayloadComesWhole() throws Exception {
        byte[] large = new byte[200_000];
        Arrays.fill(large, (byte) 'x');
        try (BusClient client = connect()) {
            takeOne(client, "i1", "e1");
            client.finish(new FinishRequest("e1", 1, json("").setBytes(large), 5, 6));
            assertThat(((FinishRequest) next("finish").request()).getOutput().getBytes()).isEqualTo(large);
        }
    }

    @Test
    void aSecondPendingTakeEndsTheConnection() throws Exception {
        byte[] take = frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 1)));
        assertRefused("already pending", take, take);
    }

    @Test
    void anUnknownCallEndsTheConnection() throws Exception {
        assertRefused("no such call", frame("steal", TMessageType.CALL, 9, new take_args(new TakeRequest("i1", 1))));
    }

    @Test
    void aFrameOverTheLimitEndsTheConnection() throws Exception {
        assertRefused("the limit is 262144", ByteBuffer.allocate(4).putInt(262_145).array());
        assertRefused("4294967295", ByteBuffer.allocate(4).putInt(-1).array());
    }

    @Test
    void whatIsNotThriftEndsTheConnection() throws Exception {
        assertRefused("not understood", frame("not thrift at all, but long enough".getBytes()));
    }

    @Test
    void aMessageWithoutItsArgumentEndsTheConnection() throws Exception {
        assertRefused("without its argument", frame("take", TMessageType.CALL, 9, new take_args()));
    }

    @Test
    void anEmptyFrameEndsTheConnection() throws Exception {
        assertRefused("not understood", new byte[4]);
    }

    @Test
    void aLengthThatLiesEndsTheConnection() throws Exception {
        byte[] take = frame("take", TMessageType.CALL, 1, new take_args(new TakeRequest("i1", 1)));
        ByteBuffer.wrap(take).putInt(take.length - 9, Integer.MAX_VALUE);
        assertRefused("not understood", take);
    }

    @Test
    void deeplyNestedUnknownFieldsDoNotOverflowTheStack() throws Exception {
        TMemoryBuffer out = new TMemoryBuffer(1024);
        TBinaryProtocol protocol = new TBinaryProtocol(out, true, true);
        protocol.writeMessageBegin(new TMessage("take", TMessageType.CALL, 1));
        for (int depth = 0; depth < 60_000; depth++) {
            protocol.writeByte(TType.STRUCT);
            protocol.writeI16((short) 77);
        }
        assertRefused("not understood", frame(Arrays.copyOf(out.getArray(), out.length())));
    }

    @Test
    void aConnectionWithTooManyUnansweredCallsIsReadAgainOnceSomeAreAnswered() throws Exception {
        broker.holdGets = true;
        int calls = 200;
        byte[] get = frame("dataGet", TMessageType.CALL, 1, new dataGet_args(new DataGetRequest("k".repeat(60_000))));
        try (SocketChannel raw = raw()) {
            Thread writer = Thread.ofVirtual().start(() -> {
                for (int i = 0; i < calls; i++) {
                    sendQuietly(raw, get);
                }
            });
            await().until(() -> broker.heldGets.size() >= CONFIGURATION.outstandingCalls());
            assertThat(writer.isAlive()).as("the socket's buffer is full").isTrue();
            assertThat(broker.heldGets).as("what one read brings may come on top")
                    .hasSizeLessThan(CONFIGURATION.outstandingCalls() + 4);
            for (int i = 0; i < calls; i++) {
                broker.heldGets.take().answer(new DataValue(1));
                receive(raw);
            }
            writer.join();
        }
    }

    @Test
    void connectionsOverTheLimitAreClosedAsTheyCome() throws Exception {
        List<BusClient> clients = new ArrayList<>();
        for (int i = 0; i < CONFIGURATION.connections(); i++) {
            BusClient client = connect();
            client.dataGet(new DataGetRequest("k"));
            clients.add(client);
        }
        assertThatThrownBy(() -> connect().dataGet(new DataGetRequest("k"))).isInstanceOf(Exception.class);
        assertThat(bus.counts().refused()).isEqualTo(1);
        clients.forEach(BusClient::close);
        await().until(() -> bus.counts().connections() == 0);
    }

    @Test
    void aPathTooLongForASocketIsRefusedWithItsLength() {
        Path path = directory.resolve("x".repeat(120));
        assertThatThrownBy(() -> bus.listen(path, broker)).isInstanceOf(IOException.class)
                .hasMessageContaining("more than 107");
    }

    private void assertRefused(String message, byte[]... frames) throws Exception {
        long before = bus.counts().violations();
        try (SocketChannel raw = raw()) {
            for (byte[] bytes : frames) {
                send(raw, bytes);
            }
            Reply reply = receive(raw);
            assertThat(reply.head.type).isEqualTo(TMessageType.EXCEPTION);
            assertThat(TApplicationException.readFrom(reply.protocol).getMessage()).contains(message);
            assertThat(raw.read(ByteBuffer.allocate(1))).as("closed").isEqualTo(-1);
        }
        assertThat(bus.counts().violations()).isEqualTo(before + 1);
    }

    private SocketChannel raw() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket));
    }

    private static void send(SocketChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static void sendQuietly(SocketChannel channel, byte[] bytes) {
        try {
            send(channel, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Reply(TMessage head, TBinaryProtocol protocol) {
        <T extends TBase<T, ?>> T read(T result) throws Exception {
            result.read(protocol);
            return result;
        }
    }

    private static Reply receive(SocketChannel channel) throws Exception {
        DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        TBinaryProtocol protocol = new TBinaryProtocol(new TMemoryInputTransport(bytes), true, true);
        return new Reply(protocol.readMessageBegin(), protocol);
    }

    private static byte[] frame(String call, byte type, int sequence, TBase<?, ?> arguments) throws Exception {
        TMemoryBuffer out = new TMemoryBuffer(256);
        TBinaryProtocol protocol = new TBinaryProtocol(out, true, true);
        protocol.writeMessageBegin(new TMessage(call, type, sequence));
        arguments.write(protocol);
        return frame(Arrays.copyOf(out.getArray(), out.length()));
    }

    private static byte[] frame(byte[] message) {
        return ByteBuffer.allocate(4 + message.length).putInt(message.length).put(message).array();
    }
}
