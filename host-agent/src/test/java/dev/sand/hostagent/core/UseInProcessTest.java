package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What runs in a process is paid for at that process's memory, and once, also when another owner goes on with it. */
class UseInProcessTest extends ProcessFixture {
    private static final long MEMORY = 64L << 20;
    private static final long OWN = 7L << 20;
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 50, 64L << 20, MEMORY, 1_000, 600_000, Map.of());

    UseInProcessTest() {
        super(shop());
    }

    private static CoreFixture shop() {
        CoreFixture shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm();
        shop.paid.clear();
        return shop;
    }

    private InvocationRequest request(String process) {
        String id = Slots.placed(Ids.encode(1_000, 77, 0), Slots.of(process, SLOTS), SLOTS);
        return new InvocationRequest(id, APP.application(), APP.version(), "g", json("1"), 100_000, false, null).inProcess(process);
    }

    /** Its host is lost, and another one has its slot. */
    private void takeOver(InvocationRequest open, Runnable before) {
        int slot = Slots.of(open.processId(), SLOTS);
        on(new Input.SlotLost(slot, EPOCH));
        on(new Input.SlotAcquired(slot, EPOCH + 1));
        before.run();
        on(new Input.RecoverProcess(APP.application(), open.processId(), 5, List.of(new ProcessChange(open.processId(), 5, 0, 1,
                new Change.Made(1, 0, 0))), List.of(0L), Map.of(), slot));
        on(new Input.Recover(open, List.of()));
        on(new Input.SlotReady(slot, EPOCH + 1));
        on(new Input.Journaled(open.executionId(), 1, null));
        shop.settle();
    }

    @Test
    void anAttemptIsCountedAtTheMemoryOfItsProcess() {
        finish(running("p"));
        command(new ProcessCommand(APP.application(), APP.version(), "own", Kind.CREATE, 0, OWN, null));
        finish(running("own"));
        assertThat(shop.paid).containsExactly(MEMORY, OWN);
    }

    @Test
    void whatRunsInNoneIsCountedAtItsInstances() {
        shop.invoke("e1", "g", false);
        shop.settle();
        shop.finish(shop.running("e1"), "0");
        long instance = grain("g", 10, 100, Isolation.REQUEST).instanceMemoryBytes(shop.version().sandbox());
        assertThat(shop.paid).containsExactly(instance).doesNotContain(MEMORY);
    }

    @Test
    void soIsOneThatAnotherOwnerGoesOnWith() {
        InvocationRequest request = request("p");
        takeOver(request, () -> { });
        finish(shop.running(request.executionId()));
        assertThat(shop.paid).containsExactly(MEMORY);
    }

    @Test
    void whoAsksForItAgainAndCountsItHimselfMayDoSoBeforeItIsRead() {
        InvocationRequest request = request("p");
        takeOver(request, () -> on(new Input.Invoke(request, new InvocationListener() {
            @Override
            public boolean counts() {
                return true;
            }

            @Override
            public void onAccepted() { }

            @Override
            public void onEnd(InvocationResult result) { }
        })));
        finish(shop.running(request.executionId()));
        assertThat(shop.paid).as("it is counted with the data plane's").isEmpty();
    }
}
