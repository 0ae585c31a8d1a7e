package dev.sand.hostagent.core;

import dev.sand.event.Slots;
import java.util.Arrays;

/**
 * Which slots are this host's, and under which epoch (DESIGN, decision 6).
 *
 * <pre>
 * ELSEWHERE  → RECOVERING  acquired: its journals are being read, requests for it are held
 * RECOVERING → OURS        ready: every execution that was open in it is here again
 * RECOVERING, OURS → ELSEWHERE  lost
 * </pre>
 */
final class SlotTable {
    enum State { ELSEWHERE, RECOVERING, OURS }

    private static final long NONE = -1;

    private final State[] states;
    private final long[] epochs;
    private int elsewhere;

    SlotTable(int slots) {
        states = new State[slots];
        epochs = new long[slots];
        Arrays.fill(states, State.ELSEWHERE);
        elsewhere = slots;
        Arrays.fill(epochs, NONE);
    }

    int count() {
        return states.length;
    }

    int of(String executionId) {
        return Slots.of(executionId, states.length);
    }

    State state(int slot) {
        return states[slot];
    }

    /** Whether other hosts have some of them. */
    boolean isShared() {
        return elsewhere > 0;
    }

    /** Under which the slot is ours; -1 when it is not. */
    long epoch(int slot) {
        return epochs[slot];
    }

    /** Whether what was begun under that epoch may still have effects. */
    boolean holds(int slot, long epoch) {
        return epochs[slot] == epoch;
    }

    void acquired(int slot, long epoch) {
        become(slot, State.RECOVERING);
        epochs[slot] = epoch;
    }

    void ready(int slot) {
        become(slot, State.OURS);
    }

    void lost(int slot) {
        become(slot, State.ELSEWHERE);
        epochs[slot] = NONE;
    }

    private void become(int slot, State next) {
        boolean legal = switch (states[slot]) {
            case ELSEWHERE -> next == State.RECOVERING;
            case RECOVERING -> next != State.RECOVERING;
            case OURS -> next == State.ELSEWHERE;
        };
        if (!legal) {
            throw CoreContext.illegal("slot", String.valueOf(slot), states[slot], next);
        }
        elsewhere += (next == State.ELSEWHERE ? 1 : 0) - (states[slot] == State.ELSEWHERE ? 1 : 0);
        states[slot] = next;
    }
}
