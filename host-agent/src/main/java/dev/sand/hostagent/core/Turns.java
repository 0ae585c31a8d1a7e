package dev.sand.hostagent.core;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Whose turn it is when a tenant runs as many instances on this host as it may: grains of one shard that have events wait here, in the
 * order in which they began to; of several shards whoever asks first gets what becomes free.
 */
final class Turns {
    private final CoreContext context;
    private final Map<Allowance, ArrayDeque<Grain>> waiting = new HashMap<>();
    /** Whose turn it is in this step. */
    private Grain turn;

    Turns(CoreContext context) {
        this.context = context;
    }

    /** @return whether the grain may run one more instance, which is counted then; else it has its turn later */
    boolean take(Grain grain) {
        Allowance allowance = grain.application().allowance();
        boolean othersCameFirst = !waiting.isEmpty() && grain != turn && waiting.containsKey(allowance);
        if (!othersCameFirst && allowance.takeInstance() || !context.has(Rule.INSTANCE_QUOTA)) {
            return true;
        }
        await(grain, allowance);
        // What was given back before it was seen to wait was told to nobody.
        return !othersCameFirst && allowance.takeInstance();
    }

    private void await(Grain grain, Allowance allowance) {
        ArrayDeque<Grain> line = waiting.get(allowance);
        if (line == null) {
            line = new ArrayDeque<>();
            waiting.put(allowance, line);
            allowance.shardWaits();
        }
        if (!grain.waitsForTurn()) {
            grain.waitsForTurn(true);
            line.addLast(grain);
        }
    }

    /** One of the tenant's runs no more. */
    void give(Allowance allowance) {
        allowance.giveInstance();
        if (allowance.isAwaited()) {
            context.emit(new Action.TellShards(new Input.InstancesFreed(allowance.tenant())));
        }
    }

    void on(Input.InstancesFreed freed) {
        Allowance allowance = context.allowances.of(freed.tenant());
        ArrayDeque<Grain> line = waiting.get(allowance);
        if (line == null) {
            return;
        }
        for (int turns = line.size(); turns > 0 && allowance.instancesLeft() > 0; turns--) {
            Grain grain = line.pollFirst();
            grain.waitsForTurn(false);
            turn = grain;
            grain.onTurn(); // if it has more to do than it may, it waits again, as the last
            turn = null;
        }
        if (line.isEmpty()) {
            waiting.remove(allowance);
            allowance.shardWaitsNoMore();
        }
    }
}
