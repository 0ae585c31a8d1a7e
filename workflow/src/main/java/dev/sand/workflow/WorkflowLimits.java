package dev.sand.workflow;

/** The bounds of definitions and executions, by name; docs/WORKFLOWS.md lists them. */
public final class WorkflowLimits {
    /** Characters of a definition. */
    public static final int DEFINITION_CHARS = 1 << 20;
    /** Nesting of a JSON document that is parsed: a definition, or a payload that a path looks into. */
    public static final int JSON_DEPTH = 100;
    /** Characters of a state's name (as on AWS). */
    public static final int STATE_NAME_CHARS = 80;
    /** Bytes of a document that may be parsed on a shard; a larger one is parsed off it. */
    public static final int LIGHT_BYTES = 16 * 1024;
    /** Bytes of outputs that may be joined, unparsed, on a shard. */
    public static final int LIGHT_JOIN_BYTES = 256 * 1024;
    /** Events that grains may publish into one execution. */
    public static final int PUBLISHED_EVENTS = 10_000;
    /** Publications that follow from one another: an event published by a published event, and so on. */
    public static final int PUBLISHED_DEPTH = 500;

    private WorkflowLimits() {}
}
