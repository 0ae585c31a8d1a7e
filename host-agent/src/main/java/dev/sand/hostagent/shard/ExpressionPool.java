package dev.sand.hostagent.shard;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where expressions and large documents are worked on (DESIGN, decision 1): few threads, a bounded queue, a time limit, and a
 * bound on what comes out. A thread that does not heed its time limit is given up; so many of them, and the pool refuses.
 */
final class ExpressionPool implements AutoCloseable {
    /** Called once, on a pool thread: implementations only enqueue. */
    interface Listener {
        /** @param failure null when the commands are good */
        void onEvaluated(List<Command> commands, Failure failure);
    }

    /**
     * @param threads that work at once
     * @param waiting evaluations in the queue
     * @param time longest evaluation, of a processor's time; by the clock {@value #PATIENCE} times as long, on a machine that is busy
     * @param outputBytes most that one evaluation may give
     */
    record Options(int threads, int waiting, Duration time, long outputBytes) {
        static final Options DEFAULT = new Options(2, 10_000, Duration.ofSeconds(5), 16L << 20);
    }

    private static final int MAX_GIVEN_UP = 8;
    private static final int PATIENCE = 4;
    private static final long LOOK_AGAIN_NS = 20_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Options options;
    private final ThreadPoolExecutor threads;
    private final ScheduledExecutorService clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-expression-clock").daemon().factory());

    ExpressionPool(Options options) {
        this.options = options;
        this.threads = new ThreadPoolExecutor(options.threads(), options.threads() + MAX_GIVEN_UP, 1, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(options.waiting()), Thread.ofPlatform().name("sand-expression-", 0).daemon().factory());
        threads.prestartAllCoreThreads(); // a shard that starts one is held for it
    }

    void evaluate(Execution execution, Execution.Signal signal, Listener listener) {
        Evaluation evaluation = new Evaluation(execution, signal, listener);
        try {
            evaluation.task = threads.submit(evaluation);
        } catch (RejectedExecutionException e) {
            evaluation.end(null, Failure.platform(Errors.OVERLOADED, "too many expressions wait to be evaluated", true));
        }
    }

    private final class Evaluation implements Runnable {
        private final Execution execution;
        private final Execution.Signal signal;
        private final Listener listener;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile Future<?> task;
        private volatile boolean running;
        private long threadId;
        private long beganNs;
        private long beganCpuNs;

        Evaluation(Execution execution, Execution.Signal signal, Listener listener) {
            this.execution = execution;
            this.signal = signal;
            this.listener = listener;
        }

        @Override
        public void run() {
            threadId = Thread.currentThread().threadId();
            beganNs = System.nanoTime();
            beganCpuNs = THREADS.getThreadCpuTime(threadId);
            running = true;
            Future<?> alarm = clock.schedule(this::onAlarm, options.time().toNanos(), TimeUnit.NANOSECONDS);
            try {
                List<Command> commands = execution.on(signal, ended::get);
                long size = size(commands);
                if (size > options.outputBytes()) {
                    end(null, Failure.limit(Errors.TOO_LARGE, "the state's output is too large", Failure.Source.GRAIN,
                            options.outputBytes(), size));
                } else {
                    end(commands, null);
                }
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                end(null, Failure.platform(Errors.BAD_REQUEST, "the expression could not be evaluated: " + e, false));
            } finally {
                running = false;
                alarm.cancel(false);
                // An interrupt that comes for this evaluation must not meet the next one.
                Thread.interrupted();
            }
        }

        /** What waited for a processor has the rest of its time still: its neighbours are not to fail it. */
        private void onAlarm() {
            long waited = System.nanoTime() - beganNs;
            long left = Math.min(options.time().toNanos() - (THREADS.getThreadCpuTime(threadId) - beganCpuNs),
                    PATIENCE * options.time().toNanos() - waited);
            if (left <= 0) {
                onTimeout();
            } else if (!ended.get()) {
                clock.schedule(this::onAlarm, Math.max(left, LOOK_AGAIN_NS), TimeUnit.NANOSECONDS);
            }
        }

        private void onTimeout() {
            if (end(null, Failure.platform(Errors.TIMEOUT,
                    "an expression took longer than " + options.time().toMillis() + " ms", false)) && running) {
                task.cancel(true);
                threads.setCorePoolSize(Math.min(threads.getCorePoolSize() + 1, threads.getMaximumPoolSize()));
            }
        }

        private boolean end(List<Command> commands, Failure failure) {
            boolean first = ended.compareAndSet(false, true);
            if (first) {
                listener.onEvaluated(commands, failure);
            }
            return first;
        }
    }

    private static long size(List<Command> commands) {
        long size = 0;
        for (Command command : commands) {
            size += switch (command) {
                case Command.RunTask task -> inline(task.input());
                case Command.Succeed succeed -> inline(succeed.output());
                default -> 0;
            };
        }
        return size;
    }

    private static long inline(Payload payload) {
        return payload.bytes() == null ? 0 : payload.bytes().length;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        clock.shutdownNow();
    }
}
