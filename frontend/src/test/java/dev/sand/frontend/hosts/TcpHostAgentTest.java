package dev.sand.frontend.hosts;

import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.RecordedResults;
import dev.sand.event.HostAgentPort;
import dev.sand.frontend.FakeHostAgent;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.LinkOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The contract, over a network. */
@Tag("slow")
class TcpHostAgentTest extends HostAgentPortContract {
    private final InvocationStore records = new InvocationStore(new MemoryStore(), InvocationStore.Options.DEFAULT);
    private final MemoryBus bus = new MemoryBus();
    private final HandMadeMembership membership = new HandMadeMembership();
    private final HostLinks links = new HostLinks("frontend", FakeHost.KEY, LinkOptions.DEFAULT);
    private FakeHost host;
    private RemoteHosts hosts;

    @BeforeEach
    void open() throws Exception {
        host = new FakeHost("here", records, 1);
        membership.host("here", host.address(), false);
        membership.ownAll("here", 1);
        hosts = new RemoteHosts(RemoteHosts.Parts.remote(membership, bus, new RecordedResults(records), links), RoutingOptions.DEFAULT);
        await().until(() -> hosts.status().join().getFirst().problem() == null);
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
        links.close();
        host.close();
        bus.close();
        records.close();
    }

    @Override
    HostAgentPort port() {
        return hosts;
    }

    @Override
    FakeHostAgent agent() {
        return host.agent;
    }
}
