package dev.sand.dataplane.client;

import java.io.IOException;

/** An invocation that has no result. Its message is the cause. */
public final class InvocationException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String error;
    private final boolean retryable;
    private final boolean ofFunction;

    InvocationException(String error, String cause, boolean retryable, boolean ofFunction) {
        super(cause);
        this.error = error;
        this.retryable = retryable;
        this.ofFunction = ofFunction;
    }

    static InvocationException unavailable(String cause) {
        return new InvocationException("Sand.Unavailable", cause, true, false);
    }

    /** Stable: {@code Sand.…} is the platform's, anything else the function's exception. */
    public String error() {
        return error;
    }

    /** Whether the same may work later. */
    public boolean isRetryable() {
        return retryable;
    }

    /** Whether the function itself has failed. */
    public boolean isOfFunction() {
        return ofFunction;
    }
}
