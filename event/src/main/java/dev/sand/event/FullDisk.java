package dev.sand.event;

import java.io.IOException;
import java.util.Map;

/** A disk that has no room: what says so, and how whoever asked is told. */
public final class FullDisk {
    /** In a failure's details: there is no room on a disk of the platform's. */
    public static final String DETAIL = "diskFull";

    private FullDisk() {}

    /** Java has no exception of its own for it: the operating system's words are at the end of one of these messages. */
    public static boolean is(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String message = cause instanceof IOException ? cause.getMessage() : null;
            if (message != null && (message.endsWith("No space left on device") || message.endsWith("Disk quota exceeded"))) {
                return true;
            }
        }
        return false;
    }

    /** Of a platform's failure. @param isFull whether it is the disk's */
    public static Failure failure(String cause, boolean isFull) {
        return new Failure(Errors.UNAVAILABLE, cause, Failure.Source.PLATFORM, true, null, isFull ? Map.of(DETAIL, true) : Map.of());
    }
}
