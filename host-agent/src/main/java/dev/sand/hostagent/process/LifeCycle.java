package dev.sand.hostagent.process;

/**
 * The states of a cloud process (PraaS, Fig. 5) and which follow which. The two that the figure draws as arrows, swapping out and
 * in, take a while, and may fail. One that is swapped is not in memory: SWAPPED is what others are told of it.
 *
 * <pre>
 * ACTIVE       → IDLE          no function ran in it for a while
 * IDLE         → ACTIVE        a function does
 * ACTIVE, IDLE → SWAPPING_OUT  it was idle for long, memory is short, somebody asks for it, its host stops
 * SWAPPING_OUT → SWAPPED       all of it is in the global data layer
 * SWAPPING_OUT → ACTIVE, IDLE  that could not be written, or something came: it is all here still, as it was before
 * SWAPPED      → SWAPPING_IN   somebody addresses it
 * SWAPPING_IN  → ACTIVE        it is here
 * SWAPPING_IN  → SWAPPED       it could not be read
 * any          → KILLED        deleted: nothing of it is kept
 * </pre>
 */
public enum LifeCycle {
    ACTIVE, IDLE, SWAPPING_OUT, SWAPPED, SWAPPING_IN, KILLED;

    public boolean mayBecome(LifeCycle next) {
        return switch (this) {
            case ACTIVE -> next == IDLE || next == SWAPPING_OUT || next == KILLED;
            case IDLE -> next == ACTIVE || next == SWAPPING_OUT || next == KILLED;
            case SWAPPING_OUT -> next == SWAPPED || next == ACTIVE || next == IDLE || next == KILLED;
            case SWAPPED -> next == SWAPPING_IN || next == KILLED;
            case SWAPPING_IN -> next == ACTIVE || next == SWAPPED || next == KILLED;
            case KILLED -> false;
        };
    }

    /** As users are told. What is under way counts as what it was before: of SWAPPING_OUT {@link CloudProcess#shown} knows which. */
    public String shown() {
        return switch (this) {
            case ACTIVE -> "active";
            case IDLE -> "idle";
            case SWAPPED, SWAPPING_IN -> "swapped";
            case KILLED -> "killed";
            case SWAPPING_OUT -> throw new IllegalStateException("it is what it was before");
        };
    }
}
