package dev.sand.frontend.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How often an address may try passwords, before any work is done for it: so many at once, then one each few seconds; and how many are
 * tried at once by all, each of which costs memory and time of a processor. Any thread.
 */
final class SignInGate {
    static final int MOST_IN_A_ROW = 10;
    static final long EACH_MS = 6_000;
    static final int AT_ONCE = 4;
    static final int MOST_ADDRESSES = 10_000;
    private static final long WAIT_MS = 2_000;
    private static final int IPV6_NETWORK_BYTES = 8;
    private final LongSupplier clockMs;
    /** When all that an address has tried is worked off, at one each few seconds. */
    private final Map<String, Long> busyUntilMs = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(AT_ONCE, true);

    SignInGate(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /** Blocks a moment; whoever got 0 leaves. @param address or null. @return 0: come in; else after how many seconds to come again */
    int enter(String address) {
        long nowMs = clockMs.getAsLong();
        String network = network(address == null ? "" : address);
        if (busyUntilMs.size() >= MOST_ADDRESSES && !busyUntilMs.containsKey(network)) {
            busyUntilMs.values().removeIf(until -> until <= nowMs);
            if (busyUntilMs.size() >= MOST_ADDRESSES) {
                return seconds(EACH_MS);
            }
        }
        long[] waitMs = {0};
        busyUntilMs.compute(network, (same, before) -> {
            long untilMs = Math.max(before == null ? 0 : before, nowMs) + EACH_MS;
            waitMs[0] = untilMs - nowMs - MOST_IN_A_ROW * EACH_MS;
            return waitMs[0] > 0 ? before : untilMs; // what is refused does not make the wait longer
        });
        if (waitMs[0] > 0) {
            return seconds(waitMs[0]);
        }
        try {
            return room.tryAcquire(WAIT_MS, TimeUnit.MILLISECONDS) ? 0 : 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    void leave() {
        room.release();
    }

    private static int seconds(long ms) {
        return Math.toIntExact((ms + 999) / 1000);
    }

    /** Whoever has an IPv6 address has a network of them. */
    private static String network(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            byte[] bytes = InetAddress.getByName(address).getAddress(); // of digits: nobody is asked
            return HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, IPV6_NETWORK_BYTES)));
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
