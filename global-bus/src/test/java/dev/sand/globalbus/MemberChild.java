package dev.sand.globalbus;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A host in a process of its own, to be paused and killed: prints what it is told of its slots, and an effect each
 * millisecond while it may have some. See KafkaMembershipFaultTest.
 */
final class MemberChild {
    private MemberChild() {}

    public static void main(String[] arguments) {
        Map<Integer, Long> held = new ConcurrentHashMap<>();
        KafkaBus bus = new KafkaBus(KafkaBusTest.options(arguments[0], arguments[1]));
        Membership membership = new KafkaMembership(bus, KafkaMembershipTest.options());
        membership.join(new Membership.HostCard(arguments[2], Long.toString(System.nanoTime()), null, Set.of(), 0, false, 0),
                new Membership.SlotListener() {
                    @Override
                    public void onAcquired(int slot, long epoch) {
                        held.put(slot, epoch);
                        println("acquired " + slot + " " + epoch);
                    }

                    @Override
                    public void onReleased(int slot, long epoch) {
                        held.remove(slot);
                        println("released " + slot + " " + epoch);
                    }

                    @Override
                    public void onLost(int slot, long epoch) {
                        held.remove(slot);
                        println("lost " + slot + " " + epoch);
                    }
                });
        while (true) {
            if (membership.mayAct(System.nanoTime())) {
                println("effect " + new TreeMap<>(held));
            }
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private static synchronized void println(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
