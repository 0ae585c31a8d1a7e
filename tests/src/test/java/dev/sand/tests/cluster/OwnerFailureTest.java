package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The owner of workflows that wait for somebody dies: what they wait for still counts, and each ends once and rightly. */
@Tag("cluster")
@ExtendWith(ClusterExtension.class)
class OwnerFailureTest {
    private static final int ORDERS = 6;
    private static final Duration TAKE_OVER = Duration.ofSeconds(150);

    @BeforeAll
    static void deploy(ClusterFixture cluster) {
        Orders.deploy(cluster.client());
    }

    @Test
    void aCallbackThatIsAwaitedWhenTheOwnerIsKilledEndsItsExecution(ClusterFixture cluster) {
        Orders orders = Orders.begin(cluster.client(), "callback", ORDERS);
        orders.awaitTokens();
        killOwner(cluster, orders);
        callBack(orders);
        check(orders, 0);
        cluster.heal();
    }

    @Tag("long")
    @Test
    void aChildThatIsAwaitedWhenTheOwnerIsKilledEndsItsParent(ClusterFixture cluster) {
        Orders orders = Orders.begin(cluster.client(), "parent", ORDERS);
        orders.awaitTokens();
        killOwner(cluster, orders);
        callBack(orders);
        check(orders, 0);
        cluster.heal();
    }

    @Tag("long")
    @Test
    void aRedriveThatIsUnderWayWhenTheOwnerIsKilledGoesOnWhereItWas(ClusterFixture cluster) {
        PlatformClient client = cluster.client();
        Orders.mend(client, false);
        Orders orders = Orders.begin(client, "comeback", ORDERS);
        orders.awaitStatus("FAILED");
        Orders.mend(client, true);
        orders.redrive();
        orders.awaitTokens();
        killOwner(cluster, orders);
        callBack(orders);
        check(orders, 1);
        for (int n = 0; n < orders.count(); n++) {
            assertThat(orders.record(n).path("redriveCount").asInt()).isEqualTo(1);
            assertThat(orders.seen(n).path("whole").asInt()).as("runs of the branch that had succeeded").isEqualTo(1);
            assertThat(orders.seen(n).path("broken").asInt()).as("runs of the step that failed, before and after").isEqualTo(2);
        }
        cluster.heal();
    }

    private static void killOwner(ClusterFixture cluster, Orders orders) {
        PlatformClient client = cluster.client();
        String owner = orders.owner(cluster);
        cluster.part(owner).kill();
        await("the slots of " + owner + " at other hosts").atMost(TAKE_OVER).until(() -> cluster.slots(client, owner).isEmpty());
    }

    private static void callBack(Orders orders) {
        for (int n = 0; n < orders.count(); n++) {
            assertThat(orders.callBack(n)).as("its callback counts").isEqualTo(200);
        }
        orders.awaitStatus("SUCCEEDED");
    }

    private static void check(Orders orders, int redrives) {
        for (int n = 0; n < orders.count(); n++) {
            assertThat(orders.output(n).json().path("order").asInt(-1)).as("output of order %s: %s", n, orders.output(n)).isEqualTo(n);
            assertThat(orders.callBack(n)).as("its callback once more").isEqualTo(409);
            assertThat(orders.seen(n).path("asked").asInt()).as("who was asked, once").isEqualTo(1);
            assertThat(orders.seen(n).path("told").asInt()).as("what comes after the callback, once").isEqualTo(1);
            var types = orders.history(n);
            assertThat(Collections.frequency(types, "ExecutionStarted")).isEqualTo(1);
            assertThat(Collections.frequency(types, "ExecutionSucceeded")).isEqualTo(1);
            assertThat(Collections.frequency(types, "ExecutionRedriven")).isEqualTo(redrives);
        }
    }
}
