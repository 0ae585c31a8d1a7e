package dev.sand.frontend.hosts;

import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Ids;
import dev.sand.event.Topics;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.LinkOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts that a test directs, and a frontend that sends to them. */
abstract class RemoteHostsFixture {
    final Random random = new Random(11);
    final InvocationStore records = new InvocationStore(new MemoryStore(), InvocationStore.Options.DEFAULT);
    final MemoryBus bus = new MemoryBus();
    final HandMadeMembership membership = new HandMadeMembership();
    final HostLinks links = new HostLinks("frontend", FakeHost.KEY, LinkOptions.DEFAULT);
    FakeHost a;
    FakeHost b;
    RemoteHosts hosts;

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws Exception {
        bus.createTopic(Topics.requests("demo"), HandMadeMembership.SLOTS);
        a = new FakeHost("a", records, 1);
        b = new FakeHost("b", records, 0);
        membership.host("a", a.address(), false);
        membership.host("b", b.address(), false);
        membership.ownAll("a", 1);
        hosts = new RemoteHosts(RemoteHosts.Parts.remote(membership, bus, new RecordedResults(records), links),
                RoutingOptions.DEFAULT.withOverBus(Duration.ofMillis(200)).withGrace(Duration.ofMillis(300)).withBuild(Duration.ofMillis(600))
                        .withMostOverBus(3).withAccept(Duration.ofMillis(700)));
        await().until(() -> hosts.status().join().stream().allMatch(host -> host.problem() == null));
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
        links.close();
        a.close();
        b.close();
        bus.close();
        records.close();
    }

    String id() {
        return Ids.next(1_700_000_000_000L, random);
    }

    Caller invoke(String id, String target, long timeoutMs, boolean durable) {
        Caller caller = new Caller();
        hosts.invoke(Caller.request(id, target, new byte[] {5}, timeoutMs, durable), caller);
        return caller;
    }

    static boolean runs(FakeHost host, String id) {
        return host.agent.running.containsKey(id);
    }

    void toB(long epoch) {
        b.epoch = epoch;
        membership.ownAll("b", epoch);
    }
}
