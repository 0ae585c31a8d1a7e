package dev.sand.globalbus;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** What a host was told of its slots. */
final class KeptSlots implements Membership.SlotListener {
    final Map<Integer, Long> owned = new ConcurrentHashMap<>();
    final Map<Integer, Long> lost = new ConcurrentHashMap<>();
    /** The last epoch of each slot that it ever had. */
    final Map<Integer, Long> all = new ConcurrentHashMap<>();
    final List<Boolean> mayActWhenLost = new CopyOnWriteArrayList<>();
    final AtomicReference<BusException> broken = new AtomicReference<>();
    /** Asked when a slot is lost, if it is there. */
    volatile Membership of;

    @Override
    public void onBroken(BusException cause) {
        broken.set(cause);
    }

    @Override
    public void onAcquired(int slot, long epoch) {
        owned.put(slot, epoch);
        all.put(slot, epoch);
    }

    @Override
    public void onReleased(int slot, long epoch) {
        owned.remove(slot, epoch);
    }

    @Override
    public void onLost(int slot, long epoch) {
        if (of != null) {
            mayActWhenLost.add(of.mayAct(System.nanoTime()));
        }
        lost.put(slot, epoch);
        owned.remove(slot, epoch);
    }
}
