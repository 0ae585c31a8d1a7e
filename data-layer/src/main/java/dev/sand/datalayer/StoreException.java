package dev.sand.datalayer;

/** Why the store did not do what was asked. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** CONFLICT: not at the expected version; FULL: no room; AWAY: cannot be reached; BAD_VALUE: not a counter, a bad key. */
    public enum Kind { CONFLICT, FULL, AWAY, BAD_VALUE, BROKEN }

    private final Kind kind;
    private final long actualVersion;

    public StoreException(Kind kind, String message, long actualVersion, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.actualVersion = actualVersion;
    }

    public Kind kind() {
        return kind;
    }

    /** For CONFLICT: the version that is there, 0 when none. */
    public long actualVersion() {
        return actualVersion;
    }
}
