package dev.sand.event;

/**
 * The names of what a line of the log has beside its message: one vocabulary for all modules. Written where the message is made,
 * with SLF4J's key-value pairs, so that nobody has to read them out of a sentence.
 */
public final class LogFields {
    /** Of every line: the host agent or frontend that says it. */
    public static final String HOST = "host";
    /** Another one, which the line is about. */
    public static final String PEER = "peer";
    public static final String APPLICATION = "application";
    public static final String VERSION = "version";
    public static final String EXECUTION_ID = "executionId";
    public static final String EVENT_ID = "eventId";
    public static final String SLOT = "slot";
    public static final String EPOCH = "epoch";
    public static final String TOPIC = "topic";
    public static final String QUEUE = "queue";
    public static final String TRIGGER = "trigger";
    public static final String SANDBOX = "sandbox";
    /** Of an error that nobody foresaw: the answer to the request has it too. */
    public static final String INCIDENT = "incident";

    private LogFields() {}
}
