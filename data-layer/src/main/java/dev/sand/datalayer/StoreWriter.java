package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The one thread that writes a store's file. Callers wait for their operation; all operations that wait together share one
 * transaction (group commit). One that is refused (a conflict) has changed nothing and fails alone; when the transaction
 * fails, all in it fail with the cause.
 */
final class StoreWriter implements AutoCloseable {
    private static final int MAX_WAITING = 10_000;
    private static final int MAX_BATCH = 1024;

    /** Checks before it changes anything: a StoreException means that nothing happened. */
    interface Operation<T> {
        T apply(SqliteConnection connection) throws SQLException;
    }

    /** What is stored beside the rows, with them. On the thread that writes. */
    interface Beside extends AutoCloseable {
        Beside NOTHING = new Beside() {};

        /** All of the transaction's has been applied. */
        default void beforeCommit() {}

        default void committed() {}

        /** The transaction was rolled back. */
        default void failed(StoreException failure) {}

        @Override
        default void close() {}
    }

    private final class Call<T> {
        final Operation<T> operation;
        final CompletableFuture<T> answer = new CompletableFuture<>();
        T result;
        StoreException refused;

        Call(Operation<T> operation) {
            this.operation = operation;
        }

        void apply(SqliteConnection connection) throws SQLException {
            try {
                result = operation.apply(connection);
            } catch (StoreException e) {
                refused = e;
            }
        }

        void answer(StoreException failure) {
            StoreException reason = failure != null ? failure : refused;
            if (reason != null) {
                answer.completeExceptionally(reason);
            } else {
                answer.complete(result);
            }
        }
    }

    private final SqliteFile file;
    private final Beside beside;
    private final ArrayBlockingQueue<Call<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private final Call<Void> end = new Call<>(connection -> null);
    private volatile boolean closed;

    StoreWriter(SqliteFile file, String name) {
        this(file, name, Beside.NOTHING);
    }

    StoreWriter(SqliteFile file, String name, Beside beside) {
        this.file = file;
        this.beside = beside;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Blocks until the operation is stored. @throws StoreException when it is not */
    <T> T call(Operation<T> operation) {
        if (closed) {
            throw new StoreException(Kind.BROKEN, "the store is closed", 0, null);
        }
        Call<T> call = new Call<>(operation);
        try {
            waiting.put(call);
            return call.answer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.BROKEN, "interrupted while waiting to write", 0, e);
        } catch (CompletionException e) {
            StoreException cause = (StoreException) e.getCause();
            throw new StoreException(cause.kind(), cause.getMessage(), cause.actualVersion(), cause);
        }
    }

    private void run() {
        List<Call<?>> batch = new ArrayList<>();
        boolean last = false;
        while (!last) {
            batch.clear();
            try {
                batch.add(waiting.take());
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts the writer", e);
            }
            waiting.drainTo(batch, MAX_BATCH);
            StoreException failure = write(batch);
            batch.forEach(call -> call.answer(failure));
            last = batch.contains(end);
        }
    }

    private StoreException write(List<Call<?>> batch) {
        try {
            file.transaction(connection -> {
                for (Call<?> call : batch) {
                    call.apply(connection);
                }
                beside.beforeCommit();
                return null;
            });
        } catch (SQLException | RuntimeException e) { // whatever it was, somebody waits for an answer
            StoreException failure = file.failure("cannot write", e);
            beside.failed(failure);
            return failure.kind() == Kind.FULL ? afterFull(failure) : failure;
        }
        beside.committed();
        return null;
    }

    private StoreException afterFull(StoreException failure) {
        try {
            file.giveRoomBack();
        } catch (StoreException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    /** Stores what was asked for before, then closes the file. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            waiting.put(end);
            thread.join();
            file.close();
            beside.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
