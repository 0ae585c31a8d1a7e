package dev.sand.datalayer;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.util.List;

/** Bounds a record's size: it says what happened, it is not where large values live. */
final class RecordTrimming {
    static final int MAX_HOPS = 1000;

    private RecordTrimming() {}

    /** @param maxOutputBytes a larger output leaves its size alone */
    static InvocationRecord trimmed(InvocationRecord record, long maxOutputBytes) {
        if (fits(record.input(), Limits.INLINE_BYTES) && fits(record.output(), maxOutputBytes) && fits(record.hops())) {
            return record;
        }
        return new InvocationRecord(record.schema(), record.executionId(), record.application(), record.version(),
                record.target(), record.status(), trimmed(record.input(), Limits.INLINE_BYTES),
                trimmed(record.output(), maxOutputBytes), record.failure(), record.startedMs(), record.endedMs(),
                record.cpuUs(), record.peakMemoryBytes(), fits(record.hops()) ? record.hops() : record.hops().subList(0, MAX_HOPS),
                record.redriveCount(), record.process());
    }

    private static boolean fits(Payload payload, long limit) {
        return payload == null || payload.bytes() == null || payload.bytes().length <= limit;
    }

    private static boolean fits(List<Hop> hops) {
        return hops == null || hops.size() <= MAX_HOPS;
    }

    private static Payload trimmed(Payload payload, long limit) {
        return fits(payload, limit) ? payload : payload.notKept();
    }
}
