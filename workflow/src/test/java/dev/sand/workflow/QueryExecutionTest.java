package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.QueryBudget;
import dev.sand.workflow.trial.Trial;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the drivers of executions rest on when states are in JSONata. */
class QueryExecutionTest {
    private static final String ENDLESS = "($f := function(){ $f() }; $f())";
    /** About 200,000 steps. */
    private static final String COSTLY = "$count($map([1..40000], function($v){ $v + 1 }))";

    private static StateMachine machine(String... outputs) {
        StringBuilder states = new StringBuilder();
        for (int i = 0; i < outputs.length; i++) {
            states.append(i == 0 ? "" : ",").append("\"S").append(i).append("\":{\"Type\":\"Pass\",\"Output\":\"{% ").append(outputs[i])
                    .append(" %}\",").append(i == outputs.length - 1 ? "\"End\":true}" : "\"Next\":\"S" + (i + 1) + "\"}");
        }
        String definition = "{\"QueryLanguage\":\"JSONata\",\"StartAt\":\"S0\",\"States\":{" + states + "}}";
        return switch (Definitions.parse(definition)) {
            case Definitions.Parsed.Valid valid -> valid.machine();
            case Definitions.Parsed.Invalid invalid -> throw new AssertionError(invalid.diagnostics());
        };
    }

    private static Execution execution(StateMachine machine, String id) {
        return Executions.of(machine, "app", "flow", id, Trial.START);
    }

    private static Signal.Started started() {
        return new Signal.Started(Payload.json("{\"n\":1}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void expressionsAreNeverEvaluatedOnAShard() {
        assertThat(execution(machine("1"), "e").isHeavy(started())).isTrue();
    }

    @Test
    void anEvaluationThatNobodyWantsEndsSoon() {
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> execution(machine(ENDLESS), "e").on(started(), () -> asked.incrementAndGet() == 3))
                .isInstanceOf(QueryBudget.Cancelled.class);
        assertThat(asked).hasValue(3);
    }

    @Test
    void costlyStatesGiveTheDriverItsTurn() {
        Execution execution = execution(machine(COSTLY, COSTLY, COSTLY, COSTLY), "e");
        List<Command> first = execution.on(started());
        assertThat(first).singleElement().isInstanceOfSatisfying(Command.StartTimer.class,
                timer -> assertThat(timer.delayMs()).isZero());
        List<Command> last = first;
        for (int turns = 0; !execution.isEnded(); turns++) {
            assertThat(turns).isLessThan(4);
            last = execution.on(new Signal.TimerFired(((Command.StartTimer) last.getFirst()).step()));
        }
        assertThat(last.getLast()).isInstanceOf(Command.Succeed.class);
    }

    @Test
    void aDeployedDefinitionIsReadOnTheShardAndItsExpressionsParsedOffIt() {
        String broken = "{\"QueryLanguage\":\"JSONata\",\"StartAt\":\"S\",\"States\":{\"S\":{\"Type\":\"Pass\",\"Output\":\"{% 1 + %}\",\"End\":true}}}";
        assertThat(Definitions.parse(broken)).isInstanceOf(Definitions.Parsed.Invalid.class);
        assertThat(Definitions.parseChecked(broken)).isInstanceOfSatisfying(Definitions.Parsed.Valid.class, valid ->
                assertThat(execution(valid.machine(), "e").on(started()).getLast()).isInstanceOfSatisfying(Command.Fail.class,
                        fail -> assertThat(fail.error()).isEqualTo("States.QueryEvaluationError")));
    }

    /** A definition is read once for a shard, and its executions are evaluated on several threads. */
    @Test
    void executionsOfOneMachineDoNotMeet() throws Exception {
        StateMachine machine = machine("($f := function($n){ $n = 0 ? 0 : $n + $f($n - 1) }; [$f(20), $random(), $replace('aXb', /X/, $uuid())])",
                "{'was': $states.input, 'name': $states.context.Execution.Name, 'sorted': $sort($shuffle([1..20]))}");
        List<String> alone = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            alone.add(output(machine, i));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<String>> together = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int number = i;
                together.add(threads.submit(() -> output(machine, number)));
            }
            for (int i = 0; i < 40; i++) {
                assertThat(together.get(i).get()).isEqualTo(alone.get(i));
            }
        }
    }

    private static String output(StateMachine machine, int number) {
        return Json.text(Trial.run(execution(machine, "execution-" + number), Json.NODES.objectNode(), null).output());
    }
}
