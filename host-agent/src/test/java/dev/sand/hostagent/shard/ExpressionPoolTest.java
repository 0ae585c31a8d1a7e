package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ExpressionPoolTest {
    private static final Execution.Signal SIGNAL = new Execution.Signal.TimerFired("Wait");

    /** Its time limit is far away: on a busy machine the shortest evaluation can take long. */
    private final ExpressionPool pool =
            new ExpressionPool(new ExpressionPool.Options(1, 2, Duration.ofMinutes(1), 1000));
    private final ExpressionPool hasty =
            new ExpressionPool(new ExpressionPool.Options(1, 2, Duration.ofSeconds(1), 1000));
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        pool.close();
        hasty.close();
    }

    private record Outcome(List<Command> commands, Failure failure) {}

    private CompletableFuture<Outcome> evaluate(Supplier<List<Command>> work) {
        return evaluate(pool, isCancelled -> work.get());
    }

    private static CompletableFuture<Outcome> evaluate(ExpressionPool pool, Function<BooleanSupplier, List<Command>> work) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        pool.evaluate(new FakeExecution(work), SIGNAL, (commands, failure) -> outcome.complete(new Outcome(commands, failure)));
        return outcome;
    }

    private static Outcome get(CompletableFuture<Outcome> outcome) throws Exception {
        return outcome.get(10, TimeUnit.SECONDS);
    }

    @Test
    void commandsComeBack() throws Exception {
        List<Command> commands = List.of(new Command.Succeed(Payload.nullJson()));
        assertThat(get(evaluate(() -> commands)).commands()).isEqualTo(commands);
    }

    @Test
    void anEvaluationThatDoesNotHeedItsTimeLimitIsGivenUpAndOthersGoOn() throws Exception {
        CompletableFuture<Outcome> stuck = evaluate(hasty, isCancelled -> ignoreInterrupts());
        assertThat(get(stuck).failure().error()).isEqualTo(Errors.TIMEOUT);
        assertThat(get(evaluate(hasty, isCancelled -> List.of())).commands()).isEmpty();
    }

    @Test
    void anEvaluationThatIsOutOfTimeIsToldSo() throws Exception {
        CountDownLatch noticed = new CountDownLatch(1);
        evaluate(hasty, isCancelled -> {
            while (!isCancelled.getAsBoolean()) {
                Thread.onSpinWait();
            }
            noticed.countDown();
            return List.of();
        });
        assertThat(noticed.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anEvaluationThatWaitedForAProcessorHasItsTimeStill() throws Exception {
        assertThat(get(evaluate(hasty, isCancelled -> {
            LockSupport.parkNanos(Duration.ofMillis(1500).toNanos());
            return isCancelled.getAsBoolean() ? null : List.of();
        })).commands()).isEmpty();
    }

    @Test
    void anOutputOverTheLimitIsRefused() throws Exception {
        Failure failure = get(evaluate(() -> List.of(new Command.Succeed(Payload.json(new byte[1001]))))).failure();
        assertThat(failure.error()).isEqualTo(Errors.TOO_LARGE);
        assertThat(failure.details()).containsEntry("limit", 1000L).containsEntry("actual", 1001L);
    }

    @Test
    void anEvaluationThatFailsSaysWhy() throws Exception {
        assertThat(get(evaluate(() -> {
            throw new IllegalStateException("no such path");
        })).failure().cause()).contains("no such path");
    }

    @Test
    void moreThanTheQueueHoldsIsRefused() throws Exception {
        evaluate(this::ignoreInterrupts);
        CompletableFuture<Outcome> refused = null;
        for (int i = 0; i < 20; i++) {
            refused = evaluate(this::ignoreInterrupts);
        }
        assertThat(get(refused).failure().error()).isEqualTo(Errors.OVERLOADED);
    }

    private List<Command> ignoreInterrupts() {
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException ignored) {
                // as an expression's loop would
            }
        }
        return List.of();
    }

    private record FakeExecution(Function<BooleanSupplier, List<Command>> work) implements Execution {
        @Override
        public List<Command> on(Signal signal) {
            return on(signal, () -> false);
        }

        @Override
        public List<Command> on(Signal signal, BooleanSupplier isCancelled) {
            return work.apply(isCancelled);
        }

        @Override
        public boolean isHeavy(Signal signal) {
            return true;
        }

        @Override
        public boolean isEnded() {
            return false;
        }
    }
}
