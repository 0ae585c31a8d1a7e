package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import java.util.List;

/** What a step of an execution asks of the platform: performed off the shard, and answered once. */
public sealed interface Question {
    /**
     * Give the name to the execution that is to be started under it, unless it was given before; for good.
     *
     * @param input of that execution, so that the same call is known again
     */
    record ClaimName(String application, String workflow, String name, String childId, Payload input) implements Question {}

    /** How an execution ended. @param awaitsEnd it has, and its record is on its way */
    record LookUp(String application, String childId, boolean awaitsEnd) implements Question {}

    /** Send the message, once, however often it is asked. @param message what its id follows from */
    record Send(String application, String message, String queue, String group, Payload body) implements Question {}

    /** What an execution did before its redrive of that number. @param isBegun that one is in the journal */
    record Before(String application, int redrive, boolean isBegun) implements Question {}

    /** What came of it. */
    sealed interface Answer {
        /** @param holder whose name it is; @param sameInput the holder was started with the same input */
        record Claimed(String holder, boolean sameInput) implements Answer {}

        /** @param status null: there is no record of it; @param output with its bytes, or null */
        record Found(Status status, Payload output, Failure failure, long endedMs) implements Answer {}

        /** @param signals the first of them Started */
        record Before(List<Signal> signals, List<Hop> hops) implements Answer {}

        record Sent(Payload result) implements Answer {}

        /** @param again the same question may be answered later */
        record Failed(String error, String cause, boolean again) implements Answer {}
    }
}
