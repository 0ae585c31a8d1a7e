package dev.sand.workflow.data;

/** The bounds of definitions and executions, by name; docs/WORKFLOWS.md lists them. */
public final class WorkflowLimits {
    /** Bytes of a definition. */
    public static final int DEFINITION_BYTES = 1 << 20;
    /** Nesting of a JSON document that is parsed: a definition, or a payload that a path looks into. */
    public static final int JSON_DEPTH = 200;
    /** Digits of a number in a document that is parsed. */
    public static final int NUMBER_CHARS = 1_000;
    /** Characters of the error that a state fails with, and an execution ends with (as on AWS); more is cut off. */
    public static final int ERROR_CHARS = 256;
    /** Characters of a state's name (as on AWS). */
    public static final int STATE_NAME_CHARS = 80;
    /** Diagnostics of one definition; what comes after is not looked for. */
    public static final int DIAGNOSTICS = 100;
    /** Bytes of the data of a task, a state or an execution, where an execution is held to what AWS allows, see Quotas. */
    public static final long AWS_DATA_BYTES = 262_144;
    /** Events of an execution's history, likewise. */
    public static final long AWS_HISTORY_EVENTS = 25_000;
    /** Bytes of a document that a path looks into, or that is built; States.DataLimitExceeded beyond. */
    public static final int DOCUMENT_BYTES = 16 << 20;
    /** Places of a document that one reading of a path looks at; States.DataLimitExceeded beyond. */
    public static final int PATH_PLACES = 10_000_000;
    /** Bytes of the values that one Assign field gives to variables, together, and so of a variable (as on AWS). */
    public static final int ASSIGN_BYTES = 256 * 1024;
    /** Bytes of all variables of an execution (as on AWS). */
    public static final int VARIABLES_BYTES = 10 << 20;
    /** Characters of a variable's name (as on AWS). */
    public static final int VARIABLE_NAME_CHARS = 80;
    /** Steps of the JSONata expressions that a state evaluates at once, see {@link QueryBudget}. */
    public static final long QUERY_STEPS = 1_000_000;
    /** Steps after which the driver gets its turn. */
    public static final long QUERY_STEPS_AT_ONCE = 250_000;
    /** Nesting of the evaluation of a JSONata expression (as on AWS). */
    public static final int QUERY_DEPTH = 100;
    /** Bytes of a value that a JSONata expression makes, a number counted as 8 of them (as on AWS). */
    public static final int QUERY_VALUE_BYTES = 6_990_256;
    /** Numbers that {@code $range} gives, as on AWS. */
    public static final int QUERY_RANGE = 360_145;
    /** Bytes of an object's key, with its bucket, as the data layer takes it. */
    public static final int OBJECT_KEY_BYTES = 1_024;
    /** Of these, what is left for the name of a file of results, below the folder of a run. */
    public static final int RESULT_NAME_BYTES = 32;
    /** Bytes of a manifest that says which objects items are in. */
    public static final int MANIFEST_BYTES = 8 << 20;
    /** Bytes of one of these objects that is packed, once it is unpacked. */
    public static final int UNPACKED_BYTES = 16 << 20;
    /** Characters of a JSONata expression. */
    public static final int QUERY_CHARS = 64 * 1024;
    /** Bytes of a document that may be parsed on a shard: 4 KiB of numbers are a thousand nodes, 0.2 ms. A larger one is parsed off it. */
    public static final int LIGHT_BYTES = 4 * 1024;
    /** Bytes of a definition whose states may be evaluated on a shard: a larger one can hold thousands of rules. */
    public static final int LIGHT_DEFINITION_BYTES = 64 * 1024;
    /** Bytes of outputs that may be joined, unparsed, on a shard. */
    public static final int LIGHT_JOIN_BYTES = 256 * 1024;
    /** Items of a Map. */
    public static final int MAP_ITEMS = 100_000;
    /** Items that MaxItems may ask for (as on AWS). */
    public static final int MAX_ITEMS = 100_000_000;
    /** Bytes of an item that an ItemReader reads. */
    public static final int ITEM_BYTES = 8 << 20;
    /** Items, and bytes of them, that an ItemReader reads at once: what an execution holds of them, and a record of its journal has. */
    public static final int CHUNK_ITEMS = 1_000;
    public static final int CHUNK_BYTES = 48 * 1024;
    /** Objects that an ItemReader lists at once. */
    public static final int LISTED_KEYS = 256;
    /** Bytes of the headers of a CSV file (as on AWS). */
    public static final int CSV_HEADER_BYTES = 10 * 1024;
    /** Bytes of results that a ResultWriter gathers before it writes them. */
    public static final int RESULT_WRITE_BYTES = 256 * 1024;
    /** Bytes of a file of results, after which the next one is begun. */
    public static final long RESULT_FILE_BYTES = 64L << 20;
    /** Bytes of a batch of a distributed Map that MaxInputBytesPerBatch may ask for (as on AWS). */
    public static final int BATCH_BYTES = 256 * 1024;
    /** Characters of a distributed Map's Label (as on AWS). */
    public static final int MAP_LABEL_CHARS = 40;
    /** Iterations of a Map at once, when it sets no limit of its own: each may hold a step open. */
    public static final int MAP_CONCURRENCY = 1_000;
    /** Iterations of a distributed Map that have failed and are kept for a redrive; beyond, that does all of the Map again. */
    public static final int FAILED_ITERATIONS = 10_000;
    /** States entered in one go, before the driver gets its turn. */
    public static final int TRANSITIONS_AT_ONCE = 8;
    /** States entered in one execution, so that a loop without an end has one. */
    public static final int TRANSITIONS = 250_000;
    /** Events that grains may publish into one execution. */
    public static final int PUBLISHED_EVENTS = 10_000;
    /** Publications that follow from one another: an event published by a published event, and so on. */
    public static final int PUBLISHED_DEPTH = 500;
    /** Longest wait, interval or time-out, in seconds (as on AWS). */
    public static final int SECONDS = 99_999_999;
    /** Longest wait that an expression gives, in seconds. */
    public static final int WAIT_SECONDS = Integer.MAX_VALUE;
    /** Elements that States.ArrayRange may make (as on AWS). */
    public static final int ARRAY_RANGE = 1_000;
    /** Characters that States.Base64Encode, Base64Decode and Hash take (as on AWS). */
    public static final int ENCODE_CHARS = 10_000;
    /** Nesting of intrinsic functions in one expression (as on AWS). */
    public static final int INTRINSIC_DEPTH = 10;

    private WorkflowLimits() {}
}
