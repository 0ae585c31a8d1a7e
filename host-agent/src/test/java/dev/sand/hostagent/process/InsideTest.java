package dev.sand.hostagent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessContents.Entry;
import dev.sand.event.ProcessContents.Unread;
import dev.sand.event.ProcessLook.Part;
import dev.sand.event.ProcessLook;
import dev.sand.event.ProcessSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What somebody sees who looks into a process: what is there for all, page by page, and nothing moves. */
class InsideTest {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 1 << 20, 1_000, 5_000, Map.of());
    private static final Attempt RUNS = new Attempt("e", 1);
    private final CloudProcess process = new CloudProcess("p", SPEC);

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private void write(String key, Payload value) {
        Attempt attempt = new Attempt("w/" + key, 1);
        process.write(attempt, List.of(new StateWrite(key, value)));
        process.settle(process.finish(attempt, List.of()));
    }

    private void send(int ordinal, String key) {
        process.offer(new Change.Arrived("sender", ordinal, "q", key, json(Integer.toString(ordinal))), 0);
    }

    private ProcessContents page(Part part, String at, int limit) {
        return Inside.page(process, new ProcessLook(part, at, limit));
    }

    private Payload value(Part part, String at) {
        return Inside.value(process, ProcessLook.value(part, at));
    }

    @Test
    void stateIsToldPageByPageInTheOrderOfItsKeys() {
        List.of("c", "a", "b").forEach(key -> write(key, json("1")));
        process.write(RUNS, List.of(new StateWrite("own", json("2"))));
        ProcessContents first = page(Part.STATE, null, 2);
        assertThat(first.state()).extracting(Entry::key).containsExactly("a", "b");
        assertThat(first.next()).isEqualTo("b");
        ProcessContents last = page(Part.STATE, "b", 2);
        assertThat(last.state()).containsExactly(new Entry("c", Payload.JSON, 1, true));
        assertThat(last.next()).isNull();
        assertThat(value(Part.VALUE, "own")).isNull();
        assertThat(new String(value(Part.VALUE, "a").bytes(), StandardCharsets.UTF_8)).isEqualTo("1");
    }

    @Test
    void messagesAreToldInTheOrderInWhichTheyCameWhoeverHasReceivedThem() {
        List.of("k", "invoke:g:1", "k", "l").forEach(key -> send(page(Part.MAILBOX, null, 10).messages().size(), key));
        process.receive(RUNS, null, "k");
        ProcessContents first = page(Part.MAILBOX, null, 3);
        assertThat(first.messages()).extracting(Unread::key).containsExactly("k", "invoke:g:1", "k");
        assertThat(first.messages()).extracting(Unread::received).containsExactly(true, false, false);
        assertThat(page(Part.MAILBOX, first.next(), 3).messages()).extracting(Unread::key).containsExactly("l");
        long received = first.messages().getFirst().number();
        assertThat(value(Part.MESSAGE, Long.toString(received)).bytes()).isEqualTo(new byte[] {'0'});
        assertThat(value(Part.MESSAGE, "99")).isNull();
        process.abandon(RUNS);
        assertThat(page(Part.MAILBOX, null, 3).messages()).extracting(Unread::received).containsOnly(false);
        assertThat(process.receive(RUNS, null, "k").order()).isEqualTo(received);
    }

    @Test
    void aPageOfLongNamesHasFewerAndTheNextOneGoesOn() {
        List<String> keys = IntStream.range(0, 300).mapToObj(n -> "k".repeat(1_000) + String.format("%03d", n)).toList();
        keys.forEach(key -> write(key, json("1")));
        ProcessContents page = page(Part.STATE, null, 1_000);
        int count = page.state().size();
        assertThat(count).isBetween(1, 299);
        assertThat(page.next()).isEqualTo(keys.get(count - 1));
        assertThat(page(Part.STATE, page.next(), 1_000).state().getFirst().key()).isEqualTo(keys.get(count));
    }

    @Test
    void whatHasLeftMemoryIsToldAndIsNotUsedByThat() {
        List.of("a", "b").forEach(key -> write(key, new Payload(Payload.OCTETS, new byte[600 << 10], null)));
        process.imaged(process.image(new ProcessImage.About(0, 1, 0, 0, null, ProcessImage.Counts.NONE), 0));
        value(Part.VALUE, "a");
        assertThat(process.evict()).hasSize(1);
        assertThat(page(Part.STATE, null, 10).state()).extracting(Entry::inMemory).containsExactly(false, true);
        assertThat(InImage.is(value(Part.VALUE, "a"))).isTrue();
    }
}
