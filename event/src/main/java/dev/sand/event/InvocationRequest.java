package dev.sand.event;

/**
 * One request, as a frontend gives it to a host agent. The frontend has resolved the alias, checked the target and chosen
 * the id; the same id given twice is the same execution.
 *
 * @param executionId time-ordered, 26 characters, see {@link Ids}
 * @param application name
 * @param version resolved
 * @param target a grain or a workflow
 * @param input the payload
 * @param timeoutMs what remains until the execution's deadline
 * @param durable true: accepted only once it is in the global bus (a 202); false: backed up in the background
 * @param traceparent W3C trace context, or null
 * @param redrive the execution has ended before, and is to run on; null: it is to begin
 * @param process the id of the cloud process that its grain runs in, which is made when there is none of it, and behind a slash the
 *                key of an invocation by messages; the execution's id falls into its slot. Null: in none
 */
public record InvocationRequest(
        String executionId,
        String application,
        int version,
        String target,
        Payload input,
        long timeoutMs,
        boolean durable,
        String traceparent,
        Redrive redrive,
        String process) {
    public InvocationRequest(String executionId, String application, int version, String target, Payload input, long timeoutMs,
                             boolean durable, String traceparent) {
        this(executionId, application, version, target, input, timeoutMs, durable, traceparent, null, null);
    }

    public InvocationRequest(String executionId, String application, int version, String target, Payload input, long timeoutMs,
                             boolean durable, String traceparent, Redrive redrive) {
        this(executionId, application, version, target, input, timeoutMs, durable, traceparent, redrive, null);
    }

    /** How often the execution has been redriven, this time included. */
    public int redrives() {
        return redrive == null ? 0 : redrive.count();
    }

    public InvocationRequest withInput(Payload other) {
        return new InvocationRequest(executionId, application, version, target, other, timeoutMs, durable, traceparent, redrive,
                process);
    }

    public InvocationRequest withTimeoutMs(long otherMs) {
        return new InvocationRequest(executionId, application, version, target, input, otherMs, durable, traceparent, redrive, process);
    }

    /** Null: it runs in none. */
    public String processId() {
        int slash = process == null ? -1 : process.indexOf('/');
        return slash < 0 ? process : process.substring(0, slash);
    }

    /** The same under another id. */
    public InvocationRequest as(String id) {
        return new InvocationRequest(id, application, version, target, input, timeoutMs, durable, traceparent, redrive, process);
    }

    /** The same, backed up in the background. */
    public InvocationRequest relaxed() {
        return new InvocationRequest(executionId, application, version, target, input, timeoutMs, false, traceparent, redrive, process);
    }

    public InvocationRequest inProcess(String id) {
        return new InvocationRequest(executionId, application, version, target, input, timeoutMs, durable, traceparent, redrive, id);
    }
}
