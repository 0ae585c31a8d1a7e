package dev.sand.hostagent.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.LogStore;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.mask.Masks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LogCollectorTest {
    private static final LogConfiguration SMALL = new LogConfiguration(100, 40, 3, Duration.ofMillis(1));

    private final KeptLines store = new KeptLines();
    private final LogCollector collector = new LogCollector(store, SMALL, () -> 1234);
    private Path directory;
    private LogEndpoint endpoint;

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        endpoint = collector.open(directory.resolve("log.sock"));
        endpoint.bind(new AppKey("shop", 3), Masks.of(List.of("hunter2", "abc")));
        endpoint.onWorker("w1", "resize");
        endpoint.onInstances("resize", List.of("i1", "i2"));
    }

    @AfterEach
    void close() throws IOException {
        endpoint.close();
        collector.close();
        Files.deleteIfExists(directory.resolve("log.sock"));
        Files.deleteIfExists(directory);
    }

    @Test
    void aLineBelongsToTheInvocationWhoseMarkerCameBefore() throws Exception {
        SocketChannel out = process("1 i1\nloading\n\u001eX1 X1/Resize it 2\nhello\n");
        write(out, "\u001eX2 X2/Resize it 1\nagain\nno end");
        out.close();
        await().until(() -> store.lines.size() == 4);
        assertThat(store.lines).extracting(LogStore.Line::text, LogStore.Line::executionId, LogStore.Line::eventId,
                        LogStore.Line::attempt)
                .containsExactly(tuple("loading", null, null, 0), tuple("hello", "X1", "X1/Resize it", 2),
                        tuple("again", "X2", "X2/Resize it", 1), tuple("no end", "X2", "X2/Resize it", 1));
        LogStore.Line line = store.lines.getFirst();
        assertThat(line.application()).isEqualTo("shop");
        assertThat(line.version()).isEqualTo(3);
        assertThat(line.grain()).isEqualTo("resize");
        assertThat(line.stream()).isEqualTo("stdout");
        assertThat(line.epochMs()).isEqualTo(1234);
    }

    @Test
    void whatADeletedVersionStillWritesIsNotStored() throws Exception {
        SocketChannel out = process("1 i1\nbefore\n");
        await().until(() -> store.lines.size() == 1);
        collector.forget("shop", 3).join();
        write(out, "after\n");
        out.close();
        collector.forget("other", 3).join();
        collector.close();
        assertThat(store.lines).extracting(LogStore.Line::text).containsExactly("before");
    }

    @Test
    void withoutMarkersALineBelongsToTheAttemptThatTheShardHandedOver() throws Exception {
        SocketChannel out = process("1 i1\nearly\n");
        await().until(() -> store.lines.size() == 1);
        endpoint.onAttempt("i1", "X7", "X7/main", 3, "p");
        write(out, "late\n");
        await().until(() -> store.lines.size() == 2);
        assertThat(store.lines).extracting(LogStore.Line::text, LogStore.Line::executionId, LogStore.Line::attempt,
                LogStore.Line::process).containsExactly(tuple("early", null, 0, null), tuple("late", "X7", 3, "p"));
        out.close();
    }

    @Test
    void whatIsWrittenInAProcessThatWasKilledIsNotOfItsNamesakesLog() throws Exception {
        SocketChannel unmarked = process("1 i1\n");
        endpoint.onAttempt("i1", "X7", "X7/main", 1, "p");
        endpoint.onAttempt("i2", "X8", "X8/main", 1, "p");
        SocketChannel marked = process("1 i2\n\u001eX8 X8/main 1\nbefore\n");
        await().until(() -> store.lines.size() == 1);
        collector.killed("another", "p").get();
        write(unmarked, "another's\n");
        await().until(() -> store.lines.size() == 2);
        collector.killed("shop", "p").get();
        write(unmarked, "after\n");
        await().until(() -> store.lines.size() == 3);
        write(marked, "after that\n");
        await().until(() -> store.lines.size() == 4);
        endpoint.onAttempt("i1", "X9", "X9/main", 1, "p");
        write(unmarked, "the next one\n");
        await().until(() -> store.lines.size() == 5);
        assertThat(store.lines).extracting(LogStore.Line::text, LogStore.Line::executionId, LogStore.Line::process).containsExactly(
                tuple("before", "X8", "p"), tuple("another's", "X7", "p"), tuple("after", "X7", null), tuple("after that", "X8", null),
                tuple("the next one", "X9", "p"));
        unmarked.close();
        marked.close();
    }

    @Test
    void streamsAndLevelsAreToldApart() throws Exception {
        process("2 i1\nplain\n{\"level\":\"info\",\"message\":\"m\",\"x\":[1]}\n{\"level\":3}\n{broken\n").close();
        process("1 w1\nimporting\n").close();
        process("1 sABC\nstarting\n").close();
        await().until(() -> store.lines.size() == 6);
        assertThat(store.lines).extracting(LogStore.Line::stream, LogStore.Line::level, LogStore.Line::grain).contains(
                tuple("stderr", null, "resize"), tuple("stderr", "info", "resize"), tuple("platform", null, "resize"),
                tuple("platform", null, null));
    }

    @Test
    void anAttemptsOutputIsBoundedOverBothStreamsAndTheNextAttemptStartsAnew() throws Exception {
        SocketChannel out = process("1 i1\n\u001eX1 X1/a 1\n");
        SocketChannel err = process("2 i1\n\u001eX1 X1/a 1\n");
        write(out, "0123456789012345678\n".repeat(4));
        await().until(() -> store.lines.size() == 4);
        write(err, "0123456789012345678\n".repeat(1000));
        await().until(() -> store.lines.size() == 6);
        assertThat(store.lines.getLast().text()).startsWith("truncated").contains("100 bytes");
        write(out, "\u001eX2 X2/a 1\nfresh\n");
        await().until(() -> store.lines.size() == 7);
        assertThat(store.lines.getLast().text()).isEqualTo("fresh");
        out.close();
        err.close();
    }

    /** With a pause after each 250 lines, as many as a socket takes, this would take minutes. */
    @Test
    void whoeverWritesManyLinesIsNotHeldUpByThePauseBetweenRounds() throws Exception {
        LogCollector patient = new LogCollector(store, new LogConfiguration(100, 40, 3, Duration.ofMillis(250)), () -> 1234);
        Path socket = directory.resolve("patient.sock");
        LogEndpoint other = patient.open(socket);
        other.bind(new AppKey("shop", 3), Masks.NONE);
        other.onInstances("resize", List.of("i1"));
        SocketChannel out = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                write(out, "1 i1\n\u001eX1 X1/a 1\n");
                for (int i = 0; i < 300_000; i++) {
                    write(out, "0123456789012345678\n");
                }
                write(out, "\u001eX2 X2/a 1\nfresh\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        await().atMost(Duration.ofSeconds(60)).until(() -> !writer.isAlive());
        out.close();
        await().until(() -> store.lines.size() == 7);
        assertThat(store.lines.getLast().text()).isEqualTo("fresh");
        other.close();
        patient.close();
        Files.delete(socket);
    }

    @Test
    void aLongLineIsCut() throws Exception {
        process("1 i1\n" + "x".repeat(100_000) + "\nnext\n").close();
        await().until(() -> store.lines.size() == 2);
        assertThat(store.lines.getFirst().text()).isEqualTo("x".repeat(40));
        assertThat(store.lines.getLast().text()).isEqualTo("next");
    }

    @Test
    void aSecretThatIsCutInTwoIsMaskedAndWhatIsNotItsBeginningStays() throws Exception {
        String secret = "canary-8Kq2vWz-é€";
        String large = IntStream.range(0, 900).mapToObj(Integer::toString).collect(Collectors.joining("-"));
        endpoint.mask(Masks.of(List.of(secret, large)));
        String[] written = {"x".repeat(39) + secret + "\n", "x".repeat(24) + secret + "yyy\n", "x".repeat(30) + "canary-8Kq and another\n",
            "x".repeat(20) + large + "\n", "x".repeat(38) + "€\n", "it is canary-8Kq"};
        for (int i = 0; i < written.length; i++) {
            process("1 i1\n\u001eX1 X1/a " + i + "\n" + written[i]).close();
            int lines = i + 1;
            await().until(() -> store.lines.size() == lines);
        }
        assertThat(store.lines).extracting(LogStore.Line::text).containsExactly("x".repeat(39) + "***", "x".repeat(24) + "***",
                "x".repeat(30) + "canary-8Kq", "x".repeat(20) + "***", "x".repeat(38), "it is ***");
    }

    @Test
    void aSecretThatIsWrittenInPiecesIsMasked() throws Exception {
        SocketChannel out = process("1 i1\nit is hun");
        SocketChannel other = process("1 i2\nbetween\n");
        await().until(() -> store.lines.size() == 1);
        write(out, "ter2\n");
        await().until(() -> store.lines.size() == 2);
        assertThat(store.lines.getLast().text()).isEqualTo("it is ***");
        out.close();
        other.close();
    }

    @Test
    void secretsAreMasked() throws Exception {
        process("1 i1\nthe password is hunter2, abc\n").close();
        await().until(() -> store.lines.size() == 1);
        assertThat(store.lines.getFirst().text()).isEqualTo("the password is ***, abc");
    }

    @Test
    void connectionsOverTheLimitWaitForRoom() throws Exception {
        List<SocketChannel> first = List.of(process("1 i1\n"), process("1 i1\n"), process("1 i1\n"));
        SocketChannel fourth = process("1 i2\nlate\n");
        write(first.getFirst(), "now\n");
        await().until(() -> store.lines.size() == 1);
        first.getFirst().close();
        await().until(() -> store.lines.size() == 2);
        assertThat(store.lines.getLast().text()).isEqualTo("late");
        fourth.close();
        first.get(1).close();
        first.get(2).close();
    }

    @Test
    void aStoreThatFailsLosesLinesAndNothingElse() throws Exception {
        store.failing = true;
        SocketChannel out = process("1 i1\nlost\n");
        await().until(() -> store.failures > 0);
        store.failing = false;
        write(out, "kept\n");
        await().until(() -> store.lines.size() == 1);
        out.close();
    }

    private SocketChannel process(String text) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("log.sock")));
        write(channel, text);
        return channel;
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** What is appended, in memory. */
    private static final class KeptLines implements LogStore {
        final List<Line> lines = new CopyOnWriteArrayList<>();
        volatile boolean failing;
        volatile int failures;

        @Override
        public void append(List<Line> more) {
            if (failing) {
                failures++;
                throw new IllegalStateException("disk full");
            }
            lines.addAll(List.copyOf(more));
        }

        @Override
        public Page after(String application, Which which, long afterSequence, int limit) {
            return new Page(lines, 0, false);
        }

        @Override
        public Page before(String application, Which which, long beforeSequence, int limit) {
            return new Page(lines, 0, false);
        }

        @Override
        public void deleteApplication(String application) {}

        @Override
        public void deleteProcess(String application, String process) {}

        @Override
        public void close() {}
    }
}
