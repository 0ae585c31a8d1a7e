package dev.sand.localbus;

/** The one answer to a call. May be given later and from any thread; lost silently when the connection is gone. */
public interface BusReply<T> {
    void answer(T result);

    /** @param error one of the names that {@code BusError} lists */
    void refuse(String error, String message);
}
