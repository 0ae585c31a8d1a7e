package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.LogStore.Which;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What every log store does. */
@Tag("slow")
@ParameterizedClass
@EnumSource(LogStoreTest.LogKind.class)
class LogStoreTest {
    private static final int BYTES = 100_000;

    enum LogKind { FILE, IN_MEMORY, IN_SQLITE, IN_CASSANDRA }

    @Parameter
    LogKind kind;

    @TempDir
    Path directory;
    private GlobalStore store;
    private LogStore logs;

    @BeforeEach
    void openStore() {
        store = switch (kind) {
            case FILE -> null;
            case IN_MEMORY -> StoreKind.MEMORY.open();
            case IN_SQLITE -> StoreKind.SQLITE.open();
            case IN_CASSANDRA -> StoreKind.CASSANDRA.open();
        };
        open();
    }

    private void open() {
        logs = store == null ? new SqliteLogStore(directory.resolve("logs.db"), BYTES) : new GlobalLogStore(store, BYTES);
    }

    @AfterEach
    void close() {
        logs.close();
        if (store != null) {
            store.close();
        }
    }

    @Test
    void linesOfManyHostsAreFollowedWithoutAGap() {
        assumeThat(store).isNotNull();
        List<CompletableFuture<Void>> writing = new ArrayList<>();
        for (int host = 0; host < 3; host++) {
            LogStore own = new GlobalLogStore(store, 10 * BYTES);
            int number = host;
            writing.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 20; i++) {
                    own.append(List.of(line("app", "g" + number, "e", number + "-" + i), line("app", "g", "e", number + "+" + i)));
                }
            }));
        }
        List<String> seen = new ArrayList<>();
        long after = 0;
        boolean last = false;
        while (!last) {
            last = writing.stream().allMatch(CompletableFuture::isDone);
            for (Line line : logs.read("app", new Which(null, null), after, 7)) {
                seen.add(line.text());
                after = line.sequence();
                last = false;
            }
        }
        writing.forEach(CompletableFuture::join);
        assertThat(seen).hasSize(120).doesNotHaveDuplicates();
        assertThat(seen.stream().filter(text -> text.startsWith("1-")).toList())
                .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "1-" + i).toList());
    }

    @Test
    void manySmallBatchesAreBoundedToo() {
        assumeThat(store).isNotNull();
        LogStore few = new GlobalLogStore(store, BYTES, 50);
        for (int i = 0; i < 120; i++) {
            few.append(List.of(line("app", "g", "e", "" + i)));
        }
        assertThat(store.keys("logs", "app", "", null, 1000)).hasSizeBetween(44, 50);
        assertThat(few.tail("app", Which.ALL, 1).getFirst().text()).isEqualTo("119");
    }

    @Test
    void linesComeBackAsTheyWere() {
        Line line = new Line(0, 1234, "app", 2, "g", "e1", "e1/Root", 3, "stdout", "WARN", "héllo\0\uD83D\uDE00 \u001B[0m");
        Line bare = new Line(0, 5, "app", 1, null, null, null, 0, "platform", null, "");
        logs.append(List.of(line, bare));
        assertThat(logs.read("app", new Which(null, null), 0, 10)).usingRecursiveFieldByFieldElementComparatorIgnoringFields("sequence")
                .containsExactly(line, bare);
    }

    @Test
    void linesAreSelectedByExecutionAndGrainAndFollowed() {
        logs.append(List.of(line("app", "g", "e1", "1"), line("app", "h", "e1", "2"), line("app", "g", "e2", "3"),
                line("other", "g", "e1", "4"), line("app", "g", "e1", "5")));
        assertThat(texts(logs.read("app", new Which("e1", null), 0, 10))).containsExactly("1", "2", "5");
        assertThat(texts(logs.read("app", new Which(null, "g"), 0, 10))).containsExactly("1", "3", "5");
        assertThat(texts(logs.read("app", new Which("e1", "g"), 0, 1))).containsExactly("1");
        assertThat(texts(logs.tail("app", new Which(null, null), 2))).containsExactly("3", "5");
        assertThat(texts(logs.tail("app", new Which("e1", "h"), 2))).containsExactly("2");
        long last = logs.tail("app", new Which(null, null), 1).getFirst().sequence();
        assertThat(logs.read("app", new Which(null, null), last, 10)).isEmpty();
        logs.append(List.of(line("app", "g", "e3", "6")));
        assertThat(texts(logs.read("app", new Which(null, null), last, 10))).containsExactly("6");
    }

    @Test
    void theOldestLinesOfAnApplicationGoFirstAndNobodyElses() {
        logs.append(List.of(line("quiet", "g", "e", "kept")));
        for (int batch = 0; batch < 50; batch++) {
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                lines.add(line("loud", "g", "e", batch * 10 + i + "x".repeat(850)));
            }
            logs.append(lines);
        }
        List<Line> kept = logs.read("loud", new Which(null, null), 0, 1000);
        assertThat(kept).as("a tenth more than needed goes, by whole batches").hasSizeBetween(80, 100);
        assertThat(kept.getLast().text()).startsWith("499x");
        assertThat(texts(logs.read("quiet", new Which(null, null), 0, 10))).containsExactly("kept");
        logs.close();
        open();
        logs.append(List.of(line("loud", "g", "e", "y".repeat(60_000))));
        assertThat(logs.read("loud", new Which(null, null), 0, 1000)).as("the bound holds after a restart").hasSizeLessThan(45);
    }

    @Test
    void anApplicationsLinesGoWithIt() {
        logs.append(List.of(line("app", "g", "e", "1"), line("other", "g", "e", "2")));
        logs.deleteApplication("app");
        assertThat(logs.read("app", new Which(null, null), 0, 10)).isEmpty();
        assertThat(logs.read("other", new Which(null, null), 0, 10)).hasSize(1);
    }

    @Test
    void aProcesssLinesAreFoundUnderItsNameUntilItIsKilled() {
        logs.append(List.of(inProcess("p", "1"), inProcess("q", "2"), line("app", "g", "e", "3")));
        logs.append(List.of(inProcess("p", "4")));
        Which ofP = new Which(null, null, "p");
        assertThat(texts(logs.read("app", ofP, 0, 10))).containsExactly("1", "4");
        assertThat(texts(logs.tail("app", ofP, 1))).containsExactly("4");
        assertThat(logs.tail("app", ofP, 1).getFirst().process()).isEqualTo("p");
        long first = logs.read("app", ofP, 0, 1).getFirst().sequence();
        assertThat(texts(logs.read("app", ofP, first, 10))).containsExactly("4");
        logs.deleteProcess("app", "p");
        assertThat(logs.read("app", ofP, 0, 10)).isEmpty();
        assertThat(logs.tail("app", ofP, 10)).isEmpty();
        assertThat(texts(logs.tail("app", new Which(null, null, "q"), 10))).containsExactly("2");
        assertThat(texts(logs.tail("app", Which.ALL, 10))).as("of its invocations they are still").containsExactly("1", "2", "3", "4");
        logs.append(List.of(inProcess("p", "5")));
        assertThat(texts(logs.read("app", ofP, 0, 10))).as("another of its name").containsExactly("5");
        assertThat(texts(logs.tail("app", ofP, 10))).containsExactly("5");
    }

    private static Line inProcess(String process, String text) {
        return new Line(0, 1, "app", 1, "g", "e", "e/Root", 1, "stdout", null, text, process);
    }

    private static Line line(String application, String grain, String execution, String text) {
        return new Line(0, 1, application, 1, grain, execution, execution + "/Root", 1, "stdout", null, text);
    }

    private static List<String> texts(List<Line> lines) {
        return lines.stream().map(Line::text).toList();
    }
}
