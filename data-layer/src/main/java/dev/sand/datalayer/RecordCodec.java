package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.InvocationRecord;
import dev.sand.event.Limits;

/** Invocations' records as the store has them. While hosts are upgraded, older frontends read those of newer hosts. */
final class RecordCodec {
    private RecordCodec() {}

    /** What older versions pass over. */
    private record Added(String process) {}

    static byte[] encode(InvocationRecord record) {
        return record.process() == null ? Codec.encode(record) : Codec.encode(record.inProcess(null), new Added(record.process()));
    }

    static InvocationRecord decode(byte[] value) {
        InvocationRecord record = Codec.decode(value, InvocationRecord.class, Added.class, (first, added) -> first.inProcess(added.process()));
        if (record.schema() > Limits.SCHEMA_VERSION) {
            throw new StoreException(Kind.BROKEN, "the record of " + record.executionId() + " has schema " + record.schema()
                    + ", newer than this platform understands", 0, null);
        }
        return record;
    }
}
