package dev.sand.hostlink;

import dev.sand.event.thrift.network.Chunk;
import dev.sand.event.thrift.network.Message;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The large values that one connection sends: chunk by chunk, in turn, each only as far as its receiver has given credit, and
 * all only while the socket takes bytes. Event loop only.
 */
final class OutgoingValues {
    private final int chunkBytes;
    private final BooleanSupplier writable;
    private final Consumer<Message> send;
    private final Map<Long, Sending> byCall = new HashMap<>();
    private final ArrayDeque<Sending> ready = new ArrayDeque<>();
    private long bytes;

    private static final class Sending {
        final long call;
        final ValueSource source;
        long position;
        long credit;
        boolean queued;

        Sending(long call, ValueSource source) {
            this.call = call;
            this.source = source;
        }
    }

    OutgoingValues(int chunkBytes, BooleanSupplier writable, Consumer<Message> send) {
        this.chunkBytes = chunkBytes;
        this.writable = writable;
        this.send = send;
    }

    /** Not yet sent. */
    long bytes() {
        return bytes;
    }

    void add(long call, ValueSource source) {
        byCall.put(call, new Sending(call, source));
        bytes += source.size();
    }

    void onCredit(long call, long more) {
        Sending sending = byCall.get(call);
        if (sending != null && more > 0) { // Else it ended meanwhile.
            sending.credit = Math.min(sending.credit + more, sending.source.size() - sending.position);
            enqueue(sending);
            pump();
        }
    }

    void pump() {
        while (!ready.isEmpty() && writable.getAsBoolean()) {
            Sending next = ready.poll();
            next.queued = false;
            int length = (int) Math.min(chunkBytes, next.credit);
            if (length == 0 || byCall.get(next.call) != next) {
                continue;
            }
            Chunk chunk = new Chunk().setCall(next.call);
            chunk.bytes = next.source.read(next.position, length); // its constructor and setters copy them
            send.accept(Message.chunk(chunk));
            next.position += length;
            next.credit -= length;
            bytes -= length;
            if (next.position == next.source.size()) {
                byCall.remove(next.call);
                next.source.close();
            } else {
                enqueue(next);
            }
        }
    }

    private void enqueue(Sending sending) {
        if (!sending.queued && sending.credit > 0) {
            sending.queued = true;
            ready.add(sending);
        }
    }

    void forget(long call) {
        Sending sending = byCall.remove(call);
        if (sending != null) {
            bytes -= sending.source.size() - sending.position;
            sending.source.close();
        }
    }

    void close() {
        byCall.values().forEach(sending -> sending.source.close());
        byCall.clear();
        ready.clear();
        bytes = 0;
    }
}
