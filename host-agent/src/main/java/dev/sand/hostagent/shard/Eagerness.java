package dev.sand.hostagent.shard;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * Whether a shard's event loop looks again for what its sockets bring, instead of going to sleep. Right after a hand-over, with
 * hardly anything else running, the answer of a short grain is a moment away, and waking a thread on a core that sleeps would
 * cost as much as the whole hand-over. Never for long, never when the instances need the cores. Event loop only.
 */
final class Eagerness implements SelectStrategy {
    /** With more executions than this open, the processors have better things to do. */
    private static final int FEW_EXECUTIONS = 2;
    private static final long MOMENT_NS = 200_000;
    private static final boolean HAS_CORES = Runtime.getRuntime().availableProcessors() > 1;

    private long untilNs = Long.MIN_VALUE;

    /** An instance was handed an event. */
    void onHandOver(int openExecutions) {
        untilNs = HAS_CORES && openExecutions <= FEW_EXECUTIONS ? System.nanoTime() + MOMENT_NS : Long.MIN_VALUE;
    }

    /** An execution has ended. */
    void onRespond(int openExecutions) {
        if (openExecutions == 0) {
            untilNs = Long.MIN_VALUE;
        }
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return selectNow.get();
        }
        return untilNs != Long.MIN_VALUE && System.nanoTime() < untilNs ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT;
    }
}
