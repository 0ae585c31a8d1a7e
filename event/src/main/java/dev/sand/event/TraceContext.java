package dev.sand.event;

/**
 * W3C trace context ({@code traceparent}). Ids of the platform's spans are derived, from an execution, an event and its
 * attempt: whoever sees one of those knows its span, so that nobody has to carry more than the execution's own context.
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16, of the span that things happen below
 */
public record TraceContext(String traceId, String spanId, boolean sampled) {
    private static final int TRACE_AT = 3;
    private static final int SPAN_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int CHARS = 55;
    private static final String NO_SPAN = "0".repeat(16);
    private static final String NO_TRACE = "0".repeat(32);

    /** @return null when there is none, or it is not well-formed: the specification says to go on without it */
    public static TraceContext of(String traceparent) {
        if (traceparent == null || !isWellFormed(traceparent)) {
            return null;
        }
        int flags = Character.digit(traceparent.charAt(FLAGS_AT + 1), 16);
        return new TraceContext(traceparent.substring(TRACE_AT, SPAN_AT - 1), traceparent.substring(SPAN_AT, FLAGS_AT - 1),
                (flags & 1) != 0);
    }

    private static boolean isWellFormed(String text) {
        // A later version may have more fields behind these.
        if (text.length() < CHARS || text.length() > CHARS && (text.startsWith("00") || text.charAt(CHARS) != '-')) {
            return false;
        }
        for (int i = 0; i < CHARS; i++) {
            char c = text.charAt(i);
            boolean dash = i == TRACE_AT - 1 || i == SPAN_AT - 1 || i == FLAGS_AT - 1;
            boolean hex = c >= '0' && c <= '9' || c >= 'a' && c <= 'f';
            if (dash ? c != '-' : !hex) {
                return false;
            }
        }
        return !text.startsWith("ff") && !text.startsWith(NO_TRACE, TRACE_AT) && !text.startsWith(NO_SPAN, SPAN_AT);
    }

    /** The trace of an execution that nobody gave one: its id's own 128 bits, so that either finds the other. */
    public static String traceId(String executionId) {
        if (!Ids.isValid(executionId)) {
            return hex(hash(executionId, 1)) + hex(hash(executionId, 2));
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < Ids.LENGTH; i++) {
            high = high << 5 | low >>> 59;
            low = low << 5 | Ids.digit(executionId.charAt(i));
        }
        return hex(high) + hex(low);
    }

    /** @param what within the execution: its request, an event's attempt, a part of that */
    public static String spanId(String executionId, String what) {
        return hex(hash(what, hash(executionId, 0)));
    }

    /** A run of an event: what its handler's own spans are below. */
    public static String runSpanId(String eventId, int attempt) {
        return spanId(eventId, "run " + attempt);
    }

    /** The context below another span of the same trace. */
    public TraceContext below(String span) {
        return new TraceContext(traceId, span, sampled);
    }

    @Override
    public String toString() {
        return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
    }

    /** FNV-1a with a last mixing; never 0, which W3C calls invalid. */
    private static long hash(String text, long seed) {
        long hash = 0xcbf29ce484222325L ^ seed;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 32) * 0xd6e8feb86659fd93L;
        hash ^= hash >>> 32;
        return hash == 0 ? 1 : hash;
    }

    private static String hex(long value) {
        String digits = Long.toHexString(value);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
