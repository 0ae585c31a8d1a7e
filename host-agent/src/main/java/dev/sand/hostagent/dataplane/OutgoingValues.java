package dev.sand.hostagent.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The large outputs that one connection sends: part by part, in turn, and only while the socket takes bytes. Each is written from the
 * memory where it lies, which is let go once the socket has taken the last of it. Event loop only.
 */
final class OutgoingValues {
    /** Puts a part on the wire; {@code done} runs once the socket has it, or never will. */
    interface Writer {
        void write(long request, ByteBuf bytes, Runnable done);
    }

    /** At once, of a socket that takes all of it: others have their turn. */
    private static final int TURN_BYTES = 2 << 20;

    private final int partBytes;
    private final BooleanSupplier writable;
    private final Writer writer;
    private final Set<Sending> sendings = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Sending> turns = new ArrayDeque<>();
    private final Consumer<Runnable> later;
    private boolean pumping;

    private static final class Sending {
        final long request;
        final ByteBuffer memory;
        final Runnable done;
        int underWay;
        boolean gone;
        boolean isDone;

        Sending(long request, ByteBuffer memory, Runnable done) {
            this.request = request;
            this.memory = memory;
            this.done = done;
        }

        void letGo() {
            if (!isDone && underWay == 0 && (gone || !memory.hasRemaining())) {
                isDone = true;
                done.run();
            }
        }
    }

    /** @param later runs what it is given in a later turn of the loop */
    OutgoingValues(int partBytes, BooleanSupplier writable, Writer writer, Consumer<Runnable> later) {
        this.later = later;
        this.partBytes = partBytes;
        this.writable = writable;
        this.writer = writer;
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** @param done the memory is needed no more: run once, at the end */
    void add(long request, ByteBuffer memory, Runnable done) {
        Sending sending = new Sending(request, memory.duplicate(), done);
        sendings.add(sending);
        turns.add(sending);
        pump();
    }

    void pump() {
        if (pumping) {
            return; // a write that was taken at once
        }
        pumping = true;
        long left = TURN_BYTES;
        while (!turns.isEmpty() && writable.getAsBoolean()) {
            if (left <= 0) {
                later.accept(this::pump);
                break;
            }
            Sending next = turns.poll();
            if (next.gone || !next.memory.hasRemaining()) {
                continue;
            }
            int length = Math.min(partBytes, next.memory.remaining());
            ByteBuffer part = next.memory.slice(next.memory.position(), length);
            next.memory.position(next.memory.position() + length);
            left -= length;
            next.underWay++;
            if (next.memory.hasRemaining()) {
                turns.add(next);
            } else {
                sendings.remove(next);
            }
            writer.write(next.request, Unpooled.wrappedBuffer(part), () -> {
                next.underWay--;
                next.letGo();
            });
        }
        pumping = false;
    }

    void close() {
        turns.clear();
        List.copyOf(sendings).forEach(sending -> {
            sending.gone = true;
            sending.letGo();
        });
        sendings.clear();
    }
}
