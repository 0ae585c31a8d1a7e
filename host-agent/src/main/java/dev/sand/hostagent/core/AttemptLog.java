package dev.sand.hostagent.core;

/** Where attempts are noted as they end, and the figures of their processes when those come in. */
interface AttemptLog {
    /** @return the attempt's place, for its figures */
    int add(Event event, String error, long startedNs, long endedNs);

    /** The process of an attempt will be reaped: figures follow, or their loss. */
    void expectFigures();

    void onFigures(int place, long cpuUs, long peakMemoryBytes);

    void onFiguresLost();
}
