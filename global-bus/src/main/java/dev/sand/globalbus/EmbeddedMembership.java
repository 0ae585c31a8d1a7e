package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.SLOTS;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.MembershipRecord.Claim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Membership of a platform that is one process: its one host owns every slot from {@code join} until {@code close}. Claims
 * are written all the same, so that each start has higher epochs than the one before.
 */
public final class EmbeddedMembership implements Membership {
    private static final long CLAIM_SECONDS = 30;

    private final GlobalBus bus;
    private final int slots;
    private final LongSupplier wallClockMs;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("membership").factory());
    private final Watchers watchers = new Watchers(thread);
    private volatile View view;
    private volatile boolean acting;
    private SlotListener listener;

    /** @param slots of a new platform; one that exists keeps its number */
    public EmbeddedMembership(GlobalBus bus, int slots) {
        this(bus, slots, System::currentTimeMillis);
    }

    EmbeddedMembership(GlobalBus bus, int slots, LongSupplier wallClockMs) {
        this.bus = bus;
        this.wallClockMs = wallClockMs;
        bus.createTopic(SLOTS, slots);
        this.slots = bus.partitions(SLOTS);
        this.view = new View(Collections.nCopies(this.slots, null), Map.of());
    }

    @Override
    public int slots() {
        return slots;
    }

    /** Returns once the listener was told of every slot. */
    @Override
    public void join(HostCard self, SlotListener slotListener) {
        onThread(() -> {
            if (listener != null) {
                throw new BusException(Kind.CONFLICT, "host " + self.host() + " cannot join: this platform has its one host, "
                        + view.hosts().keySet() + ", already", null);
            }
            List<Owner> owners = claimAll(self);
            listener = slotListener;
            acting = true;
            show(owners, self);
            owners.forEach(owner -> slotListener.onAcquired(owner.slot(), owner.epoch()));
        });
    }

    private List<Owner> claimAll(HostCard self) {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.append(SLOTS, slot, Claim.of(slot, self).encode(), AppendFuture.completing(offset));
            offsets.add(offset.orTimeout(CLAIM_SECONDS, TimeUnit.SECONDS));
        }
        List<Owner> owners = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            long offset = AppendFuture.join(offsets.get(slot), "claim slot " + slot);
            bus.trim(SLOTS, slot, offset); // earlier claims say nothing any more
            owners.add(new Owner(slot, offset + 1, self));
        }
        return owners;
    }

    @Override
    public void report(HostCard self) {
        start(() -> {
            if (acting) {
                show(view.owners(), self);
            }
        });
    }

    private void show(List<Owner> owners, HostCard self) {
        HostCard seen = new HostCard(self.host(), self.incarnation(), self.address(), self.labels(), self.busy(),
                self.draining(), wallClockMs.getAsLong(), self.reads());
        List<Owner> shown = owners.stream().map(owner -> new Owner(owner.slot(), owner.epoch(), seen)).toList();
        view = new View(shown, Map.of(seen.host(), seen));
        watchers.tell(view);
    }

    /** The one host hears of nobody that could take its slots. */
    @Override
    public boolean mayAct(long nowNs) {
        return acting;
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public AutoCloseable watch(Consumer<View> onChange) {
        return watchers.add(onChange, () -> view);
    }

    @Override
    public void close() {
        if (thread.isShutdown()) {
            return;
        }
        try {
            onThread(this::leave);
        } finally {
            thread.shutdown();
        }
    }

    private void leave() {
        if (acting) {
            view.owners().forEach(owner -> listener.onReleased(owner.slot(), owner.epoch()));
            acting = false;
            view = new View(Collections.nCopies(slots, null), Map.of());
            watchers.tell(view);
        }
    }

    private CompletableFuture<Void> start(Runnable work) {
        try {
            return CompletableFuture.runAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new BusException(Kind.CLOSED, "the membership is closed", e));
        }
    }

    private void onThread(Runnable work) {
        try {
            start(work).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
