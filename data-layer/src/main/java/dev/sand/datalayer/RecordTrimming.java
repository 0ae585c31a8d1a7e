package dev.sand.datalayer;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.util.List;

/** Bounds a record's size: it says what happened, it is not where large values live. */
final class RecordTrimming {
    /** What stands in a record where a value was too large for it: a reference to nothing, with the value's size. */
    static final String TRUNCATED = "truncated";
    static final int MAX_HOPS = 1000;

    private RecordTrimming() {}

    static InvocationRecord trimmed(InvocationRecord record) {
        if (fits(record.input()) && fits(record.output()) && (record.hops() == null || record.hops().size() <= MAX_HOPS)) {
            return record;
        }
        return new InvocationRecord(record.schema(), record.executionId(), record.application(), record.version(),
                record.target(), record.status(), trimmed(record.input()), trimmed(record.output()), record.failure(),
                record.startedMs(), record.endedMs(), record.cpuUs(), record.peakMemoryBytes(), trimmed(record.hops()));
    }

    private static boolean fits(Payload payload) {
        return payload == null || payload.bytes() == null || payload.bytes().length <= Limits.INLINE_BYTES;
    }

    private static Payload trimmed(Payload payload) {
        return fits(payload) ? payload
                : new Payload(payload.contentType(), null, new Payload.Reference(TRUNCATED, payload.size()));
    }

    private static List<Hop> trimmed(List<Hop> hops) {
        return hops == null || hops.size() <= MAX_HOPS ? hops : hops.subList(0, MAX_HOPS);
    }
}
