package dev.sand.hostagent.sandbox;

/** A sandbox cannot be started, or a task in one cannot be run: the message says what failed, which sandbox and what to do. */
public final class SandboxException extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean forGood;

    private SandboxException(String message, Throwable cause, boolean forGood) {
        super(message, cause);
        this.forGood = forGood;
    }

    public SandboxException(String message) {
        this(message, null, false);
    }

    public SandboxException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /** What is asked for is wrong: asking again changes nothing before somebody has changed that. */
    static SandboxException forGood(String message) {
        return new SandboxException(message, null, true);
    }

    boolean isForGood() {
        return forGood;
    }
}
