package dev.sand.localbus;

import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.Payload;
import dev.sand.event.thrift.TakeRequest;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * What the broker costs: an event is handed to a waiting client, which finishes and takes again; the finish hands over the
 * next. Client and server are two threads, so each round trip has two wake-ups. Run it under
 * {@code taskset -c 0} to see the software's part alone.
 *
 * <pre>mvn -q -pl local-bus -am test-compile exec:java … or: java -cp … dev.sand.localbus.HandOverBench [rounds] [payload bytes]</pre>
 */
public final class HandOverBench {
    private static final int WARM_UP = 20_000;

    private HandOverBench() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50_000;
        int bytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 128;
        Path directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        Path socket = directory.resolve("bus.sock");
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        EventLoop loop = group.next();
        try (SocketLocalBus bus = new SocketLocalBus(loop, BusConfiguration.DEFAULT)) {
            Chain chain = new Chain(rounds + WARM_UP, bytes);
            bus.listen(socket, chain);
            Thread client = Thread.ofPlatform().start(() -> serve(socket, bytes));
            chain.done.await();
            client.join();
            long[] roundTrips = Arrays.copyOfRange(chain.roundTripNs, WARM_UP, rounds + WARM_UP);
            Arrays.sort(roundTrips);
            System.out.printf("hand-over, finish and next take, %d bytes: p50 %.1f µs, p99 %.1f µs, p99.9 %.1f µs (%d rounds)%n",
                    bytes, at(roundTrips, 0.5), at(roundTrips, 0.99), at(roundTrips, 0.999), rounds);
        } finally {
            group.shutdownGracefully();
            Files.deleteIfExists(socket);
            Files.deleteIfExists(directory);
        }
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) (share * (sorted.length - 1))] / 1000.0;
    }

    private static void serve(Path socket, int bytes) {
        Payload output = payload(bytes);
        try (BusClient client = SocketBusClient.connect(socket)) {
            EventMessage event;
            while ((event = client.take(new TakeRequest("i1", 1)).getEvent()) != null) {
                client.finish(new FinishRequest(event.getEventId(), event.getAttempt(), output, 1, 2));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Payload payload(int bytes) {
        return new Payload("application/json").setBytes("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
    }

    /** Hands an event to each take, and measures from there to the finish. */
    private static final class Chain extends SilentBroker {
        final long[] roundTripNs;
        final CountDownLatch done = new CountDownLatch(1);
        private final Payload payload;
        private int round;
        private long handedNs;

        Chain(int rounds, int bytes) {
            this.roundTripNs = new long[rounds];
            this.payload = payload(bytes);
        }

        @Override
        public void onTake(BusConnection connection, TakeRequest request) {
            if (round == roundTripNs.length) {
                connection.dismiss();
                done.countDown();
                return;
            }
            handedNs = System.nanoTime();
            connection.handOver(new EventMessage((short) 1, "01JZ0000000000000000000000/main", "01JZ0000000000000000000000",
                    "main", 1, 30_000, payload));
        }

        @Override
        public void onFinish(BusConnection connection, FinishRequest request) {
            roundTripNs[round++] = System.nanoTime() - handedNs;
        }
    }
}
