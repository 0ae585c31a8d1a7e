package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.LogStore.Page;
import dev.sand.datalayer.LogStore.Which;
import dev.sand.datalayer.LogStore.Words;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
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
            for (Line line : logs.after("app", new Which(null, null), after, 7).lines()) {
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
        assertThat(few.last("app", Which.ALL, 1).lines().getFirst().text()).isEqualTo("119");
    }

    @Test
    void olderLinesAreReadPageByPageBackToTheFirstThatIsKept() {
        for (int i = 0; i < 10; i++) {
            logs.append(List.of(line("app", "g", "e" + i % 2, "" + i), line("other", "g", "e0", "x")));
        }
        Page page = logs.last("app", Which.ALL, 4);
        assertThat(texts(page.lines())).containsExactly("6", "7", "8", "9");
        assertThat(page.more()).isTrue();
        page = logs.before("app", Which.ALL, page.cursor(), 4);
        assertThat(texts(page.lines())).containsExactly("2", "3", "4", "5");
        page = logs.before("app", Which.ALL, page.cursor(), 2);
        assertThat(texts(page.lines())).containsExactly("0", "1");
        assertThat(page.more()).as("it is known, though the page is full").isFalse();
        page = logs.before("app", new Which("e1", null), logs.last("app", Which.ALL, 1).cursor(), 3);
        assertThat(texts(page.lines())).containsExactly("3", "5", "7");
        assertThat(texts(logs.before("app", new Which("e1", null), page.cursor(), 3).lines())).containsExactly("1");
        page = logs.after("app", Which.ALL, 0, 4);
        assertThat(page.more()).isTrue();
        page = logs.after("app", Which.ALL, page.cursor(), 6);
        assertThat(texts(page.lines())).containsExactly("4", "5", "6", "7", "8", "9");
        assertThat(page.more()).isFalse();
    }

    @Test
    void linesAreSelectedByWhatTheySay() {
        logs.append(List.of(said("stdout", null, "Bought PEARS"), said("stderr", null, "pears are out"), said("stdout", "debug", "pear 1"),
                said("stdout", "WARN", "apple"), said("platform", null, "went"), said("stdout", "odd", "plum")));
        assertThat(texts(of(new Words("PeaR", null, null)))).containsExactly("Bought PEARS", "pears are out", "pear 1");
        assertThat(texts(of(new Words(null, LogLevel.INFO, null)))).hasSize(5).doesNotContain("pear 1");
        assertThat(texts(of(new Words(null, LogLevel.WARNING, null)))).containsExactly("pears are out", "apple");
        assertThat(texts(of(new Words(null, null, Set.of("stderr", "platform"))))).containsExactly("pears are out", "went");
        assertThat(texts(of(new Words("p", LogLevel.INFO, Set.of("stdout"))))).containsExactly("Bought PEARS", "apple", "plum");
    }

    private List<Line> of(Words words) {
        List<Line> found = logs.last("app", new Which(null, null, null, words), 10).lines();
        assertThat(logs.after("app", new Which(null, null, null, words), 0, 10).lines()).isEqualTo(found);
        return found;
    }

    @Test
    void whoLooksForWhatIsRareLooksAtABoundedNumberOfLinesAtOnce() {
        assumeThat(kind).isNotEqualTo(LogKind.IN_CASSANDRA);
        Which rare = new Which(null, null, null, new Words("needle", null, null));
        try (LogStore large = store == null ? new SqliteLogStore(directory.resolve("large.db"), 1 << 24) : new GlobalLogStore(store, 1 << 24)) {
            large.append(List.of(line("app", "g", "e", "needle 1")));
            for (int i = 0; i < LogStore.MOST_LOOKED_AT; i += 1000) {
                large.append(Collections.nCopies(1000, line("app", "g", "e", "hay")));
            }
            large.append(List.of(line("app", "g", "e", "needle 2")));
            Page page = large.last("app", rare, 10);
            assertThat(texts(page.lines())).containsExactly("needle 2");
            assertThat(page.more()).isTrue();
            page = large.before("app", rare, page.cursor(), 10);
            assertThat(texts(page.lines())).containsExactly("needle 1");
            assertThat(page.more()).isFalse();
            page = large.after("app", rare, large.after("app", rare, 0, 10).cursor(), 10);
            assertThat(texts(page.lines())).containsExactly("needle 2");
            assertThat(large.after("app", rare, page.cursor(), 10)).isEqualTo(new Page(List.of(), page.cursor(), false));
        }
    }

    @Test
    void whoHasSeenAllSeesWhatComesThenAlone() {
        logs.append(List.of(line("app", "g", "e", "1"), line("app", "h", "e", "2")));
        Page page = logs.after("app", new Which(null, "g"), 0, 10);
        assertThat(texts(page.lines())).containsExactly("1");
        assertThat(logs.after("app", new Which(null, "g"), page.cursor(), 10).lines()).isEmpty();
        logs.append(List.of(line("app", "g", "e", "3"), line("app", "g", "e", "4")));
        page = logs.after("app", new Which(null, "g"), page.cursor(), 1);
        assertThat(texts(page.lines())).containsExactly("3");
        assertThat(texts(logs.after("app", new Which(null, "g"), page.cursor(), 10).lines())).containsExactly("4");
        assertThat(texts(logs.before("app", Which.ALL, logs.after("app", Which.ALL, 0, 10).cursor() + 1, 2).lines())).containsExactly("3", "4");
    }

    @Test
    void linesComeBackAsTheyWere() {
        Line line = new Line(0, 1234, "app", 2, "g", "e1", "e1/Root", 3, "stdout", "WARN", "héllo\0\uD83D\uDE00 \u001B[0m");
        Line bare = new Line(0, 5, "app", 1, null, null, null, 0, "platform", null, "");
        logs.append(List.of(line, bare));
        assertThat(logs.after("app", new Which(null, null), 0, 10).lines()).usingRecursiveFieldByFieldElementComparatorIgnoringFields("sequence")
                .containsExactly(line, bare);
    }

    @Test
    void linesAreSelectedByExecutionAndGrainAndFollowed() {
        logs.append(List.of(line("app", "g", "e1", "1"), line("app", "h", "e1", "2"), line("app", "g", "e2", "3"),
                line("other", "g", "e1", "4"), line("app", "g", "e1", "5")));
        assertThat(texts(logs.after("app", new Which("e1", null), 0, 10).lines())).containsExactly("1", "2", "5");
        assertThat(texts(logs.after("app", new Which(null, "g"), 0, 10).lines())).containsExactly("1", "3", "5");
        assertThat(texts(logs.after("app", new Which("e1", "g"), 0, 1).lines())).containsExactly("1");
        assertThat(texts(logs.last("app", new Which(null, null), 2).lines())).containsExactly("3", "5");
        assertThat(texts(logs.last("app", new Which("e1", "h"), 2).lines())).containsExactly("2");
        long last = logs.last("app", new Which(null, null), 1).lines().getFirst().sequence();
        assertThat(logs.after("app", new Which(null, null), last, 10).lines()).isEmpty();
        logs.append(List.of(line("app", "g", "e3", "6")));
        assertThat(texts(logs.after("app", new Which(null, null), last, 10).lines())).containsExactly("6");
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
        List<Line> kept = logs.after("loud", new Which(null, null), 0, 1000).lines();
        assertThat(kept).as("a tenth more than needed goes, by whole batches").hasSizeBetween(80, 100);
        assertThat(kept.getLast().text()).startsWith("499x");
        assertThat(texts(logs.after("quiet", new Which(null, null), 0, 10).lines())).containsExactly("kept");
        logs.close();
        open();
        logs.append(List.of(line("loud", "g", "e", "y".repeat(60_000))));
        assertThat(logs.after("loud", new Which(null, null), 0, 1000).lines()).as("the bound holds after a restart").hasSizeLessThan(45);
    }

    @Test
    void anApplicationsLinesGoWithIt() {
        logs.append(List.of(line("app", "g", "e", "1"), line("other", "g", "e", "2")));
        logs.deleteApplication("app");
        assertThat(logs.after("app", new Which(null, null), 0, 10).lines()).isEmpty();
        assertThat(logs.after("other", new Which(null, null), 0, 10).lines()).hasSize(1);
    }

    @Test
    void aProcesssLinesAreFoundUnderItsNameUntilItIsKilled() {
        logs.append(List.of(inProcess("p", "1"), inProcess("q", "2"), line("app", "g", "e", "3")));
        logs.append(List.of(inProcess("p", "4")));
        Which ofP = new Which(null, null, "p");
        assertThat(texts(logs.after("app", ofP, 0, 10).lines())).containsExactly("1", "4");
        assertThat(texts(logs.last("app", ofP, 1).lines())).containsExactly("4");
        assertThat(logs.last("app", ofP, 1).lines().getFirst().process()).isEqualTo("p");
        long first = logs.after("app", ofP, 0, 1).lines().getFirst().sequence();
        assertThat(texts(logs.after("app", ofP, first, 10).lines())).containsExactly("4");
        logs.deleteProcess("app", "p");
        assertThat(logs.after("app", ofP, 0, 10).lines()).isEmpty();
        assertThat(logs.last("app", ofP, 10).lines()).isEmpty();
        assertThat(texts(logs.last("app", new Which(null, null, "q"), 10).lines())).containsExactly("2");
        assertThat(texts(logs.last("app", Which.ALL, 10).lines())).as("of its invocations they are still").containsExactly("1", "2", "3", "4");
        logs.append(List.of(inProcess("p", "5")));
        assertThat(texts(logs.after("app", ofP, 0, 10).lines())).as("another of its name").containsExactly("5");
        assertThat(texts(logs.last("app", ofP, 10).lines())).containsExactly("5");
    }

    private static Line said(String stream, String level, String text) {
        return new Line(0, 1, "app", 1, "g", "e", "e/Root", 1, stream, level, text);
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
