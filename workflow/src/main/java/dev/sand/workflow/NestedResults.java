package dev.sand.workflow;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.workflow.asl.Service.Mode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a task gets of the execution that it started, in the shapes of AWS's {@code states:startExecution}: members in
 * alphabetical order, dates in milliseconds of the epoch. Values are put in as they are written, none is parsed.
 */
public final class NestedResults {
    static final String NOT_REDRIVABLE = "Execution is SUCCEEDED and cannot be redriven";
    private static final String TIMED_OUT = "TIMED_OUT";

    /**
     * The started execution.
     *
     * @param id what ExecutionArn shows; @param name of the call, or null: the id
     * @param startMs wall clock
     */
    public record Child(String id, String application, String workflow, String name, Payload input, long startMs) {}

    private NestedResults() {}

    /** Of one that is not waited for. */
    public static Payload started(Child child) {
        return Payload.json(new Json().text("ExecutionArn", child.id).number("StartDate", child.startMs).bytes());
    }

    /** @param output JSON in bytes; @return what the task results in */
    public static Payload succeeded(Mode mode, Child child, Payload output, long stopMs) {
        if (mode == Mode.WORKFLOW) {
            return output;
        }
        boolean asJson = mode == Mode.SYNC_JSON;
        return Payload.json(new Json().text("ExecutionArn", child.id).value("Input", child.input, asJson).included("InputDetails")
                .text("Name", name(child)).value("Output", output, asJson).included("OutputDetails").number("RedriveCount", 0)
                .text("RedriveStatus", "NOT_REDRIVABLE").text("RedriveStatusReason", NOT_REDRIVABLE)
                .number("StartDate", child.startMs).text("StateMachineArn", machine(child)).text("Status", "SUCCEEDED")
                .number("StopDate", stopMs).bytes());
    }

    /**
     * The cause of States.TaskFailed when a child that is waited for did not succeed. A child's own cause is clipped: it may be
     * such a description too, and each level of nesting escapes the one below.
     *
     * @param status as AWS names it; one of TIMED_OUT has neither error nor cause there
     * @param error, cause may be null
     */
    public static String failed(Mode mode, Child child, String status, String error, String cause, long stopMs) {
        Json json = new Json();
        boolean says = !TIMED_OUT.equals(status);
        if (cause != null && says) {
            json.text("Cause", cause.substring(0, Math.min(cause.length(), Limits.CAUSE_BYTES)));
        }
        if (error != null && says) {
            json.text("Error", error);
        }
        return json.text("ExecutionArn", child.id).value("Input", child.input, mode == Mode.SYNC_JSON).included("InputDetails")
                .text("Name", name(child)).number("RedriveCount", 0).text("RedriveStatus", "REDRIVABLE")
                .number("StartDate", child.startMs).text("StateMachineArn", machine(child)).text("Status", status)
                .number("StopDate", stopMs).toString();
    }

    private static String name(Child child) {
        return child.name == null ? child.id : child.name;
    }

    private static String machine(Child child) {
        return child.application + "/" + child.workflow;
    }

    /** An object that is written member by member. */
    private static final class Json {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

        private Json member(String name) {
            out.write(out.size() == 0 ? '{' : ',');
            return quoted(name).raw(":".getBytes(StandardCharsets.UTF_8));
        }

        private Json raw(byte[] bytes) {
            out.writeBytes(bytes);
            return this;
        }

        private Json quoted(String text) {
            out.write('"');
            out.writeBytes(JsonStringEncoder.getInstance().quoteAsUTF8(text));
            out.write('"');
            return this;
        }

        Json text(String name, String value) {
            return member(name).quoted(value);
        }

        Json number(String name, long value) {
            return member(name).raw(Long.toString(value).getBytes(StandardCharsets.UTF_8));
        }

        Json included(String name) {
            return member(name).raw("{\"Included\":true}".getBytes(StandardCharsets.UTF_8));
        }

        Json value(String name, Payload json, boolean asJson) {
            return asJson ? member(name).raw(json.bytes()) : text(name, new String(json.bytes(), StandardCharsets.UTF_8));
        }

        byte[] bytes() {
            byte[] bytes = Arrays.copyOf(out.toByteArray(), out.size() + 1);
            bytes[bytes.length - 1] = '}';
            return bytes;
        }

        @Override
        public String toString() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }
    }
}
