package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.async.ResultCallback;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A stream of the engine that can be waited on more than once: docker-java's own wait closes the stream when the time is up. */
abstract class EngineStream<T> extends ResultCallback.Adapter<T> {
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    @Override
    public void onError(Throwable failure) {
        // Not the library's own handling, which logs every broken stream as an error with its trace.
        end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end.complete(null);
        super.onComplete();
    }

    /** @return whether the stream has ended, by itself or by an error */
    boolean ended(Duration wait) throws InterruptedException {
        try {
            end.get(wait.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }
}
