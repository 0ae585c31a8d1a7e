package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.workflow.Executions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of an execution while it runs is newer when somebody watches it. */
class WatchedExecutionTest {
    private static final String FLOW = """
            {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "buy", "Next": "B"},
              "B": {"Type": "Task", "Resource": "buy", "End": true}}}""";
    private static final ProgressListener WATCHER = new ProgressListener() {
        @Override
        public void onHop(Hop hop) {}

        @Override
        public void onEnd() {}
    };
    private final CoreFixture shop = new CoreFixture().with(grain("buy", 4, 10, Isolation.REQUEST)).withWorkflow("flow", FLOW,
            new Executions()::create);

    private List<Action.Record> recordsWithin(long ms) {
        return shop.after(ms).stream().filter(Action.Record.class::isInstance).map(Action.Record.class::cast).toList();
    }

    private void begin() {
        shop.warm();
        shop.invoke("e1", "flow", true);
        shop.on(new Input.Journaled("e1", 0, null));
        shop.settle();
    }

    @Test
    void nobodyWatches_aSecond() {
        begin();
        assertThat(recordsWithin(900)).isEmpty();
        assertThat(recordsWithin(200)).hasSize(1);
    }

    @Test
    void whoBeginsToWatchSeesSoonWhatWasSoFar_andWhatFollows() {
        begin();
        shop.after(50);
        shop.on(new Input.Watch("e1", WATCHER));
        assertThat(recordsWithin(110)).singleElement().satisfies(record -> assertThat(record.history()).hasSize(1));
        shop.finish(shop.running("e1"), "1");
        assertThat(recordsWithin(110)).singleElement().satisfies(record -> assertThat(record.history()).hasSize(2));
        shop.on(new Input.Unwatch("e1", WATCHER));
        shop.finish(shop.running("e1"), "2");
        shop.settle();
    }
}
