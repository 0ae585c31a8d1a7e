package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A request on the global bus, for the owner of its slot to run: topic {@link Topics#requests}, partition the slot of
 * its execution. Written by a frontend that reaches no owner; once it is appended the request is accepted.
 *
 * @param schema version of this record's shape
 */
public record RequestRecord(@JsonProperty("schema") short schema, @JsonProperty("request") InvocationRequest request) {
    /** The largest input in such a record: brokers take messages of about a megabyte. */
    public static final int INPUT_BYTES = 512 * 1024;

    /** Of what runs in a cloud process: whoever did not know it would run it in none. */
    private static final short OF_PROCESSES = 2;

    public static RequestRecord of(InvocationRequest request) {
        return new RequestRecord(request.process() == null ? Limits.SCHEMA_VERSION : OF_PROCESSES, request);
    }

    public byte[] encode() {
        return Codec.encode(this);
    }

    /** @throws BusRecords.NewerException or BusRecords.ForeignException when it is none that is understood */
    public static RequestRecord decode(byte[] bytes) {
        RequestRecord record = BusRecords.decode(bytes, RequestRecord.class, OF_PROCESSES);
        InvocationRequest request = record.request;
        BusRecords.require(request != null && Ids.isValid(request.executionId()) && request.application() != null
                && request.target() != null && request.input() != null, "a request lacks what it must have");
        return record;
    }
}
