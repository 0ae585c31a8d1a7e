package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Frames.BadFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One invocation of a client, until it is answered: over one connection, and over the next under the same id. */
final class Call {
    /** As long as an array can be in any JVM. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    final String function;
    final Value input;
    final long untilNs;
    final CompletableFuture<Value> future = new CompletableFuture<>();
    String id;
    volatile boolean sentBefore;
    private Frame.Result head;
    private byte[] answer;
    private int filled;

    Call(String function, Value input, long untilNs) {
        this.function = function;
        this.input = input;
        this.untilNs = untilNs;
    }

    long leftMs() {
        return TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
    }

    boolean isSmall() {
        return input.bytes().length <= Frames.INLINE_BYTES;
    }

    /** It is sent: whoever sends it again says that it is a repetition. */
    Frame.Invoke frame(long request) {
        boolean again = sentBefore;
        sentBefore = true;
        return new Frame.Invoke(request, id, again, (int) Math.clamp(leftMs(), 1, Integer.MAX_VALUE), function, input.contentType(),
                input.bytes().length, isSmall() ? ByteBuffer.wrap(input.bytes()) : ByteBuffer.allocate(0));
    }

    // --- its answer, on the thread that reads

    /** @return whether it has ended: all of it is there, or there is no room for it, and what follows is nobody's */
    boolean onResult(Frame.Result result) {
        head = result;
        answer = room(result.size());
        if (answer == null) { // of this call alone: nothing else has asked for as much
            fail(new InvocationException("Sand.TooLarge", "there is no memory for an answer of " + result.size() + " bytes", false, false));
            return true;
        }
        filled = result.first().remaining();
        result.first().get(answer, 0, filled);
        if (isWhole()) {
            end();
        }
        return isWhole();
    }

    private static byte[] room(long bytes) {
        try {
            return bytes > Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory()) ? null : new byte[(int) bytes];
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Where the next bytes of a large answer go. @return what there is of it already */
    int place(int length) {
        if (answer == null || length > answer.length - filled) {
            throw new BadFrame("more of an answer than was said");
        }
        filled += length;
        return filled - length;
    }

    byte[] memory() {
        return answer;
    }

    boolean isWhole() {
        return filled == answer.length;
    }

    void end() {
        future.complete(new Value(head.contentType(), answer));
    }

    void onFailed(Frame.Failed failed) {
        fail(new InvocationException(failed.error(), failed.cause(), failed.retryable(), failed.source() == Frame.Source.GRAIN));
    }

    void fail(InvocationException why) {
        future.completeExceptionally(why);
    }
}
