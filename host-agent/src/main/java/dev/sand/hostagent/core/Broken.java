package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a state machine throws ends its execution and nothing else: the host agent goes on, and whoever takes the execution over
 * gives it the same signals, and so to the same end.
 */
final class Broken {
    private static final Logger LOG = LoggerFactory.getLogger(Broken.class);

    private Broken() {}

    /**
     * @param broken gets the failure that the execution ends with
     * @return what the machine commands; null: it threw
     */
    static List<Command> on(String executionId, Execution machine, Signal signal, Consumer<Failure> broken) {
        try {
            return machine.on(signal);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            LOG.atError().addKeyValue(LogFields.EXECUTION_ID, executionId).setCause(e).log("execution {} could not go on", executionId);
            broken.accept(Failure.platform(Errors.BAD_REQUEST, "the workflow could not go on: " + e, false));
            return null;
        }
    }
}
