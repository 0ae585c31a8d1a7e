package dev.sand.hostagent.core;

/** Inputs that come of there being other hosts: which slots are ours. Stale ones are dropped. */
final class ClusterInputs {
    private final CoreContext context;
    private final long[] acquiredNs;

    ClusterInputs(CoreContext context) {
        this.context = context;
        this.acquiredNs = new long[context.slots.count()];
    }

    void on(Input.SlotAcquired acquired) {
        int slot = acquired.slot();
        if (isNone(slot, acquired)) {
            return;
        }
        if (acquired.epoch() <= context.slots.epoch(slot)) {
            context.drop("slot " + slot + " is ours under epoch " + context.slots.epoch(slot), acquired);
            return;
        }
        if (context.slots.state(slot) != SlotTable.State.ELSEWHERE) {
            lose(slot); // it was another host's in between
        }
        context.slots.acquired(slot, acquired.epoch());
        acquiredNs[slot] = context.nowNs;
    }

    void on(Input.SlotReady ready) {
        int slot = ready.slot();
        if (isNone(slot, ready)) {
            return;
        }
        if (context.slots.state(slot) != SlotTable.State.RECOVERING || context.slots.epoch(slot) != ready.epoch()) {
            context.drop("slot " + slot + " is not being recovered under epoch " + ready.epoch(), ready);
            return;
        }
        context.slots.ready(slot);
        context.figures.recovery.add(context.nowNs - acquiredNs[slot]);
        context.executions.ready(slot);
    }

    void on(Input.SlotLost lost) {
        int slot = lost.slot();
        if (isNone(slot, lost)) {
            return;
        }
        if (context.slots.epoch(slot) != lost.epoch()) {
            context.drop("slot " + slot + " is not ours under epoch " + lost.epoch(), lost);
            return;
        }
        lose(slot);
    }

    private void lose(int slot) {
        context.slots.lost(slot);
        context.executions.lost(slot);
        context.processes.deliveries().lost(slot);
        context.processes.table().lost(slot);
    }

    private boolean isNone(int slot, Input input) {
        boolean none = slot < 0 || slot >= context.slots.count();
        if (none) {
            context.drop("there are " + context.slots.count() + " slots", input);
        }
        return none;
    }
}
