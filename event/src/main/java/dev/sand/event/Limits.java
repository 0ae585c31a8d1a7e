package dev.sand.event;

/** Limits that are the same on both sides of an interface. Those that a user may set are in {@link GrainSpec} and the configuration. */
public final class Limits {
    /** The version of every stored or sent record that this code writes and understands. */
    public static final short SCHEMA_VERSION = 1;
    /** A payload up to this size travels in the frame; a larger one by reference. */
    public static final int INLINE_BYTES = 64 * 1024;
    /** A Thrift frame: an inline payload and its envelope, with room for a stack trace. */
    public static final int FRAME_BYTES = 1024 * 1024;
    /** Publications of one attempt. */
    public static final int PUBLICATIONS = 1000;
    /** An error's cause and its stack trace, each; longer ones are cut. */
    public static final int CAUSE_BYTES = 32 * 1024;
    /** Of what a callback brings as a task's result, as on AWS. */
    public static final int CALLBACK_BYTES = 256 * 1024;
    /** sockaddr_un leaves this many bytes for a socket's path. */
    public static final int SOCKET_PATH_BYTES = 107;
    /** What messages or a function of another process invoke may wait so long in its process; its function's own limit counts from then. */
    public static final long PROCESS_WAIT_MS = 900_000;

    private Limits() {}
}
