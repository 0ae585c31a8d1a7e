package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.async.ResultCallback;
import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A stream of the engine that can be waited on more than once: docker-java's own wait closes the stream when the time is up. */
abstract class EngineStream<T> extends ResultCallback.Adapter<T> {
    private final CompletableFuture<Void> begin = new CompletableFuture<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    @Override
    public void onStart(Closeable stream) {
        super.onStart(stream);
        begin.complete(null);
    }

    @Override
    public void onError(Throwable failure) {
        // Not the library's own handling, which logs every broken stream as an error with its trace.
        begin.completeExceptionally(failure);
        end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end.complete(null);
        super.onComplete();
    }

    /** @return whether the engine has begun to send */
    boolean begun(Duration wait) throws InterruptedException {
        return within(begin, wait) && !begin.isCompletedExceptionally();
    }

    /** @return whether the stream has ended, by itself or by an error */
    boolean ended(Duration wait) throws InterruptedException {
        return within(end, wait);
    }

    private static boolean within(CompletableFuture<Void> event, Duration wait) throws InterruptedException {
        try {
            event.get(wait.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }
}
