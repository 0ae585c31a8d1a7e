package dev.sand.dataplane;

import java.nio.ByteBuffer;

/** What passes between a client and a host agent. docs/DATA-PLANE.md has the bytes; {@link Frames} reads and writes them. */
public sealed interface Frame {
    /** How an invocation that did not succeed ended. */
    enum Status { FAILED, TIMED_OUT, CANCELLED }

    /** Who failed. */
    enum Source { PLATFORM, GRAIN, CALLER }

    /** The client's first. @param client its name, for logs */
    record Hello(int version, String grant, String client) implements Frame {}

    /**
     * The grant is good.
     *
     * @param nowMs the host's wall clock: what ids of invocations are told by
     * @param inFlight invocations at once; @param valueBytes the largest value; @param partBytes of one, in one frame
     * @param idleMs a client that says nothing for so long is cut off
     */
    record Welcome(int version, String host, String process, long epoch, long nowMs, int inFlight, long valueBytes, int partBytes,
                   int idleMs) implements Frame {}

    /** It is not; the connection ends. */
    record Refused(String error, String cause, boolean retryable) implements Frame {}

    /**
     * @param request drawn by the client, for this connection
     * @param id drawn by the client, 26 characters as of an execution: the same id is the same invocation, on any connection
     * @param repeated it may have been sent before
     * @param deadlineMs what remains; 0: the host's default
     * @param size of the value; @param first all of it, when it is at most {@link Frames#INLINE_BYTES}, else nothing of it
     */
    record Invoke(long request, String id, boolean repeated, int deadlineMs, String function, String contentType, long size,
                  ByteBuffer first) implements Frame {}

    /** More of a value: of an input or of an output. */
    record Part(long request, ByteBuffer bytes) implements Frame {}

    /** @param execution what records, logs and the timeline know it by */
    record Result(long request, String execution, String contentType, long size, ByteBuffer first) implements Frame {}

    record Failed(long request, Status status, Source source, boolean retryable, String execution, String error, String cause,
                  String stackTrace) implements Frame {}

    record Cancel(long request) implements Frame {}

    /** Asks for a pong. */
    record Ping(long number) implements Frame {}

    record Pong(long number) implements Frame {}

    /**
     * The process is another host's: a new grant says where, and what was not answered is asked for there under the same ids.
     *
     * @param request the invocation that has found out, or 0: all of them
     * @param address of the new place when it is known, else empty
     */
    record Moved(long request, String address) implements Frame {}

    /** The host ends the connection. */
    record GoAway(String error, String cause) implements Frame {}

    /** The client has all of a large result: the host need not keep it. */
    record Got(long request) implements Frame {}
}
