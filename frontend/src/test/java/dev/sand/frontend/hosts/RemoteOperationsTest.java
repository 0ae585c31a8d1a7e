package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.Drain;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.hostlink.LinkException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a frontend asks of hosts besides requests: watches, cancellations, builds, their status. */
@Tag("slow")
class RemoteOperationsTest extends RemoteHostsFixture {
    @Test
    void a_watch_follows_its_execution() throws Exception {
        String id = id();
        invoke(id, "hold", 20_000, true).awaitAccepted();
        List<String> told = new CopyOnWriteArrayList<>();
        try (AutoCloseable watch = hosts.watch(id, new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                told.add("hop");
            }

            @Override
            public void onEnd() {
                told.add("end");
            }
        })) {
            assertThat(watch).isNotNull();
            await().until(() -> !a.agent.running.get(id).watchers().isEmpty());
            toB(2);
            // It runs on the new owner a moment later.
            b.agent.invoke(Caller.request(id, "hold", new byte[1], 1000, false), new Caller());
            await().until(() -> !b.agent.running.get(id).watchers().isEmpty());
            assertThat(told).isEmpty();
            b.agent.release(id, Payload.nullJson());
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(told).containsExactly("hop", "end"));
        }
    }

    @Test
    void cancelling_waits_for_the_owner() throws Exception {
        String id = id();
        Caller caller = invoke(id, "hold", 20_000, true);
        caller.awaitAccepted();
        int port = a.port();
        a.cut();
        var cancelled = hosts.cancel(id, "no longer wanted");
        a.open(port);
        assertThat(cancelled.join()).isTrue();
        assertThat(caller.result().status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void builds_go_to_a_live_host_that_is_not_draining() throws Exception {
        membership.host("a", a.address(), true);
        Path source = Files.createDirectories(folder.resolve("app"));
        Files.writeString(source.resolve("sand.yaml"), "name: demo\n");
        BuildRequest request = new BuildRequest("demo", source, SandboxSpec.DEFAULT, Map.of());
        hosts.build(request, line -> { }).join();
        assertThat(b.agent.builds).hasSize(1);
        membership.gone("b");
        assertThatThrownBy(() -> hosts.build(request, line -> { }).join()).cause().isInstanceOf(BuildException.class)
                .hasMessageContaining("no host can build");
    }

    @Test
    void the_status_has_all_hosts_and_says_who_does_not_answer() throws Exception {
        membership.own(3, "b", 2);
        b.cut();
        await().untilAsserted(() -> {
            var status = hosts.status().join();
            assertThat(status).extracting(HostAgentPort.HostStatus::host).containsExactly("a", "b");
            assertThat(status.get(0).problem()).isNull();
            assertThat(status.get(0).place().slots()).hasSize(15);
            assertThat(status.get(0).place().labels()).containsExactly("here");
            assertThat(status.get(1).problem()).isNotEmpty();
            assertThat(status.get(1).place().slots()).containsExactly(3);
        });
        b.open(0);
    }

    @Test
    void a_host_is_drained_when_another_takes_work_and_the_answer_waits_for_its_card() throws Exception {
        var drained = hosts.drain("a", true);
        await().until(() -> a.agent.drains.equals(List.of("a out")));
        await().during(Duration.ofMillis(300)).until(() -> !drained.isDone());
        membership.host("a", a.address(), true);
        assertThat(drained.get(20, TimeUnit.SECONDS)).isEqualTo(Drain.DONE);
        assertThat(hosts.drain("a", true).get(20, TimeUnit.SECONDS)).as("again").isEqualTo(Drain.DONE);
        assertThat(hosts.drain("b", true).get(20, TimeUnit.SECONDS)).isEqualTo(Drain.NO_OTHER_HOST);
        assertThat(hosts.drain("c", true).get(20, TimeUnit.SECONDS)).isEqualTo(Drain.NO_SUCH_HOST);
        assertThat(b.agent.drains).isEmpty();
        var resumed = hosts.drain("a", false);
        membership.host("a", a.address(), false);
        assertThat(resumed.get(20, TimeUnit.SECONDS)).isEqualTo(Drain.DONE);
        assertThat(a.agent.drains).containsExactly("a out", "a out", "a in");
        membership.gone("b");
        assertThat(hosts.drain("a", true).get(20, TimeUnit.SECONDS)).isEqualTo(Drain.NO_OTHER_HOST);
    }

    @Test
    void a_host_that_cannot_be_reached_or_does_not_do_it_fails_the_question() throws Exception {
        a.agent.drain = Drain.NO_SUCH_HOST;
        assertThatThrownBy(() -> hosts.drain("a", true).get(20, TimeUnit.SECONDS)).hasMessageContaining("host a").hasMessageContaining("no such host");
        a.cut();
        assertThatThrownBy(() -> hosts.drain("a", true).get(20, TimeUnit.SECONDS)).cause().isInstanceOf(LinkException.class);
        a.open(0);
    }

    @Test
    void a_process_is_moved_to_a_slot_that_its_new_host_has_then() {
        ProcessCommand make = new ProcessCommand("demo", 1, "p", ProcessCommand.Kind.CREATE);
        hosts.process(make).join();
        b.epoch = 2;
        int home = Slots.of("p", HandMadeMembership.SLOTS);
        int first = (home + 1) % HandMadeMembership.SLOTS;
        int second = (home + 2) % HandMadeMembership.SLOTS;
        membership.own(first, "b", 2);
        a.agent.stays = Failure.platform(Errors.UNAVAILABLE, "its slot's journals are being read", true);
        var moved = hosts.migrate("demo", 1, "p", "b");
        await().until(() -> a.agent.moves.contains(first));
        membership.own(first, "a", 3);
        membership.own(second, "b", 3);
        await().until(() -> a.agent.moves.contains(second));
        a.agent.movesTo = "b";
        a.agent.stays = null;
        assertThat(moved).succeedsWithin(Duration.ofSeconds(20));
        assertThat(a.agent.moves.getLast()).isEqualTo(second);
    }

    /** The owner of the slot may be another one by the time it is there. */
    @Test
    void a_process_that_is_not_where_it_was_to_be_is_moved_again_and_nobody_is_told_that_it_is() throws Exception {
        hosts.process(new ProcessCommand("demo", 1, "p", ProcessCommand.Kind.CREATE)).join();
        b.epoch = 2;
        membership.own((Slots.of("p", HandMadeMembership.SLOTS) + 1) % HandMadeMembership.SLOTS, "b", 2);
        a.agent.movesTo = "c";
        var moved = hosts.migrate("demo", 1, "p", "b");
        await().until(() -> a.agent.moves.size() == 2);
        a.agent.movesTo = "b";
        assertThat(moved.get(20, TimeUnit.SECONDS).host()).isEqualTo("b");
        a.agent.movesTo = "c";
        assertThatThrownBy(() -> hosts.migrate("demo", 1, "p", "b").get(20, TimeUnit.SECONDS))
                .hasMessageContaining("process p is on host c").hasMessageContaining("not host b's any more");
    }
}
