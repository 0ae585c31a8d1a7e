package dev.sand.hostlink;

/** A peer broke the rules, or cannot be reached: the connection ends, and the message says why. */
public final class LinkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LinkException(String message) {
        super(message);
    }
}
