package dev.sand.hostagent.log;

/** How much one attempt has written, on both streams of its instance. */
final class AttemptOutput {
    private String marker = "";
    private long bytes;
    private boolean truncated;
    private int streams;

    /** @param newMarker the marker line that one of the streams brought */
    void begin(String newMarker) {
        if (!marker.equals(newMarker)) {
            marker = newMarker;
            bytes = 0;
            truncated = false;
        }
    }

    /** @return whether a line of that length is to be kept */
    boolean admit(int lineBytes, long limit) {
        bytes += lineBytes + 1L;
        return bytes <= limit;
    }

    /** @return true once, when the limit has been passed */
    boolean firstTruncation() {
        boolean first = !truncated;
        truncated = true;
        return first;
    }

    void opened() {
        streams++;
    }

    /** @return true when the last stream is closed */
    boolean closed() {
        return --streams == 0;
    }
}
