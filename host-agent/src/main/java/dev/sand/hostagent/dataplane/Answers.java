package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.StoreException;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.shard.LentOutput;
import java.nio.ByteBuffer;

/** From the end of an execution to what its client is sent: a large output from the memory where it lies. On the connection's event loop. */
final class Answers {
    private final DataConnection connection;
    private final ClientWriter writer;
    private final Deliveries deliveries = new Deliveries();

    Answers(DataConnection connection, ClientWriter writer) {
        this.connection = connection;
        this.writer = writer;
    }

    Deliveries deliveries() {
        return deliveries;
    }

    /** As its shard tells it: perhaps that it has not begun here. @param output null: it is small, or there is none */
    void give(Call call, InvocationResult result, LentOutput output) {
        boolean moved = Invocations.isMoved(result);
        if (!connection.isOpen(call) || moved) {
            if (output != null) {
                output.undelivered();
            }
            if (moved && connection.isOpen(call)) {
                connection.onMoved(call, ProcessPlace.slotOf(result.failure()) >= 0);
            } else {
                connection.onEndAlone(call, result, moved);
            }
            return;
        }
        end(call, result, output);
    }

    /** From its record: whatever that says, it has ended so. */
    void giveRecorded(Call call, InvocationResult result) {
        if (connection.isOpen(call)) {
            end(call, result, null);
        }
    }

    private void end(Call call, InvocationResult result, LentOutput output) {
        if (Invocations.isRefused(result)) {
            connection.onRefused(call);
        } else {
            connection.stream().chatter().earn();
        }
        if (result.failure() != null || result.output() == null) {
            connection.end(call, Invocations.failed(call.request, result));
            return;
        }
        ByteBuffer memory;
        try {
            memory = output != null ? output.memory().memory() : ByteBuffer.wrap(result.output().bytes());
        } catch (StoreException e) {
            output.undelivered();
            connection.end(call, Invocations.failed(call.request, call.executionId,
                    Failure.platform(Errors.UNAVAILABLE, e.getMessage(), false)));
            return;
        }
        give(call, result, memory, output);
    }

    private void give(Call call, InvocationResult result, ByteBuffer memory, LentOutput output) {
        boolean small = memory.remaining() <= Frames.INLINE_BYTES;
        Frame.Result head = new Frame.Result(call.request, result.executionId(), result.output().contentType(), memory.remaining(),
                small ? memory : ByteBuffer.allocate(0));
        connection.answered(call, head, memory.remaining());
        if (!small) {
            writer.send(head, memory, output == null ? () -> { } : deliveries.add(call.request, output, System.nanoTime()));
            return;
        }
        connection.send(head);
        if (output != null) {
            output.undelivered(); // it is kept: no client says that it has got a small one
        }
    }
}
