package dev.sand.hostagent.sandbox;

/** A sandbox cannot be started, or a task in one cannot be run: the message says what failed, which sandbox and what to do. */
public final class SandboxException extends Exception {
    private static final long serialVersionUID = 1L;

    public SandboxException(String message) {
        super(message);
    }

    public SandboxException(String message, Throwable cause) {
        super(message, cause);
    }
}
