package dev.sand.event;

/** The platform's error names. One list, so that docs, problem types and workflows speak of the same things. */
public final class Errors {
    /** The execution's or the event's deadline passed, queued or running. ASL matches it as States.Timeout. */
    public static final String TIMEOUT = "Sand.Timeout";
    /** The instance's process ended without a result: a signal, or an exit in user code. */
    public static final String CRASHED = "Sand.Crashed";
    /** The instance went over its memory limit and was killed for it. */
    public static final String OUT_OF_MEMORY = "Sand.OutOfMemory";
    /** The handler's result cannot be encoded. */
    public static final String UNSERIALIZABLE = "Sand.Unserializable";
    /** A payload, an output or a queue is over its limit. */
    public static final String TOO_LARGE = "Sand.TooLarge";
    /** A bounded queue is full: come back later. */
    public static final String OVERLOADED = "Sand.Overloaded";
    /** The grain's code cannot be loaded; the cause has the traceback's last line. */
    public static final String IMPORT_FAILED = "Sand.ImportFailed";
    /** No sandbox could be started for the application. */
    public static final String SANDBOX_FAILED = "Sand.SandboxFailed";
    public static final String CANCELLED = "Sand.Cancelled";
    /** The host agent is draining, or a part it needs is away. */
    public static final String UNAVAILABLE = "Sand.Unavailable";
    /** The execution's slot is another host's (now): ask there, under the same id. */
    public static final String MOVED = "Sand.Moved";
    public static final String NOT_FOUND = "Sand.NotFound";
    public static final String BAD_REQUEST = "Sand.BadRequest";
    public static final String CONFLICT = "Sand.Conflict";
    public static final String DENIED = "Sand.Denied";
    /** A grain published to a grain that the application does not have. */
    public static final String UNKNOWN_GRAIN = "Sand.UnknownGrain";

    private Errors() {}
}
