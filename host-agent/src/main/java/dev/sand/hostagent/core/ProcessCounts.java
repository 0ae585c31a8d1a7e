package dev.sand.hostagent.core;

import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessImage;

/** What a process has done since it was made, here and before: of messages, those that are sent, and read, for good. */
final class ProcessCounts {
    long invocations;
    long failures;
    long busyNs;
    long sent;
    long received;
    long swapsOut;
    long swapsIn;
    long checkpoints;

    ProcessCounts(ProcessImage.Counts before) {
        invocations = before.invocations();
        failures = before.failures();
        busyNs = before.busyMs() * 1_000_000;
        sent = before.sent();
        received = before.received();
        swapsOut = before.swapsOut();
        swapsIn = before.swapsIn();
        checkpoints = before.checkpoints();
    }

    /**
     * The journal has it, and the image that the process was read from has not. It tells which functions ended well that changed something,
     * and the messages that they took and sent with their end; not how long they ran, nor what others did, or sent before.
     *
     * @param change with what it sends
     */
    void replayed(Change change) {
        switch (change) {
            case Change.Done done -> {
                invocations++;
                sent += done.sends().size();
                received += done.received().size() + done.passed().size();
            }
            case Change.Fired fired -> received += fired.taken().size();
            case Change.Made _, Change.Arrived _, Change.Killed _, Change.Left _ -> { }
        }
    }

    /** As an image has them that is written now. @param swaps it is to be swapped out */
    ProcessImage.Counts read(boolean swaps) {
        return new ProcessImage.Counts(invocations, failures, busyNs / 1_000_000, sent, received, swapsOut + (swaps ? 1 : 0), swapsIn,
                checkpoints + (swaps ? 0 : 1));
    }

    /** @param swapped it is here no more */
    void imaged(boolean swapped) {
        swapsOut += swapped ? 1 : 0;
        checkpoints += swapped ? 0 : 1;
    }
}
