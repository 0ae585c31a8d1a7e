package dev.sand.datalayer;

/** Why the store did not do what was asked. */
public class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * CONFLICT: not at the expected version; FULL: no room; OVER_QUOTA: none for this tenant; AWAY: cannot be reached; BAD_VALUE: not a
     * counter, a bad key.
     */
    public enum Kind { CONFLICT, FULL, OVER_QUOTA, AWAY, BAD_VALUE, BROKEN }

    private final Kind kind;
    private final long actual;
    private final long limit;

    public StoreException(Kind kind, String message, long actualVersion, Throwable cause) {
        this(kind, message, actualVersion, 0, cause);
    }

    /** @param actual what it would have come to */
    StoreException(Kind kind, String message, long actual, long limit) {
        this(kind, message, actual, limit, null);
    }

    private StoreException(Kind kind, String message, long actual, long limit, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.actual = actual;
        this.limit = limit;
    }

    public Kind kind() {
        return kind;
    }

    /** For CONFLICT: the version that is there, 0 when none. */
    public long actualVersion() {
        return actual;
    }

    /** For OVER_QUOTA, as the limit. */
    public long actual() {
        return actual;
    }

    public long limit() {
        return limit;
    }
}
