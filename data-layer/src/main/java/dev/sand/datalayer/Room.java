package dev.sand.datalayer;

/** Whether an application may store more. */
@FunctionalInterface
public interface Room {
    Room ENDLESS = (application, bytes) -> { };

    /**
     * Before so many bytes are written; blocks at most for a moment.
     *
     * @throws StoreException OVER_QUOTA with the limit and what it would come to
     */
    void take(String application, long bytes);
}
