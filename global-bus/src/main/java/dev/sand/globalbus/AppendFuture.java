package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.AppendListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** An append that a thread which may block waits for, with a deadline. */
public final class AppendFuture {
    private AppendFuture() {}

    public static AppendListener completing(CompletableFuture<Long> offset) {
        return new AppendListener() {
            @Override
            public void onAppended(long at) {
                offset.complete(at);
            }

            @Override
            public void onFailed(BusException failure) {
                offset.completeExceptionally(failure);
            }
        };
    }

    /** @param offset with a time limit; @param what for the message; @throws BusException why it is not in the bus */
    public static <T> T join(CompletableFuture<T> offset, String what) {
        try {
            return offset.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof BusException failure) {
                throw new BusException(failure.kind(), "cannot " + what + ": " + failure.getMessage(), failure);
            }
            if (e.getCause() instanceof TimeoutException) {
                throw new BusException(Kind.AWAY, "cannot " + what + ": no answer from the global bus in time", e);
            }
            throw e;
        }
    }
}
