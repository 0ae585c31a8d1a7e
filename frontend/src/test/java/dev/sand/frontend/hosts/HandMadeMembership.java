package dev.sand.frontend.hosts;

import dev.sand.globalbus.Membership;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A membership whose owners and hosts are what a test says. */
final class HandMadeMembership implements Membership {
    static final int SLOTS = 16;
    private final Owner[] owners = new Owner[SLOTS];
    private final Map<String, HostCard> hosts = new HashMap<>();
    private final List<Consumer<View>> watchers = new CopyOnWriteArrayList<>();
    private volatile View view = new View(new ArrayList<>(Arrays.asList(owners)), Map.of());

    synchronized void host(String host, String address, boolean draining) {
        hosts.put(host, new HostCard(host, host + "-1", address, Set.of("here"), 0.25, draining, 1));
        tell();
    }

    synchronized void gone(String host) {
        hosts.remove(host);
        tell();
    }

    synchronized void own(int slot, String host, long epoch) {
        owners[slot] = host == null ? null : new Owner(slot, epoch, hosts.get(host));
        tell();
    }

    synchronized void ownAll(String host, long epoch) {
        for (int slot = 0; slot < SLOTS; slot++) {
            owners[slot] = host == null ? null : new Owner(slot, epoch, hosts.get(host));
        }
        tell();
    }

    private void tell() {
        view = new View(new ArrayList<>(Arrays.asList(owners)), Map.copyOf(hosts));
        watchers.forEach(watcher -> watcher.accept(view));
    }

    @Override
    public int slots() {
        return SLOTS;
    }

    @Override
    public void join(HostCard self, SlotListener listener) {
        throw new UnsupportedOperationException("a frontend only watches");
    }

    @Override
    public void report(HostCard self) {
        throw new UnsupportedOperationException("a frontend only watches");
    }

    @Override
    public boolean mayAct(long nowNs) {
        return true;
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public synchronized AutoCloseable watch(Consumer<View> onChange) {
        watchers.add(onChange);
        onChange.accept(view);
        return () -> watchers.remove(onChange);
    }

    @Override
    public void close() {}
}
