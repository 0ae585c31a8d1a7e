package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.HostAgentPort.HostStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ends of a link on one loop that is somebody else's, as beside a host agent with one shard. */
class SharedLoopTest {
    private static final ClusterKey KEY = ClusterKey.of("the key that all of this cluster share".getBytes(StandardCharsets.UTF_8));

    private final Loop others = Loop.own("others");
    private HostLinkServer server;
    private HostLinks links;

    @TempDir
    Path work;

    @BeforeEach
    void open() throws IOException {
        server = new HostLinkServer(new InetSocketAddress("127.0.0.1", 0), new HostLinkServer.Parts("here", new EchoHost(),
                SlotEpochs.alone(16), KEY, work.resolve("builds")), LinkOptions.DEFAULT, Loop.of(others.events()));
        links = new HostLinks("there", KEY, LinkOptions.DEFAULT, Loop.of(others.events()));
    }

    @AfterEach
    void close() {
        others.close();
    }

    private HostLink linkTo(InetSocketAddress address) {
        return CompletableFuture.supplyAsync(() -> links.open("here", address, () -> { }), links).join();
    }

    private String answeredBy(HostLink link) {
        await().until(link::isUp);
        return CompletableFuture.supplyAsync(link::status, links).thenCompose(answer -> answer).thenApply(HostStatus::host)
                .orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void theyAreClosedAndTheLoopGoesOn() {
        assertThat(answeredBy(linkTo(server.address()))).isEqualTo("here");
        links.close();
        server.close();
        assertThat(others.events().submit(() -> "runs").syncUninterruptibly().getNow()).isEqualTo("runs");
    }

    @Test
    void theLoopEndsBeforeThem() {
        assertThat(answeredBy(linkTo(server.address()))).isEqualTo("here");
        others.close();
        links.close();
        server.close();
        assertThat(others.events().isTerminated()).isTrue();
    }

    @Test
    void aNameThatNobodyKnowsIsLookedUpAgainAndHoldsUpNothing() {
        HostLink lost = linkTo(InetSocketAddress.createUnresolved("no-such-host.invalid", 7264));
        await().untilAsserted(() -> assertThat(lost.trouble()).isEqualTo("nobody knows its name"));
        HostLink named = linkTo(InetSocketAddress.createUnresolved("localhost", server.address().getPort()));
        assertThat(answeredBy(named)).isEqualTo("here");
        links.close();
        server.close();
    }
}
