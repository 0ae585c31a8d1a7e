package dev.sand.hostagent.shard;

import dev.sand.datalayer.ObjectStore;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.objects.ItemReading;
import dev.sand.workflow.objects.ObjectCall;
import java.io.IOException;
import java.time.Duration;

/**
 * Does what workflows want done with objects, off the shards, and again when the store is away for a while. A host that is not
 * sure to own the execution's slot writes nothing.
 */
final class ObjectWork {
    private static final int TRIES = 8;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

    private final ObjectStore objects;
    private final SlotTable slots;
    private final Work work;
    private final WritesUnderWay writes;
    private final Withheld withheld;

    ObjectWork(ObjectStore objects, SlotTable slots, Work work, WritesUnderWay writes, Withheld withheld) {
        this.objects = objects;
        this.slots = slots;
        this.work = work;
        this.writes = writes;
        this.withheld = withheld;
    }

    void perform(Action.CallObjects action, Shard shard) {
        perform(action, shard, 1);
    }

    private void perform(Action.CallObjects action, Shard shard, int tries) {
        if (!shard.runs(action.executionId())) {
            return; // it ended between two tries, perhaps with its application: nobody would remove what is written now
        }
        boolean taken = writes.tryRun(work, action.application(), () -> {
            attempt(action, shard, tries);
            return null;
        });
        if (!taken) {
            again(action, shard, tries, "the host agent has too much to do");
        }
    }

    private void attempt(Action.CallObjects action, Shard shard, int tries) {
        if (!slots.holds(action.slot(), action.epoch())) {
            withheld.count(Withheld.Effect.EVENT); // the execution goes on elsewhere
            return;
        }
        try {
            if (action.call() instanceof ObjectCall.Write && !slots.mayAct()) {
                throw new IOException("the global bus is away");
            }
            var output = new ItemReading(new WorkflowObjects(objects, action.application())).perform(action.call());
            shard.submit(new Input.ObjectsCalled(action.executionId(), action.step(), Payload.json(Json.bytes(output)), null));
        } catch (IOException e) {
            if (ItemReading.isFinal(e)) {
                fail(action, shard, e.getMessage());
            } else {
                again(action, shard, tries, e.getMessage());
            }
        } catch (RuntimeException e) {
            fail(action, shard, "The objects could not be used: " + e);
        }
    }

    private void again(Action.CallObjects action, Shard shard, int tries, String cause) {
        if (tries == TRIES) {
            fail(action, shard, cause);
        } else {
            shard.after(FIRST_PAUSE.multipliedBy(1L << tries - 1), () -> perform(action, shard, tries + 1));
        }
    }

    private static void fail(Action.CallObjects action, Shard shard, String cause) {
        shard.submit(new Input.ObjectsCalled(action.executionId(), action.step(), null, cause));
    }
}
