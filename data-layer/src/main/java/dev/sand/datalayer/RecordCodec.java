package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRecord;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.RecordBodies;
import java.util.Arrays;
import java.util.List;

/** Invocations' records as the store has them. While hosts are upgraded, older frontends read those of newer hosts. */
final class RecordCodec {
    private RecordCodec() {}

    /** What older versions pass over. */
    private record Added(String process) {}

    /** @param alone whether no other version reads it: input and output may be behind the JSON, each as it is */
    static byte[] encode(InvocationRecord record, boolean alone) {
        RecordBodies bodies = new RecordBodies();
        InvocationRecord written = alone ? record.with(bodies.put(record.input()), bodies.put(record.output())) : record;
        // Of a record with bodies there is always something added: what is behind it ends before them.
        boolean hasAdded = record.process() != null || !bodies.isEmpty();
        return bodies.behind(hasAdded ? Codec.encode(written.inProcess(null), new Added(record.process())) : Codec.encode(written));
    }

    static InvocationRecord decode(byte[] value) {
        InvocationRecord record = Codec.decode(value, InvocationRecord.class, Added.class, (first, added) -> first.inProcess(added.process()));
        if (record.schema() > Limits.SCHEMA_VERSION) {
            throw new StoreException(Kind.BROKEN, "the record of " + record.executionId() + " has schema " + record.schema()
                    + ", newer than this platform understands", 0, null);
        }
        List<Payload> payloads = Arrays.asList(record.input(), record.output());
        if (!RecordBodies.areIn(payloads)) {
            return record;
        }
        RecordBodies.Taken bodies = RecordBodies.of(value, payloads);
        return record.with(bodies.take(record.input()), bodies.take(record.output()));
    }
}
