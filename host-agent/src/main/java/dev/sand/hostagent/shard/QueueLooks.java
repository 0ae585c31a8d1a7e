package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Payload;
import dev.sand.event.QueuedEvents.Look;
import dev.sand.event.QueuedEvents.Queued;
import dev.sand.event.QueuedEvents;
import dev.sand.hostagent.core.QueueLook.Waiting;
import dev.sand.hostagent.segments.SegmentServer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What waits in a grain's queue, for people: the shard says who, and the beginnings of their inputs are read off it. */
final class QueueLooks {
    private final String host;
    private final SegmentServer segments;
    private final Work work;

    QueueLooks(String host, SegmentServer segments, Work work) {
        this.host = host;
        this.segments = segments;
        this.work = work;
    }

    /** @param shard whose the application is */
    CompletableFuture<QueuedEvents> queued(Shard shard, Look look) {
        CompletableFuture<QueuedEvents> answer = new CompletableFuture<>();
        shard.queued(look).thenAccept(waiting -> {
            if (!work.tryRun(() -> tell(look, waiting, answer))) {
                answer.complete(QueuedEvents.silent(host, "it has too much to do; come back later"));
            }
        });
        return answer;
    }

    private void tell(Look look, List<Waiting> waiting, CompletableFuture<QueuedEvents> answer) {
        try {
            answer.complete(QueuedEvents.first(host, waiting.stream().map(each -> queued(look.application(), each)).toList(), look.limit()));
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private Queued queued(String application, Waiting each) {
        return new Queued(each.version(), each.executionId(), each.eventId(), each.queuedMs(), each.attempt(), each.input().size(),
                each.input().contentType(), beginning(application, each.input()));
    }

    private byte[] beginning(String application, Payload input) {
        if (input.bytes() != null) {
            return Arrays.copyOf(input.bytes(), Math.min(input.bytes().length, QueuedEvents.PREVIEW_BYTES));
        }
        try (SegmentServer.Mapped mapped = segments.map(application, input.reference())) {
            ByteBuffer memory = mapped.memory();
            byte[] beginning = new byte[Math.min(memory.remaining(), QueuedEvents.PREVIEW_BYTES)];
            memory.get(memory.position(), beginning);
            return beginning;
        } catch (StoreException e) {
            return null; // it ran and ended meanwhile
        }
    }
}
