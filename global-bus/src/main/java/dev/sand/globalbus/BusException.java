package dev.sand.globalbus;

/** Why the global bus did not do what was asked; {@code retryable} when later may be different. */
public final class BusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * FULL: the bounded backlog or the disk; TOO_MANY: as many records wait in a partition as its sender allows; AWAY: the
     * broker cannot be reached; UNKNOWN_TOPIC: no such topic or partition; TOO_LARGE: a record over the limit; CONFLICT: a live host has that id; CLOSED; BROKEN: anything else.
     */
    public enum Kind { FULL, TOO_MANY, AWAY, UNKNOWN_TOPIC, TOO_LARGE, CONFLICT, CLOSED, BROKEN }

    private final Kind kind;

    public BusException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public boolean retryable() {
        return kind == Kind.FULL || kind == Kind.TOO_MANY || kind == Kind.AWAY;
    }
}
