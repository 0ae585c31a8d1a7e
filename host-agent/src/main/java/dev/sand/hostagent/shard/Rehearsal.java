package dev.sand.hostagent.shard;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.SandboxSpec;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Input.AppKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plays an application's first requests to a core that nobody else has, before the shards take any: what Java loads and
 * links at first use (5 to 10 ms) is then not done in the middle of somebody's input, where the limit is 0.5 ms. Everything
 * that the core wants done is answered as if it had been.
 */
final class Rehearsal {
    private static final String APPLICATION = "rehearsal";
    private static final AppKey APP = new AppKey(APPLICATION, 1);
    private static final byte[] EVENT = "{\"name\":\"Ada\",\"n\":1}".getBytes(StandardCharsets.UTF_8);
    private static final int ROUNDS = 3;
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final String WORKFLOW = """
            {"StartAt": "A", "States": {
              "A": {"Type": "Task", "Resource": "grain", "ResultPath": "$.a", "Next": "B"},
              "B": {"Type": "Choice", "Default": "C", "Choices": [{"Variable": "$.n", "NumericGreaterThan": 5, "Next": "C"}]},
              "C": {"Type": "Parallel", "ResultPath": "$.c", "Next": "F", "Branches": [
                {"StartAt": "D", "States": {"D": {"Type": "Task", "Resource": "grain", "End": true}}},
                {"StartAt": "E", "States": {"E": {"Type": "Wait", "Seconds": 1, "End": true}}}]},
              "F": {"Type": "Map", "ItemsPath": "$.c", "ItemSelector": {"i.$": "$$.Map.Item.Index"}, "End": true, "ItemProcessor": {
                "StartAt": "G", "States": {"G": {"Type": "Task", "Resource": "grain", "End": true}}}}}}""";

    private final HostCore core;
    private final int slots;
    private final String host;
    private final ArrayDeque<Input> inputs = new ArrayDeque<>();
    private final AtomicInteger answers = new AtomicInteger();
    private long nowNs;

    /** @param core of the host of that name, as the shards have; it is of no use afterwards */
    Rehearsal(HostCore core, int slots, String host, long nowNs) {
        this.core = core;
        this.slots = slots;
        this.host = host;
        this.nowNs = nowNs;
    }

    /** @return how many requests were answered, {@link #expected()} when all went as it should */
    int play() {
        for (int slot = 0; slot < slots; slot++) {
            inputs.add(new Input.SlotAcquired(slot, 1));
        }
        inputs.add(new Input.Recover(request(0, "workflow", true), List.of()));
        for (int slot = 0; slot < slots; slot++) {
            inputs.add(new Input.SlotReady(slot, 1));
        }
        inputs.add(new Input.HostsChanged(List.of(new HostCard(host, "rehearsal", null, Set.of(), 0, false, 0))));
        drain();
        for (int round = 1; round <= ROUNDS; round++) {
            for (String target : List.of("grain", "workflow")) {
                for (boolean durable : new boolean[] {false, true}) {
                    String id = target + round + durable;
                    inputs.add(new Input.Invoke(request(id.hashCode(), target, durable), listener()));
                    drain();
                }
            }
            nowNs += MINUTE_NS / 30;
            inputs.add(new Input.Tick());
            drain();
        }
        return answers.get();
    }

    static int expected() {
        return ROUNDS * 4;
    }

    private static InvocationRequest request(int number, String target, boolean durable) {
        return new InvocationRequest(String.format("0%025X", Math.abs((long) number)), APPLICATION, 1, target, Payload.json(EVENT),
                MINUTE_NS / 1_000_000, durable, null);
    }

    private InvocationListener listener() {
        return new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {}
        };
    }

    private void drain() {
        for (Input input = inputs.poll(); input != null; input = inputs.poll()) {
            core.on(input, nowNs, this::onAction);
        }
    }

    private void onAction(Action action) {
        switch (action) {
            case Action.LoadApplication load -> inputs.add(new Input.ApplicationLoaded(load.app(), version(), null));
            case Action.StartSandbox start -> inputs.add(new Input.SandboxStarted(start.app(), start.sandbox(), true));
            case Action.StartWorker start -> inputs.add(new Input.WorkerReady(APP, start.worker(), 1));
            case Action.Spawn spawn -> spawn.instances().forEach(instance -> inputs.add(new Input.Take(APP, instance, 2)));
            case Action.HandOver over -> {
                inputs.add(new Input.Finish(APP, over.instance(), over.eventId(), over.attempt(), Payload.json(EVENT), List.of(),
                        nowNs, nowNs));
                inputs.add(new Input.InstanceExited(APP, over.instance(), 0, 0, 1, 1, null));
                inputs.add(new Input.InstanceClosed(APP, over.instance()));
            }
            case Action.Journal journal when journal.awaited() ->
                    inputs.add(new Input.Journaled(journal.executionId(), journal.sequence(), null));
            case Action.Record stored when stored.awaited() ->
                    inputs.add(new Input.Recorded(stored.record().executionId(), null));
            case Action.Evaluate evaluate -> inputs.add(new Input.Evaluated(evaluate.executionId(),
                    evaluate.execution().on(evaluate.signal()), null));
            case Action.Respond respond -> {
                if (respond.result().status() == InvocationResult.Status.SUCCEEDED) {
                    answers.incrementAndGet();
                }
            }
            default -> { } // nothing to answer
        }
    }

    private static ApplicationVersion version() {
        return new ApplicationVersion(Limits.SCHEMA_VERSION, APPLICATION, 1, "bundle", null, SandboxSpec.DEFAULT,
                Map.of("grain", GrainSpec.withDefaults("grain")),
                Map.of("workflow", new WorkflowSpec("workflow", WORKFLOW, MINUTE_NS / 1_000_000)), List.of(), Map.of(),
                Durability.RELAXED, 0);
    }
}
