package dev.sand.hostagent.segments;

/** Why a large value cannot be stored or read, in one of the platform's error names. */
final class SegmentException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String error;
    private final transient String room;

    SegmentException(String error, String message, Throwable cause) {
        this(error, message, cause, null);
    }

    private SegmentException(String error, String message, Throwable cause, String room) {
        super(message, cause);
        this.error = error;
        this.room = room;
    }

    /** There are too many values. @param of the application of which some would have to leave */
    static SegmentException full(String error, String message, String of) {
        return new SegmentException(error, message, null, of);
    }

    /** The application of which values would have to leave; null: that would change nothing. */
    String wantsRoomOf() {
        return room;
    }

    String error() {
        return error;
    }
}
