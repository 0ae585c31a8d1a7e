package dev.sand.hostagent.core;

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
