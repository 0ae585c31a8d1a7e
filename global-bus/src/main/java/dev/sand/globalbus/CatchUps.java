package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.HOSTS;
import static dev.sand.globalbus.MembershipRecord.SLOTS;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.admin.OffsetSpec;

/** Who waits until the topics of the membership are read up to where they ended when it asked. On the view's thread. */
final class CatchUps {
    /** @param ends of the slots' partitions; @param hostsEnd of the hosts' */
    private record Waiting(long[] ends, long hostsEnd, CompletableFuture<Map<String, Membership.HostCard>> done) {}

    private final KafkaBus bus;
    private final int slots;
    private final List<Waiting> waiting = new ArrayList<>();

    CatchUps(KafkaBus bus, int slots) {
        this.bus = bus;
        this.slots = slots;
    }

    /** Any thread. @param thread the view's; @param look calls {@link #tell}; @return the live hosts when all was read */
    CompletableFuture<Map<String, Membership.HostCard>> begin(Executor thread, Runnable look) {
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            asked.add(bus.offsetLater(SLOTS, slot, OffsetSpec.latest()));
        }
        CompletableFuture<Long> askedHosts = bus.offsetLater(HOSTS, 0, OffsetSpec.latest());
        CompletableFuture<Map<String, Membership.HostCard>> done = new CompletableFuture<>();
        CompletableFuture.allOf(askedHosts, CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)))
                .whenComplete((all, failure) -> {
                    if (failure != null) {
                        done.completeExceptionally(failure);
                        return;
                    }
                    long[] ends = asked.stream().mapToLong(CompletableFuture::join).toArray();
                    thread.execute(() -> {
                        waiting.removeIf(each -> each.done().isDone());
                        waiting.add(new Waiting(ends, askedHosts.join(), done));
                        look.run();
                    });
                });
        return done;
    }

    /** @param next by slot, the offset of the next record */
    void tell(long[] next, HostsState hosts) {
        waiting.removeIf(each -> {
            boolean there = hosts.next() >= each.hostsEnd();
            for (int slot = 0; slot < next.length; slot++) {
                there &= next[slot] >= each.ends()[slot];
            }
            return there && each.done().complete(hosts.live());
        });
    }
}
