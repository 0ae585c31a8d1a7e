package dev.sand.workflow.asl;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a Task's resource asks of the platform itself, and of no grain. */
public sealed interface Service {
    /** How another workflow is started, and what the task's result is. */
    enum Mode {
        /** {@code states:startExecution}: not waited for; ExecutionArn and StartDate. */
        START,
        /** {@code .sync}: waited for; the execution's description, Input and Output as text. */
        SYNC,
        /** {@code .sync:2}: waited for; the same with Input and Output as JSON. */
        SYNC_JSON,
        /** {@code sand:workflow:<name>}: waited for; its output alone, and its error as it is. */
        WORKFLOW;

        public boolean awaitsEnd() {
            return this != START;
        }
    }

    /** @param workflow null: the task's StateMachineArn names it */
    record Start(Mode mode, String workflow) implements Service {}

    /** @param queue null: the task's QueueUrl names it */
    record Send(String queue) implements Service {}

    Pattern START_EXECUTION = Pattern.compile("arn:[^:]*:states:::states:startExecution(|\\.sync|\\.sync:2)");
    Pattern SEND_MESSAGE = Pattern.compile("arn:[^:]*:states:::sqs:sendMessage");
    /** The parameters of {@code lambda:invoke}. */
    Set<String> OF_INVOKE = Set.of("ClientContext", "DurableExecutionName", "FunctionName", "InvocationType", "LogType", "Payload", "Qualifier",
            "TenantId");
    String WORKFLOW_PREFIX = "sand:workflow:";
    String QUEUE_PREFIX = "sand:queue:";

    /** What the parameters of an action, as {@code sqs:sendMessage}, must have; empty where nothing is known. */
    static List<String> required(String action) {
        return KnownServices.requiredBy(action);
    }

    /** @param resource without what says that a token is waited for; @return null when it is none of these */
    static Service of(String resource) {
        Matcher start = START_EXECUTION.matcher(resource);
        if (start.matches()) {
            return new Start(switch (start.group(1)) {
                case ".sync" -> Mode.SYNC;
                case ".sync:2" -> Mode.SYNC_JSON;
                default -> Mode.START;
            }, null);
        }
        if (SEND_MESSAGE.matcher(resource).matches()) {
            return new Send(null);
        }
        if (resource.startsWith(WORKFLOW_PREFIX)) {
            return new Start(Mode.WORKFLOW, resource.substring(WORKFLOW_PREFIX.length()));
        }
        return resource.startsWith(QUEUE_PREFIX) ? new Send(resource.substring(QUEUE_PREFIX.length())) : null;
    }

    /** The workflow of a StateMachineArn: its last part but for a version or alias; or a bare name. */
    static String workflow(String stateMachineArn) {
        int at = stateMachineArn.indexOf(":stateMachine:");
        return at < 0 ? stateMachineArn.substring(stateMachineArn.lastIndexOf('/') + 1)
                : stateMachineArn.substring(at + 14).split(":", 2)[0];
    }

    /** The queue of a QueueUrl, or of an ARN: the last part, without the ending of a queue that keeps order. */
    static String queue(String queueUrl) {
        String name = queueUrl.substring(Math.max(queueUrl.lastIndexOf('/'), queueUrl.lastIndexOf(':')) + 1);
        return name.endsWith(".fifo") ? name.substring(0, name.length() - 5) : name;
    }
}
