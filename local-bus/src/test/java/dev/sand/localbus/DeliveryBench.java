package dev.sand.localbus;

import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.Payload;
import dev.sand.event.thrift.Publication;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.TakeRequest;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Delivery of a message through the local bus, from a Java client that publishes to another that waits (SAND 6.2, figure 5b):
 * told a count on its standard input, it prints so many nanoseconds, one a line, a message every 8 ms. Its other side is
 * {@code dev.sand.globalbus.DeliveryBench}; tests/bench/delivery.py runs the two in turns.
 */
public final class DeliveryBench {
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final byte[] MESSAGE = new byte[148];
    private static final String SENDER = "sender";

    private DeliveryBench() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        Path socket = directory.resolve("bus.sock");
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        SynchronousQueue<Long> arrivals = new SynchronousQueue<>();
        try (SocketLocalBus bus = new SocketLocalBus(group.next(), BusConfiguration.DEFAULT); Scanner counts = new Scanner(System.in)) {
            bus.listen(socket, new Relay());
            Thread.ofPlatform().daemon().start(() -> receive(socket, arrivals));
            try (BusClient sender = SocketBusClient.connect(socket)) {
                sender.take(new TakeRequest(SENDER, 1)); // only what runs may publish
                while (counts.hasNextInt()) {
                    for (int left = counts.nextInt(); left > 0; left--) {
                        LockSupport.parkNanos(PACE_NS);
                        System.out.println(deliver(sender, arrivals));
                    }
                }
            }
        } finally {
            group.shutdownGracefully();
            Files.deleteIfExists(socket);
            Files.deleteIfExists(directory);
        }
    }

    private static long deliver(BusClient sender, SynchronousQueue<Long> arrivals) throws Exception {
        long sentNs = System.nanoTime();
        sender.publish(new PublishRequest("e1", 1, new Publication("receiver", new Payload("application/octet-stream").setBytes(MESSAGE))));
        Long arrivedNs = arrivals.poll(30, TimeUnit.SECONDS);
        if (arrivedNs == null) {
            throw new IllegalStateException("the message did not arrive");
        }
        return arrivedNs - sentNs;
    }

    private static void receive(Path socket, SynchronousQueue<Long> arrivals) {
        try (BusClient receiver = SocketBusClient.connect(socket)) {
            while (true) {
                EventMessage event = receiver.take(new TakeRequest("i1", 1)).getEvent();
                long arrivedNs = System.nanoTime();
                receiver.finish(new FinishRequest(event.getEventId(), event.getAttempt(), event.getPayload(), 1, 2));
                arrivals.put(arrivedNs);
            }
        } catch (Exception e) {
            Thread.currentThread().interrupt(); // the bus was closed: the bench is over, or its sender waits in vain and says so
        }
    }

    /** What is published goes to whoever takes. */
    private static final class Relay extends SilentBroker {
        private BusConnection taker;
        private EventMessage waiting;

        @Override
        public void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply) {
            waiting = event(request.getPublication().getPayload());
            relay();
            reply.answer(null);
        }

        @Override
        public void onTake(BusConnection connection, TakeRequest request) {
            if (request.getInstance().equals(SENDER)) {
                connection.handOver(event(new Payload("application/json")));
            } else {
                taker = connection;
                relay();
            }
        }

        private static EventMessage event(Payload payload) {
            return new EventMessage((short) 1, "01JZ0000000000000000000000/main", "01JZ0000000000000000000000", "main", 1, 30_000,
                    payload);
        }

        private void relay() {
            if (taker != null && waiting != null) {
                taker.handOver(waiting);
                taker = null;
                waiting = null;
            }
        }

        @Override
        public void onFinish(BusConnection connection, FinishRequest request) {}
    }
}
