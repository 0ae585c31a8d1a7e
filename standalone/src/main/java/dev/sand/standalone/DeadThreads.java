package dev.sand.standalone;

import java.util.function.BiConsumer;

/**
 * What happens when a thread ends by something that nobody caught. For want of memory it may have been any, the journal's among them, whose work
 * nobody would do from then on while everything seems to go on: the program ends, and is begun anew by whoever watches over it.
 */
final class DeadThreads implements Thread.UncaughtExceptionHandler {
    private final BiConsumer<String, Throwable> log;
    private final Runnable end;

    /** @param end of the program, at once; @param log given words and what happened */
    DeadThreads(BiConsumer<String, Throwable> log, Runnable end) {
        this.log = log;
        this.end = end;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        boolean isFatal = failure instanceof VirtualMachineError;
        try {
            log.accept("thread " + thread.getName() + " has ended" + (isFatal ? ", and the program with it; what was accepted goes on at the next start" : ""),
                    failure);
        } finally {
            if (isFatal) {
                end.run();
            }
        }
    }
}
