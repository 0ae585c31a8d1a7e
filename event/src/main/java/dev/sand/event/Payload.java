package dev.sand.event;

/**
 * A value on its way: bytes in the frame (at most {@link Limits#INLINE_BYTES}) or a reference to an object of the local
 * data layer, never both. Bytes are opaque here; they are parsed only where a path looks inside.
 *
 * @param contentType media type; {@code application/json} is decoded for handlers, others reach them as bytes
 * @param bytes the value itself, or null
 * @param reference where the value is, or null
 */
public record Payload(String contentType, byte[] bytes, Reference reference) {
    public static final String JSON = "application/json";
    public static final String OCTETS = "application/octet-stream";
    private static final byte[] NULL_JSON = {'n', 'u', 'l', 'l'};
    /** An array of numpy's. */
    public static final String NPY = "application/x-npy";
    private static final String NOT_KEPT = "truncated";

    /** An object of the local data layer. */
    public record Reference(String object, long size) {}

    public Payload {
        if ((bytes == null) == (reference == null)) {
            throw new IllegalArgumentException("a payload has bytes or a reference, exactly one of them");
        }
    }

    public static Payload json(byte[] bytes) {
        return new Payload(JSON, bytes, null);
    }

    public static Payload nullJson() {
        return json(NULL_JSON);
    }

    public long size() {
        return bytes != null ? bytes.length : reference.size();
    }

    /** What is said of the value where it is not kept: its type and its size. */
    public Payload notKept() {
        return new Payload(contentType, null, new Reference(NOT_KEPT, size()));
    }

    public boolean isNotKept() {
        return reference != null && reference.object().equals(NOT_KEPT);
    }

    public boolean isJson() {
        return contentType.startsWith(JSON);
    }
}
