package dev.sand.hostagent;

import dev.sand.globalbus.Membership;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Hosts of one process whose slots a test gives and takes. */
final class TestMembership implements AutoCloseable {
    private final int slots;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<Consumer<Membership.View>> watchers = new CopyOnWriteArrayList<>();
    private final Map<String, Host> hosts = new HashMap<>();
    private final List<Membership.Owner> owners;
    private long epoch;
    private volatile Membership.View view;
    private volatile boolean allIdle;

    TestMembership(int slots) {
        this.slots = slots;
        this.owners = new ArrayList<>(Collections.nCopies(slots, null));
        this.view = new Membership.View(List.copyOf(new ArrayList<>()), Map.of());
        show();
    }

    /** What one host sees of it. */
    final class Host implements Membership {
        volatile boolean acting = true;
        /** While it is not acting: cut off, and not paused. */
        volatile boolean goingOn;
        private volatile boolean withdrawn;
        private HostCard card;
        private SlotListener listener;

        @Override
        public int slots() {
            return slots;
        }

        @Override
        public void join(HostCard self, SlotListener slotListener) {
            inTurn(() -> {
                card = self;
                listener = slotListener;
                hosts.put(self.host(), this);
                show();
            });
        }

        @Override
        public void report(HostCard self) {
            thread.execute(() -> {
                card = !allIdle ? self : new HostCard(self.host(), self.incarnation(), self.address(), self.labels(), 0, self.draining(),
                        self.seenMs(), self.reads());
                show();
            });
        }

        @Override
        public boolean mayAct(long nowNs) {
            return acting;
        }

        @Override
        public boolean mayGoOn(long nowNs) {
            return acting || goingOn;
        }

        /** To whoever else is there. */
        @Override
        public void withdraw() {
            inTurn(() -> {
                withdrawn = true;
                acting = false;
                String other = hosts.keySet().stream().filter(each -> !each.equals(card.host())).findFirst().orElseThrow();
                for (int slot = 0; slot < slots; slot++) {
                    handOver(slot, card.host(), other);
                }
            });
        }

        /** Of the slots of whoever else is there, each second one. */
        @Override
        public void takePart() {
            inTurn(() -> {
                withdrawn = false;
                acting = true;
                String other = hosts.keySet().stream().filter(each -> !each.equals(card.host())).findFirst().orElseThrow();
                for (int slot = 0; slot < slots; slot += 2) {
                    handOver(slot, other, card.host());
                }
            });
        }

        @Override
        public boolean isWithdrawn() {
            return withdrawn;
        }

        @Override
        public View view() {
            return view;
        }

        @Override
        public AutoCloseable watch(Consumer<View> onChange) {
            watchers.add(onChange);
            onChange.accept(view);
            return () -> watchers.remove(onChange);
        }

        @Override
        public void close() {
            inTurn(() -> {
                for (Owner owner : new ArrayList<>(view.owners())) {
                    if (owner != null && owner.host().host().equals(card.host())) {
                        listener.onReleased(owner.slot(), owner.epoch());
                        owners.set(owner.slot(), null);
                    }
                }
                hosts.remove(card.host());
                show();
            });
        }
    }

    /** A host's own view of the group. */
    Host host() {
        return new Host();
    }

    /** From now on no host looks busy: each keeps the events of its executions. */
    void showAllIdle() {
        allIdle = true;
    }

    /** Gives all slots to the host; the owners so far are told nothing, as when they are dead or cut off. */
    void giveAll(String host) {
        for (int slot = 0; slot < slots; slot++) {
            give(slot, host);
        }
    }

    void give(int slot, String host) {
        inTurn(() -> {
            Host to = hosts.get(host);
            owners.set(slot, new Membership.Owner(slot, ++epoch, to.card));
            show();
            to.listener.onAcquired(slot, epoch);
        });
    }

    /** In order: the owner gives the slot up first. */
    void move(int slot, String host) {
        inTurn(() -> {
            Membership.Owner owner = owners.get(slot);
            if (owner != null) {
                hosts.get(owner.host().host()).listener.onReleased(slot, owner.epoch());
            }
        });
        give(slot, host);
    }

    private void handOver(int slot, String from, String to) {
        Membership.Owner owner = owners.get(slot);
        if (owner != null && owner.host().host().equals(from)) {
            hosts.get(from).listener.onReleased(slot, owner.epoch());
            owners.set(slot, new Membership.Owner(slot, ++epoch, hosts.get(to).card));
            show();
            hosts.get(to).listener.onAcquired(slot, epoch);
        }
    }

    /** The group has told the host that its slots are lost. */
    void lose(String host) {
        inTurn(() -> {
            Host from = hosts.get(host);
            for (int slot = 0; slot < slots; slot++) {
                from.listener.onLost(slot, epochOf(slot));
            }
            from.acting = true;
        });
    }

    private final Map<Integer, Long> lastEpochs = new HashMap<>();

    private long epochOf(int slot) {
        return lastEpochs.getOrDefault(slot, 0L);
    }

    void remember() {
        inTurn(() -> owners.forEach(owner -> lastEpochs.put(owner.slot(), owner.epoch())));
    }

    private void show() {
        Map<String, Membership.HostCard> cards = new HashMap<>();
        hosts.forEach((id, host) -> cards.put(id, host.card));
        view = new Membership.View(Collections.unmodifiableList(new ArrayList<>(owners)), cards);
        watchers.forEach(watcher -> watcher.accept(view));
    }

    private void inTurn(Runnable task) {
        CompletableFuture.runAsync(task, thread).join();
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
