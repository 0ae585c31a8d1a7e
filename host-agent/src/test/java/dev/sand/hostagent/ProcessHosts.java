package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.SqliteStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.globalbus.SqliteBus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Two hosts, a and b, with the real Python runtime, that share a bus and a store on the disk, and the cloud process p, which begins on a.
 * Its function {@code take} takes a message, writes it down as {@code first} and sends it on, then waits while the test holds it, and writes
 * it down as {@code second}: whatever is killed meanwhile, both say the same. {@code stream}, in another process, sends to p all the time.
 */
final class ProcessHosts implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int LARGE = 9 << 20;
    private static final Map<String, String> HANDLERS = Map.of(
            "tell", "def handle(event, context):\n    context.process.send(context.process.id, 'k', event)\n",
            "take", """
                    import os, time
                    def handle(event, context):
                        p = context.process
                        one = p.recv(key="k", timeout=0)
                        p.state("first", p.state("first", default=[]) + [one])
                        p.send(p.id, "sent", one)
                        os.umask(0)  # the other host's grains run as yet another user
                        with open("%1$s/begun", "a") as file:
                            file.write("%%d " %% os.getpid())
                        while os.path.exists("%1$s/hold"):
                            time.sleep(0.01)
                        p.state("second", p.state("second", default=[]) + [one])
                        return one
                    """,
            "large", "import random\ndef handle(event, context):\n"
                    + "    context.process.state('large', bytes([event]) + random.Random(event).randbytes(%2$d - 1))\n",
            "stream", """
                    import os
                    def handle(event, context):
                        number = 0
                        while os.path.exists("%1$s/hold"):
                            try:
                                context.process.send("p", "k", number)
                            except Exception:  # it has gone to a host of which this one knows no way
                                break
                            number += 1
                        return number
                    """,
            "all", """
                    def handle(event, context):
                        p, sent, unread = context.process, [], []
                        for key, to in (("sent", sent), ("k", unread)):
                            while (one := p.recv(key=key, timeout=0)) is not None:
                                to.append(one)
                        large = p.state("large", default=b"")
                        return [p.state("first", default=[]), p.state("second", default=[]), sent, unread, len(large), large[0] if large else 0]
                    """);

    final TestMembership group = new TestMembership(Slots.DEFAULT);
    final TestMembership.Host first = group.host();
    final TestPlatform a;
    final TestPlatform b;
    final ApplicationVersion version;
    private final Path notes;
    private final SqliteBus bus;
    private final GlobalStore store;
    private boolean dead;

    ProcessHosts(Path folder) throws Exception {
        this(folder, ProcessSpec.DEFAULT);
    }

    ProcessHosts(Path folder, ProcessSpec spec) throws Exception {
        notes = Files.createDirectory(folder.resolve("notes"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx"));
        bus = new SqliteBus(folder.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        store = new SqliteStore(folder.resolve("store.db"));
        a = host("a", first);
        b = host("b", group.host());
        b.change(deploy(b), spec);
        version = a.change(deploy(a), spec);
        group.giveAll("a");
    }

    private TestPlatform host(String name, TestMembership.Host member) throws Exception {
        return new TestPlatform(bus, store, member, HostAgentConfiguration.defaults(name).withShards(1).withDrainTimeout(Duration.ofSeconds(5)));
    }

    private ApplicationVersion deploy(TestPlatform host) throws IOException {
        Map<String, String> handlers = new HashMap<>();
        HANDLERS.forEach((name, code) -> handlers.put(name, code.contains("%") ? code.formatted(notes, LARGE) : code));
        return host.deploy("app", handlers);
    }

    void hold() throws IOException {
        Files.createFile(notes.resolve("hold"));
    }

    void letGo() throws IOException {
        Files.delete(notes.resolve("hold"));
    }

    /** By functions {@code take}, over all attempts on all hosts. @return pid of the last, as it knows it itself */
    long awaitBegun(int times) {
        String[] pids = await("take has begun " + times + " times").atMost(PATIENCE).until(() -> Files.exists(notes.resolve("begun"))
                ? Files.readString(notes.resolve("begun")).split(" ") : new String[0], begun -> begun.length == times);
        return Long.parseLong(pids[times - 1]);
    }

    InvocationRequest request(String function, String json, int slot) {
        InvocationRequest any = TestPlatform.request(version, function, Payload.json(json.getBytes(StandardCharsets.UTF_8)), 240_000, true);
        return any.as(Slots.placed(any.executionId(), slot, Slots.DEFAULT)).inProcess("p");
    }

    static int home() {
        return Slots.of("p", Slots.DEFAULT);
    }

    CompletableFuture<InvocationResult> start(TestPlatform host, String function, String json) {
        return host.start(request(function, json, home()), new CompletableFuture<>());
    }

    String ask(TestPlatform host, String function, String json) throws Exception {
        return ask(host, function, json, home());
    }

    /** @param slot where the process lives */
    String ask(TestPlatform host, String function, String json, int slot) throws Exception {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) { // as a frontend does, while the slot is on its way
            InvocationResult end = host.start(request(function, json, slot), new CompletableFuture<>()).get(60, TimeUnit.SECONDS);
            if (end.failure() == null || !end.failure().error().equals(Errors.MOVED) || System.nanoTime() - until > 0) {
                return TestPlatform.text(end);
            }
        }
    }

    /** What has become of take: of its first half, of its second, of what it sent; what it did not take; and the large value. */
    static String told(String first, String second, String sent, String unread, int large) {
        return "[[" + first + "],[" + second + "],[" + sent + "],[" + unread + "]," + (large == 0 ? "0,0" : LARGE + "," + large) + "]";
    }

    String all(TestPlatform host) throws Exception {
        return ask(host, "all", "null").replace(" ", "");
    }

    CompletableFuture<ProcessView> command(TestPlatform host, Kind kind) {
        return host.agent.process(new ProcessCommand("app", 1, "p", kind));
    }

    String status(TestPlatform host) throws Exception {
        return command(host, Kind.DESCRIBE).get(60, TimeUnit.SECONDS).status();
    }

    /** Host a dies, and b has its slots. */
    void die() throws IOException {
        dead = true;
        a.abandon();
        group.giveAll("b");
    }

    @Override
    public void close() throws Exception {
        assertThat(a.broken).isNotDone();
        assertThat(b.broken).isNotDone();
        if (!dead) {
            a.close();
        }
        b.close();
        group.close();
        store.close();
        bus.close();
    }
}
