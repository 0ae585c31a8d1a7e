package dev.sand.frontend.invoke;

import dev.sand.event.Payload;

/** Payloads over {@link dev.sand.event.Limits#INLINE_BYTES}: they travel as references into the local data layer. Blocks. */
public interface LargeObjects {
    /** Puts a body where the execution's instances can map it. */
    Payload put(String application, String executionId, Payload large);

    /** @throws dev.sand.datalayer.StoreException when there is no such object */
    byte[] read(String application, Payload.Reference reference);
}
