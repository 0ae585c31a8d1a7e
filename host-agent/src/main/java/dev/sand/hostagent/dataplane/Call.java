package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.shard.LentOutput;
import dev.sand.hostagent.shard.MappedListener;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * One invocation of one connection. But for its end, which comes from a shard, all of it happens on the connection's event loop.
 *
 * <pre> prepared ─▶ received, when it is large ─▶ running ─▶ answered;  any ─▶ gone </pre>
 */
final class Call implements MappedListener {
    final long request;
    final Frame.Invoke asked;
    final String executionId;
    final long beganNs;
    final long untilNs;
    private final DataConnection connection;
    /** Of a small value. */
    private final byte[] inline;
    private SegmentServer.Incoming incoming;
    private ByteBuffer memory;
    private boolean running;
    int version;
    /** What it asks for again is counted already, or will be when it ends. */
    boolean counted;

    Call(DataConnection connection, Frame.Invoke asked, String executionId, long nowNs, long timeoutNs) {
        this.connection = connection;
        this.request = asked.request();
        this.executionId = executionId;
        this.beganNs = nowNs;
        this.untilNs = nowNs + timeoutNs;
        if (asked.first().hasRemaining()) {
            inline = new byte[asked.first().remaining()];
            asked.first().get(inline);
        } else {
            inline = null;
        }
        // The frame's bytes are the socket's again.
        this.asked = new Frame.Invoke(request, asked.id(), asked.repeated(), asked.deadlineMs(), asked.function(), asked.contentType(),
                asked.size(), null);
    }

    @Override
    public boolean isFirst() {
        return !asked.repeated();
    }

    @Override
    public boolean counts() {
        return true;
    }

    boolean isLarge() {
        return inline == null && asked.size() > 0;
    }

    boolean isRunning() {
        return running;
    }

    void running() {
        running = true;
    }

    /** Where its bytes go, once they come. */
    void receives(SegmentServer.Incoming into) {
        incoming = into;
        memory = into.memory();
    }

    boolean isReceiving() {
        return memory != null && memory.hasRemaining();
    }

    /** @return false when more comes than was said */
    boolean take(ByteBuf in, int length) {
        if (length > memory.remaining()) {
            return false;
        }
        int limit = memory.limit();
        in.readBytes(memory.limit(memory.position() + length));
        memory.limit(limit);
        return true;
    }

    /** Where its next bytes go, at most that many; null when it has no room for all of them. */
    ByteBuffer room(int length) {
        return length > memory.remaining() ? null : memory.slice(memory.position(), length);
    }

    /** They are there. */
    void filled(int length) {
        memory.position(memory.position() + length);
    }

    /** All of it is here. */
    Payload input() {
        if (incoming != null) {
            Payload.Reference reference = incoming.whole();
            incoming = null;
            memory = null;
            return new Payload(asked.contentType(), null, reference);
        }
        if (inline != null) {
            return new Payload(asked.contentType(), inline, null);
        }
        return asked.contentType().startsWith(Payload.JSON) ? Payload.nullJson() : new Payload(asked.contentType(), new byte[0], null);
    }

    /** What has come of its value is of no use any more. @return the bytes that were kept for it */
    long abandon() {
        if (incoming == null) {
            return 0;
        }
        incoming.abandon();
        incoming = null;
        memory = null;
        return asked.size();
    }

    @Override
    public void onAccepted() {}

    @Override
    public void onEnd(InvocationResult result) {
        connection.onEnd(this, result, null);
    }

    @Override
    public void onEnd(InvocationResult result, LentOutput output) {
        connection.onEnd(this, result, output);
    }
}
