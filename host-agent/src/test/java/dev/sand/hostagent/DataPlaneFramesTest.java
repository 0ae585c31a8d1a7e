package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.RecordedResults;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.InvocationIds;
import dev.sand.dataplane.client.ProcessClient;
import dev.sand.dataplane.client.Value;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import dev.sand.hostlink.Loop;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host agent's data plane, frame by frame: grants, clients that are slow or deaf, and results that are kept until they were got. */
@Tag("slow")
class DataPlaneFramesTest extends OpenDataPlane {
    @Test
    void aGrantInvokesOnlyWithTheRightToInvokeAndOnlyWhatItNames() throws Exception {
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        long nowMs = System.currentTimeMillis();
        record Case(Set<String> rights, Set<String> functions, boolean opens) {}
        for (Case each : List.of(new Case(Set.of(), Set.of(), false), new Case(Set.of("look"), Set.of("echo"), false),
                new Case(Set.of("INVOKE"), Set.of(), false), new Case(Set.of(Grant.INVOKE), Set.of("count"), false),
                new Case(Set.of(Grant.INVOKE, "look"), Set.of("echo"), true), new Case(Set.of(Grant.INVOKE), Set.of(), true))) {
            String grant = grants.sign(new Grant("shop", "p", view.host(), view.epoch(), each.rights, each.functions, nowMs, nowMs + 60_000));
            try (Socket client = new Socket("127.0.0.1", plane.port())) {
                hello(client, grant);
                DataInputStream in = new DataInputStream(client.getInputStream());
                in.skipNBytes(in.readInt());
                send(client, new Frame.Invoke(1, Ids.next(nowMs, new Random()), false, 0, "echo", "x/y", 1, ByteBuffer.allocate(1)));
                Frame answer = Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())));
                if (each.opens) {
                    assertThat(answer).as("%s", each).isInstanceOf(Frame.Result.class);
                } else {
                    assertThat(answer).as("%s", each).isInstanceOfSatisfying(Frame.Failed.class, failed ->
                            assertThat(failed.error()).isEqualTo(Errors.DENIED));
                }
            }
        }
    }

    @Test
    void aGrantOfAnEarlierEpochIsToldToAskAgain() throws Exception {
        long nowMs = System.currentTimeMillis();
        for (Grant stale : List.of(new Grant("shop", "p", "test", 99, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000),
                new Grant("shop", "p", "elsewhere", 1, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000))) {
            try (Socket socket = new Socket("127.0.0.1", plane.port())) {
                socket.getOutputStream().write(Frames.PREFACE);
                send(socket, new Frame.Hello(Frames.VERSION, grants.sign(stale), "test"));
                byte[] answer = socket.getInputStream().readAllBytes();
                assertThat(answer[4]).as("moved").isEqualTo((byte) 11);
            }
        }
    }

    @Test
    void aGrantEndsWithItsApplicationThoughThatIsDeployedAgain() throws Exception {
        ProcessView view = platform.agent.process(new ProcessCommand("shop", 1, "p", ProcessCommand.Kind.CONNECT)).join();
        long nowMs = System.currentTimeMillis();
        String grant = grants.sign(new Grant("shop", "p", view.host(), view.epoch(), 1, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000));
        try (Socket open = new Socket("127.0.0.1", plane.port()); Socket later = new Socket("127.0.0.1", plane.port())) {
            hello(open, grant);
            assertThat(open.getInputStream().readNBytes(5)[4]).as("welcome").isEqualTo((byte) 2);
            deletedUpTo = 1;
            plane.onDeleted("shop", 1);
            assertThat(new String(open.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains("no application shop any more");
            hello(later, grant);
            DataInputStream in = new DataInputStream(later.getInputStream());
            assertThat(Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())))).isEqualTo(new Frame.Refused(Errors.NOT_FOUND,
                    "application shop was deleted after this grant was issued", true));
        }
        String next = grants.sign(new Grant("shop", "p", view.host(), view.epoch(), 2, Set.of(Grant.INVOKE), Set.of(), nowMs, nowMs + 60_000));
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, next);
            assertThat(client.getInputStream().readNBytes(5)[4]).as("welcome").isEqualTo((byte) 2);
        }
    }

    @Test
    void whoSaysNothingIsCutOffBeforeAndAfterItsGrant() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(30)));
        String grant = grant();
        try (Socket silent = new Socket("127.0.0.1", plane.port()); Socket half = new Socket("127.0.0.1", plane.port());
                Socket known = new Socket("127.0.0.1", plane.port())) {
            half.getOutputStream().write(Frames.PREFACE); // both before the 2 s are over, on a busy machine too
            hello(known, grant);
            assertThat(known.getInputStream().readNBytes(5)[4]).as("welcome").isEqualTo((byte) 2);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(half.getInputStream().read()).isEqualTo(-1);
            assertThat(new String(known.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains("nothing was heard");
        }
    }

    @Test
    void anInputThatIsAnnouncedAndDoesNotComeKeepsItsRoomFromNobody() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(5), Duration.ofSeconds(3), Duration.ofSeconds(30)));
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            send(client, new Frame.Invoke(1, Ids.next(System.currentTimeMillis(), new Random()), false, Integer.MAX_VALUE, "echo",
                    "x/y", 200 << 20, ByteBuffer.allocate(0)));
            String said = "";
            for (int number = 0; !said.contains("nothing came"); number++) {
                Thread.sleep(200);
                send(client, new Frame.Ping(number)); // it is there, and sends nothing of its input
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                said = new String(frame, StandardCharsets.UTF_8);
            }
        }
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.bytes(new byte[3 << 20]), PATIENCE).bytes()).hasSize(3 << 20);
        }
    }

    @Test
    void whoNeverReadsIsCutOffWithWhatWaitsForIt() throws Exception {
        plane.close();
        open(null, DataPlaneOptions.DEFAULT.withTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofMillis(700)));
        try (Socket deaf = new Socket()) {
            deaf.setReceiveBufferSize(4096);
            deaf.connect(new InetSocketAddress("127.0.0.1", plane.port()));
            hello(deaf, grant());
            assertThatThrownBy(() -> {
                for (int request = 1;; request++) {
                    askForEcho(deaf, request, 8 << 20);
                }
            }).isInstanceOf(SocketException.class);
            await().atMost(PATIENCE).untilAsserted(() ->
                    assertThat(plane.figures().read("shop", "p").connections()).isZero());
        }
        try (ProcessClient client = client()) {
            assertThat(client.invoke("echo", Value.json("1"), PATIENCE).text()).isEqualTo("1");
        }
    }

    @Test
    void aLargeResultIsKeptUntilItsClientHasGotItAndNoLonger() throws Exception {
        RecordedResults results = new RecordedResults(platform.invocations);
        int size = 3 << 20;
        String got = Ids.next(System.currentTimeMillis(), new Random());
        String lost = Ids.next(System.currentTimeMillis(), new Random());
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            askForEcho(client, 1, got, false, size);
            String execution = readResult(in, size);
            assertThat(results.find("shop", execution)).as("it is not known yet whether it is to be kept").isEmpty();
            send(client, new Frame.Got(1));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(platform.invocations.get("shop", execution)).hasValueSatisfying(record -> {
                assertThat(record.status()).isEqualTo(InvocationResult.Status.SUCCEEDED);
                assertThat(record.output().size()).isEqualTo(size);
            }));
            assertThat(results.find("shop", execution).orElseThrow().failure().cause()).contains("is not kept");
            askForEcho(client, 2, lost, false, size);
            readResult(in, size);
        }
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            askForEcho(client, 1, lost, true, size);
            String execution = readResult(in, size);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(results.find("shop", execution)).as("its first connection has ended")
                    .hasValueSatisfying(result -> assertThat(result.output().bytes()).hasSize(size)));
        }
    }

    @Test
    void whatARecordSaysIsFinalWhateverItSays() throws Exception {
        String id = Ids.next(System.currentTimeMillis(), new Random());
        String execution = InvocationIds.execution("shop", "p", id, platform.agent.epochs().slots());
        platform.invocations.record(new InvocationRecord(Limits.SCHEMA_VERSION, execution, "shop", 1, "echo", InvocationResult.Status.FAILED,
                Payload.nullJson(), null, Failure.platform(Errors.MOVED, "it is elsewhere", true), 1, 2, 0, 0, List.of()), failure -> { });
        try (Socket client = new Socket("127.0.0.1", plane.port())) {
            hello(client, grant());
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt());
            send(client, new Frame.Invoke(1, id, true, 0, "echo", "x/y", 1, ByteBuffer.allocate(1)));
            assertThat(Frames.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())))).isInstanceOfSatisfying(Frame.Failed.class,
                    failed -> assertThat(failed.error()).isEqualTo(Errors.MOVED));
        }
    }

    @Test
    void aLoopOfItsOwnIsAsUrgentAsAShards() throws IOException {
        assertThat(niceOf("data-plane-")).as("beside one shard it has none").isEmpty();
        plane.close();
        open(null, DataPlaneOptions.DEFAULT, Loop.own(DataPlane.THREAD));
        await().untilAsserted(() -> assertThat(niceOf("data-plane-")).isNotEmpty().isEqualTo(niceOf("sand-shard-")));
    }

    /** Of this program's threads with such names: a negative one where that is allowed. */
    private static Set<String> niceOf(String name) throws IOException {
        Set<String> found = new HashSet<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.contains("(" + name)) {
                    found.add(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]);
                }
            }
        } catch (NoSuchFileException e) {
            return Set.of(); // one that has ended meanwhile: to be looked at again
        }
        return found;
    }

    /** @return the execution's id */
    private static String readResult(DataInputStream in, int size) throws IOException {
        String execution = "";
        for (int left = size; left > 0;) {
            byte[] frame = in.readNBytes(in.readInt());
            switch (Frames.decode(ByteBuffer.wrap(frame))) {
                case Frame.Result result -> execution = result.execution();
                case Frame.Part part -> left -= part.bytes().remaining();
                default -> throw new AssertionError(new String(frame, StandardCharsets.UTF_8));
            }
        }
        return execution;
    }

    private static void askForEcho(Socket socket, int request, int size) throws IOException {
        askForEcho(socket, request, Ids.next(System.currentTimeMillis(), new Random()), false, size);
    }

    private static void askForEcho(Socket socket, int request, String id, boolean repeated, int size) throws IOException {
        send(socket, new Frame.Invoke(request, id, repeated, 0, "echo", "x/y", size, ByteBuffer.allocate(0)));
        for (int sent = 0; sent < size; sent += 1 << 20) {
            send(socket, new Frame.Part(request, ByteBuffer.allocate(1 << 20)));
        }
    }
}
