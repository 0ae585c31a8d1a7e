package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.QueuedEvents.Look;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told of a grain's queue: its traffic, and who waits in it. */
class LocalQueueTest {
    private static final int MOST_AT_ONCE = 1;
    private final CoreFixture shop = new CoreFixture().with(grain("buy", MOST_AT_ONCE, 50, Isolation.REQUEST)).warm();

    private GrainStatus buy() {
        return shop.core().status(shop.nowNs).getFirst().grains().getFirst();
    }

    private List<QueueLook.Waiting> looked(int limit) {
        return shop.core().queued(new Look("shop", "buy", limit));
    }

    private void invoke(int from, int to) {
        for (int i = from; i <= to; i++) {
            shop.invoke("e" + i, "buy", false);
        }
        shop.settle();
    }

    @Test
    void whatFindsAnInstanceAndWhatWaitsIsTakenIn() {
        shop.after(20_000);
        invoke(1, 4);
        shop.after(1_000);
        assertThat(buy().inPerSecond()).isEqualTo(0.4);
        assertThat(buy().outPerSecond()).as("one runs").isEqualTo(0.1);
        shop.finish(shop.running("e1"), "1");
        shop.exited(shop.running("e1"), 0, 0);
        shop.settle();
        shop.after(1_000);
        assertThat(shop.running("e2")).isNotNull();
        assertThat(buy().outPerSecond()).isEqualTo(0.2);
        assertThat(buy().inPerSecond()).isEqualTo(0.4);
        shop.after(20_000);
        assertThat(buy().inPerSecond()).isZero();
    }

    @Test
    void aRefusedOneIsNotTakenIn() {
        shop.after(20_000);
        invoke(1, 60);
        shop.after(1_000);
        assertThat(buy().queued()).isEqualTo(50);
        assertThat(buy().inPerSecond()).isEqualTo(5.1);
    }

    @Test
    void theFirstThatWaitAreToldAndStay() {
        invoke(1, 6);
        List<QueueLook.Waiting> found = looked(3);
        assertThat(found).as("one more, so that it is known that there are more").extracting(QueueLook.Waiting::executionId)
                .containsExactly("e2", "e3", "e4", "e5");
        assertThat(found.getFirst()).satisfies(first -> {
            assertThat(first.eventId()).isEqualTo("e2/buy");
            assertThat(first.version()).isEqualTo(1);
            assertThat(first.attempt()).isEqualTo(1);
            assertThat(first.queuedMs()).isEqualTo(shop.nowNs / CoreFixture.MS);
            assertThat(text(first.input())).isEqualTo("1");
        });
        assertThat(looked(100)).hasSize(5);
        assertThat(buy().queued()).isEqualTo(5);
    }

    @Test
    void ofOtherGrainsAndApplicationsNothingIsTold() {
        invoke(1, 3);
        assertThat(shop.core().queued(new Look("shop", "sell", 10))).isEmpty();
        assertThat(shop.core().queued(new Look("acme--shop", "buy", 10))).isEmpty();
    }
}
