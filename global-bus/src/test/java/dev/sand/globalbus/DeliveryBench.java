package dev.sand.globalbus;

import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Delivery of a message through the global bus, as a host agent has it: appended, acknowledged, followed (SAND 6.2, figure 5b).
 * {@code DeliveryBench BOOTSTRAP}: told a count on its standard input, it prints so many nanoseconds, one a line, a message
 * every 8 ms. Its other side is {@code dev.sand.localbus.DeliveryBench}; tests/bench/delivery.py runs the two in turns.
 */
public final class DeliveryBench {
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final byte[] MESSAGE = new byte[148];
    private static final String TOPIC = "delivery";

    private DeliveryBench() {}

    public static void main(String[] arguments) throws Exception {
        LinkedBlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
        try (KafkaBus bus = new KafkaBus(KafkaBus.Options.of(arguments[0])); Scanner counts = new Scanner(System.in)) {
            bus.createTopic(TOPIC, 1);
            try (GlobalBus.Tail tail = bus.tail(TOPIC, 0, 0, records -> arrivals.add(System.nanoTime()))) {
                while (counts.hasNextInt()) {
                    for (int left = counts.nextInt(); left > 0; left--) {
                        LockSupport.parkNanos(PACE_NS);
                        System.out.println(deliver(bus, arrivals));
                    }
                }
            }
        }
    }

    private static long deliver(KafkaBus bus, LinkedBlockingQueue<Long> arrivals) throws Exception {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        long sentNs = System.nanoTime();
        bus.append(TOPIC, 0, MESSAGE, AppendFuture.completing(appended));
        Long arrivedNs = arrivals.poll(30, TimeUnit.SECONDS);
        if (arrivedNs == null) {
            throw new IllegalStateException("the message did not arrive");
        }
        appended.get(30, TimeUnit.SECONDS);
        return arrivedNs - sentNs;
    }
}
