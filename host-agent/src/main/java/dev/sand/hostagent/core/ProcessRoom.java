package dev.sand.hostagent.core;

import dev.sand.event.SandboxSpec;

/** How many instances an application's sandbox has room for: by its limit of processes, and for idle ones by its memory. */
final class ProcessRoom {
    private static final int SUPERVISOR_PIDS = 16;

    private final int maxInstances;
    private final int maxIdle;
    private int instances;
    private int idle;

    /** @param idleInstanceBytes estimate; idle instances together may take a quarter of the memory */
    ProcessRoom(SandboxSpec limits, int workers, long idleInstanceBytes) {
        maxInstances = Math.max(1, limits.pids() - SUPERVISOR_PIDS - workers);
        maxIdle = (int) Math.clamp(limits.memoryBytes() / 4 / idleInstanceBytes, 1, maxInstances);
    }

    /** An instance goes from one state to another; null: it begins. */
    void changed(Instance.State from, Instance.State to) {
        instances += (to == Instance.State.GONE ? 0 : 1) - (from == null ? 0 : 1);
        idle += (isIdle(to) ? 1 : 0) - (isIdle(from) ? 1 : 0);
    }

    private static boolean isIdle(Instance.State state) {
        return state == Instance.State.SPAWNING || state == Instance.State.WAITING;
    }

    /** Instances that may still be forked for events that wait. */
    int forEvents() {
        return maxInstances - instances;
    }

    /** Instances that may still be forked ahead of need. */
    int ahead() {
        return Math.min(forEvents() - maxInstances / 4, maxIdle - idle);
    }
}
