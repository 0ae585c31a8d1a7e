package dev.sand.hostagent.segments;

/** Why a large value cannot be stored or read, in one of the platform's error names. */
final class SegmentException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String error;

    SegmentException(String error, String message, Throwable cause) {
        super(message, cause);
        this.error = error;
    }

    String error() {
        return error;
    }
}
