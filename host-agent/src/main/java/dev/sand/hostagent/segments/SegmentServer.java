package dev.sand.hostagent.segments;

import dev.sand.event.Payload;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Large values in shared memory (DESIGN, decision 9): sealed memfds, handed over data.sock to the instances of one
 * application. Has threads of its own; nothing here is called on a shard except {@link #release}.
 */
public interface SegmentServer extends AutoCloseable {
    /** The data.sock of one sandbox. A blank sandbox has no application yet: every call on it is refused until bind. */
    interface Endpoint extends AutoCloseable {
        void bind(String application);

        /** Gives a value that the instance is about to be told of to it already, if that can be done at once; else it asks. */
        default void push(String instance, Payload.Reference reference) {}

        @Override
        void close();
    }

    /** Opens data.sock in the folder. */
    Endpoint open(Path directory) throws IOException;

    /** Puts a large value (an HTTP body) into an object that belongs to the execution; gives the payload by reference. */
    Payload put(String application, String executionId, Payload large);

    /** Writes a value's bytes from its beginning to its end. */
    @FunctionalInterface
    interface Filling {
        void fill(OutputStream to) throws IOException;
    }

    /** As put, for a value of that size that is not held in one array. */
    Payload put(String application, String executionId, String contentType, long size, Filling filling);

    /**
     * The value's bytes, copied.
     *
     * @throws dev.sand.datalayer.StoreException when there is no such object of that application
     */
    byte[] read(String application, Payload.Reference reference);

    /** Writes the value's bytes without holding all of them twice; the object stays until that is done. */
    default void transfer(String application, Payload.Reference reference, OutputStream to) throws IOException {
        to.write(read(application, reference));
    }

    /** Memory of a value that comes bit by bit: written from any thread, by one at a time. */
    interface Incoming {
        /** As large as the value. */
        ByteBuffer memory();

        /** All of it is there. Nobody touches the memory any more. */
        Payload.Reference whole();

        /** It will not come. Nobody touches the memory any more. */
        void abandon();
    }

    /** An object that belongs to the execution, to be filled. Blocks. @throws dev.sand.datalayer.StoreException when there is no room */
    default Incoming receive(String application, String executionId, long size) {
        throw new UnsupportedOperationException();
    }

    /** The same without waiting: null when memory is to be made for it, or it cannot be had. */
    default Incoming receiveAtOnce(String application, String executionId, long size) {
        return null;
    }

    /** A value's memory, for whoever reads it where it is; the object stays until this is closed. */
    interface Mapped extends AutoCloseable {
        ByteBuffer memory();

        @Override
        void close();
    }

    /** Waits for a moment at most. @throws dev.sand.datalayer.StoreException when there is no such object of that application */
    default Mapped map(String application, Payload.Reference reference) {
        ByteBuffer copied = ByteBuffer.wrap(read(application, reference));
        return new Mapped() {
            @Override
            public ByteBuffer memory() {
                return copied;
            }

            @Override
            public void close() {}
        };
    }

    /** The execution has ended: its objects go, but for those that a key of shared/ names. Only enqueues. */
    void release(String application, String executionId);

    /** The same, and nobody will open one of them any more: their memory may be another's at once. */
    default void releaseAtOnce(String application, String executionId) {
        release(application, executionId);
    }

    /** The execution had ended, and runs on: it may have objects again. */
    default void reopen(String application, String executionId) {}

    /** Room for values is asked for there from now on. */
    default void growsInto(MemoryRoom room) {}

    /** Memory is short: what is kept for values to come, and of values that may only perhaps be opened again, goes. */
    default void shrink() {}

    /** A key of shared/ names the object now (or does not any more): counted, so that it outlives its execution. */
    void retain(String application, Payload.Reference reference);

    /**
     * Retains all of them, or none, without waiting: for the shards.
     *
     * @param isMessage whoever it is for has read it when it is forgotten; @return false: somebody else is at it, or one is not there
     */
    default boolean retainAtOnce(String application, Collection<Payload.Reference> references, boolean isMessage) {
        return false;
    }

    void forget(String application, Payload.Reference reference);

    /** The same for all of them without waiting. @return false: somebody else is at it */
    default boolean forgetAtOnce(String application, Collection<Payload.Reference> references) {
        return false;
    }

    @Override
    void close();
}
