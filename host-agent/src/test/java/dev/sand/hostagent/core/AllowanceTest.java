package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Slots;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A tenant uses no more of a host than it may. */
class AllowanceTest {
    private static final long GIB = 1L << 30;
    private final CoreFixture shop = new CoreFixture().with(CoreFixture.grain("buy", 6, 100, Isolation.REQUEST))
            .with(CoreFixture.grain("sell", 6, 100, Isolation.REQUEST));
    private Allowance ours;

    @BeforeEach
    void find() {
        ours = shop.allowances.of("default");
    }

    private void may(Integer instances, Long memoryBytes) {
        ours.limit(new Allowance.Limits(instances, memoryBytes));
    }

    private Failure refusal() {
        List<Action.Respond> answers = shop.of(Action.Respond.class);
        return answers.isEmpty() ? null : answers.getLast().result().failure();
    }

    @Test
    void moreThanItMayRunAreRefusedWithTheLimit() {
        shop.warm();
        may(2, null);
        shop.invoke("e1", "buy", false);
        shop.invoke("e2", "sell", false);
        assertThat(refusal()).isNull();
        shop.invoke("e3", "buy", false);
        assertThat(refusal()).satisfies(over -> {
            assertThat(over.error()).isEqualTo(Errors.OVERLOADED);
            assertThat(over.retryable()).isTrue();
            assertThat(over.details()).containsEntry("quota", "instances").containsEntry("limit", 2L).containsEntry("actual", 3L);
        });
        shop.finish(shop.running("e1"), "1");
        shop.invoke("e4", "buy", false);
        shop.settle();
        assertThat(ours.instances()).isEqualTo(2);
    }

    @Test
    void whatWaitsForItsInstanceCounts() {
        may(1, null);
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(CoreFixture.APP, shop.version(), null));
        shop.invoke("e2", "buy", false);
        assertThat(refusal().details()).containsEntry("quota", "instances");
    }

    @Test
    void whatWasTakenHasItsTurn() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.invoke("e2", "buy", false);
        shop.invoke("e3", "buy", false);
        may(2, null);
        shop.settle();
        assertThat(shop.core().status(shop.nowNs).getFirst().grains().getFirst().queued()).isEqualTo(1);
        shop.finish(shop.running("e1"), "1");
        Action.TellShards freed = shop.only(Action.TellShards.class);
        assertThat(freed.input()).isEqualTo(new Input.InstancesFreed("default"));
        shop.on(freed.input());
        shop.settle();
        shop.finish(shop.running("e3"), "2");
        assertThat(shop.of(Action.Respond.class)).extracting(answer -> answer.result().executionId()).containsExactly("e3");
        assertThat(shop.of(Action.TellShards.class)).as("nobody waits any more").isEmpty();
    }

    @Test
    void aGrainThatHasMuchToDoLeavesTurnsToOthers() {
        shop.warm();
        List<String> ids = List.of("a1", "a2", "a3", "b1", "b2", "b3");
        ids.forEach(id -> shop.invoke(id, id.startsWith("a") ? "buy" : "sell", false));
        may(1, null);
        shop.settle();
        List<String> begun = handedOver();
        begun.forEach(id -> shop.finish(shop.running(id), "1"));
        assertThat(ours.instances()).as("none takes what it has just given back").isZero();
        for (int left = ids.size() - begun.size(); left > 0; left--) {
            shop.on(new Input.InstancesFreed("default"));
            shop.settle();
            assertThat(ours.instances()).isEqualTo(1);
            shop.finish(shop.running(handedOver().getLast()), "1");
        }
        List<String> inTurn = handedOver().subList(begun.size(), ids.size());
        assertThat(inTurn.getFirst().charAt(0)).as("turns: " + inTurn).isNotEqualTo(inTurn.get(1).charAt(0));
        assertThat(handedOver()).containsExactlyInAnyOrderElementsOf(ids);
    }

    private List<String> handedOver() {
        return shop.settled.stream().filter(Action.HandOver.class::isInstance).map(over -> ((Action.HandOver) over).executionId())
                .filter(id -> !id.equals("warm-up")).toList();
    }

    @Test
    void aHigherLimitIsToldToWhoeverWaits() {
        shop.warm();
        shop.invoke("e1", "buy", false);
        shop.invoke("e2", "buy", false);
        may(1, null);
        shop.settle();
        may(2, null);
        shop.on(new Input.InstancesFreed("default"));
        shop.settle();
        assertThat(ours.instances()).isEqualTo(2);
    }

    @Test
    void aSandboxThatItHasNoMemoryForIsNotStartedForARequest() {
        may(null, GIB - 1);
        shop.invoke("e1", "buy", false);
        shop.on(new Input.ApplicationLoaded(CoreFixture.APP, shop.version(), null));
        assertThat(refusal().details()).containsEntry("quota", "memoryBytes").containsEntry("limit", GIB - 1).containsEntry("actual", GIB);
        assertThat(refusal().retryable()).as("it never fits").isFalse();
        assertThat(refusal().cause()).doesNotContain("later").contains("have the quota raised");
        assertThat(shop.of(Action.StartSandbox.class)).isEmpty();
        assertThat(shop.of(Action.TellShards.class)).as("others' idle ones make room").hasSize(1);
        may(null, GIB);
        shop.invoke("e2", "buy", false);
        shop.on(new Input.ApplicationLoaded(CoreFixture.APP, shop.version(), null));
        assertThat(shop.all.stream().filter(Action.StartSandbox.class::isInstance)).hasSize(1);
        assertThat(ours.memoryBytes()).isEqualTo(GIB);
    }

    /** That may have a sandbox of its own, so memory for the application's is not asked for at the door. */
    @Test
    void whatIsToRunInAProcessIsNotRefusedForTheApplicationsSandbox() {
        may(null, GIB - 1);
        String id = Slots.placed(Ids.encode(1_000, 1, 0), shop.slotOf("p"), CoreConfiguration.DEFAULT.slots());
        shop.invoke(new InvocationRequest(id, CoreFixture.APP.application(), CoreFixture.APP.version(), "buy", CoreFixture.json("1"), 100_000,
                false, null).inProcess("p"));
        shop.on(new Input.ApplicationLoaded(CoreFixture.APP, shop.version(), null));
        assertThat(refusal()).isNull();
        shop.after(11_000);
        assertThat(shop.all.stream().filter(Action.Respond.class::isInstance).map(answer -> ((Action.Respond) answer).result().failure())).singleElement()
                .satisfies(over -> assertThat(over.details()).containsEntry("quota", "memoryBytes"));
    }

    @Test
    void memoryIsGivenBackWithTheSandbox() {
        shop.warm();
        assertThat(ours.memoryBytes()).isEqualTo(GIB);
        shop.on(new Input.RoomWanted("acme"));
        assertThat(shop.of(Action.StopSandbox.class)).isEmpty();
        shop.on(new Input.RoomWanted("default"));
        Action.StopSandbox stop = shop.only(Action.StopSandbox.class);
        assertThat(ours.memoryBytes()).as("it is still there").isEqualTo(GIB);
        shop.on(new Input.SandboxEnded(CoreFixture.APP, stop.sandbox(), "stopped"));
        assertThat(ours.memoryBytes()).isZero();
    }
}
