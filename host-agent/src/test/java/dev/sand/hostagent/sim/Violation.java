package dev.sand.hostagent.sim;

/** Something happened that must never happen. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message);
    }

    Violation(String message, Throwable cause) {
        super(message, cause);
    }
}
