package dev.sand.standalone;

import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.Membership;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Whether this process can do its work: the global bus and the store answer and have room, slots have owners, and a host is sure of its own.
 * Asked by whoever watches over it, maybe often: an answer holds for a second, and what does not answer in time is taken for
 * away. While the process starts it says what is waited for.
 *
 * <pre>
 * STARTING → OPEN      everything was found, and all parts run
 * any      → STOPPING
 * </pre>
 */
final class Readiness implements Supplier<String> {
    private static final long FRESH_NS = 1_000_000_000L;
    static final long ANSWER_MS = 2_000;

    /** What is wrong with each, or null. */
    private record Looked(String bus, String store, String slots, long atNs) {
        static final Looked NEVER = new Looked("not there yet", "not there yet", null, 0);

        String trouble() {
            return bus != null ? bus : store != null ? store : slots;
        }
    }

    /** For a scrape. @param bus whether the global bus answers; @param store whether the global store does */
    record Reading(boolean ready, boolean bus, boolean store) {}

    private final Set<String> missing = new ConcurrentSkipListSet<>();
    private final AtomicReference<Looked> last = new AtomicReference<>(Looked.NEVER);
    private volatile String unready = "starting";
    private volatile Backends backends;
    private volatile Registry registry;
    private volatile boolean host;

    /** @param what the start waits for, and where that is looked for */
    void missing(String what) {
        missing.add(what);
    }

    void found(String what) {
        missing.remove(what);
    }

    /** @param isHost whether this process takes part in the group that shares the slots out */
    void open(Backends found, boolean isHost) {
        registry = new Registry(found.store());
        host = isHost;
        backends = found;
        unready = null;
    }

    void stopping() {
        unready = "stopping";
    }

    /** @return why it is not ready, or null; blocks for two seconds at most */
    @Override
    public String get() {
        String now = unready;
        if (now != null) {
            return missing.isEmpty() ? now : now + ": waiting for " + String.join(" and ", missing);
        }
        return looked().trouble();
    }

    /** As {@link #get}, part by part. */
    Reading read() {
        Looked looked = backends == null ? Looked.NEVER : looked();
        return new Reading(unready == null && looked.trouble() == null, looked.bus() == null, looked.store() == null);
    }

    private Looked looked() {
        Looked before = last.get();
        if (before != Looked.NEVER && System.nanoTime() - before.atNs < FRESH_NS) {
            return before;
        }
        Backends asked = backends;
        CompletableFuture<String> bus = ask("the global bus", asked.bus()::backlogBytes, () -> asked.bus().topics(), asked.bus()::full);
        CompletableFuture<String> store = ask("the global store", () -> 0L, registry::applications, asked.store()::full);
        Looked looked = new Looked(bus.join(), store.join(), slots(asked.membership()), System.nanoTime());
        last.set(looked);
        return looked;
    }

    private String slots(Membership membership) {
        if (host && !membership.mayAct(System.nanoTime()) && !membership.isWithdrawn()) {
            return "this host hears nothing of the group that shares the slots out: it takes nothing new over";
        }
        return membership.view().owners().stream().allMatch(Objects::isNull) ? "no slot has an owner" : null;
    }

    /** @return what is wrong, or null; completes in time, whatever happens */
    private static CompletableFuture<String> ask(String what, Supplier<Long> backlog, Runnable question, Supplier<String> full) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                question.run();
                String lately = full.get();
                return lately == null ? null : what + " has no room: " + lately;
            } catch (BusException | StoreException e) {
                return what + " does not answer: " + e.getMessage() + (backlog.get() == 0 ? "" : "; " + backlog.get()
                        + " bytes wait for it");
            }
        }, task -> Thread.ofVirtual().name("readiness").start(task))
                .completeOnTimeout(what + " does not answer", ANSWER_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> what + ": " + (failure.getCause() == null ? failure : failure.getCause()));
    }
}
