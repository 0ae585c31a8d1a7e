package dev.sand.hostagent.core;

/**
 * The end of an execution that was given up while its request was on the way to the global bus. @param end gives it to the bus, and
 * is told what came of it
 */
record Withdrawal(String executionId, int slot, Runnable end) {
    void write() {
        end.run();
    }
}
