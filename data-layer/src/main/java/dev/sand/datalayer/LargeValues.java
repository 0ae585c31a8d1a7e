package dev.sand.datalayer;

import dev.sand.event.Payload;
import java.io.IOException;
import java.io.OutputStream;

/** Where the local data layer keeps values that are too large for a frame: the host's shared memory. */
public interface LargeValues {
    /** The object's bytes, copied. @throws StoreException when the application has no such object */
    byte[] read(String application, Payload.Reference reference);

    /** Writes the object's bytes without holding all of them twice. */
    default void transfer(String application, Payload.Reference reference, OutputStream to) throws IOException {
        to.write(read(application, reference));
    }

    /** A key of shared/ names the object from now on: it outlives its execution. */
    void retain(String application, Payload.Reference reference);

    /** That key does not name it any more. A reader that was told of it a moment ago can still open it. */
    void forget(String application, Payload.Reference reference);

    /** Makes an object of the bytes, retained once; null where there is no shared memory. */
    Payload.Reference putRetained(String application, String contentType, byte[] bytes);

    /** Where there is no shared memory: values by reference are refused, and large ones are given as bytes. */
    LargeValues NONE = new LargeValues() {
        @Override
        public byte[] read(String application, Payload.Reference reference) {
            throw new StoreException(StoreException.Kind.BAD_VALUE, "no object " + reference.object(), 0, null);
        }

        @Override
        public void retain(String application, Payload.Reference reference) {}

        @Override
        public void forget(String application, Payload.Reference reference) {}

        @Override
        public Payload.Reference putRetained(String application, String contentType, byte[] bytes) {
            return null;
        }
    };
}
