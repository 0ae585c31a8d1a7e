package dev.sand.workflow.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemFormat.Spread;
import dev.sand.workflow.objects.ItemFormat.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Items are read a chunk at a time, whatever falls on the end of one, and always of the same version. */
class ItemReadingTest {
    private static final int MANY = 20_000;

    private static final class Memory implements ApplicationObjects {
        private final Map<String, byte[]> contents = new TreeMap<>();
        private long version = 1;
        private int largestRead;

        @Override
        public Info info(String key) {
            byte[] content = contents.get(key);
            return content == null ? null : new Info(version, content.length, null);
        }

        @Override
        public byte[] read(String key, long expected, long offset, int length) throws IOException {
            if (expected != version) {
                throw new IOException("at another version");
            }
            largestRead = Math.max(largestRead, length);
            byte[] content = contents.get(key);
            return Arrays.copyOfRange(content, (int) offset, (int) Math.min(content.length, offset + length));
        }

        @Override
        public List<String> keys(String prefix, String after, int limit) {
            return contents.keySet().stream().filter(key -> key.startsWith(prefix) && (after == null || key.compareTo(after) > 0))
                    .limit(limit).toList();
        }

        @Override
        public void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) {
            throw new UnsupportedOperationException();
        }
    }

    private final Memory memory = new Memory();
    private final ItemReading reading = new ItemReading(memory);
    private int chunks;

    private ItemSource object(String text, Type type, String pointer) {
        memory.contents.put("b/k", text.getBytes(StandardCharsets.UTF_8));
        return new ItemSource("b", "k", new ItemFormat(type, ',', null, JsonPointer.compile(pointer)));
    }

    private ItemChunk next(ItemSource source, ItemChunk last) throws IOException {
        ObjectCall.Read call = last == null ? new ObjectCall.Read(source, 0, 0, null, null, Integer.MAX_VALUE)
                : new ObjectCall.Read(source, last.version(), last.offset(), last.headers(), last.after(), Integer.MAX_VALUE);
        // As the journal has it.
        return ItemChunk.of(Json.read(Json.bytes(reading.perform(call))));
    }

    private List<JsonNode> all(ItemSource source) throws IOException {
        List<JsonNode> items = new ArrayList<>();
        ItemChunk chunk = null;
        do {
            chunk = next(source, chunk);
            items.addAll(chunk.items());
            chunks++;
            assertThat(chunk.items().size()).isLessThanOrEqualTo(WorkflowLimits.CHUNK_ITEMS);
        } while (!chunk.isLast());
        return items;
    }

    @Test
    void anArrayOfThousandsIsReadInPiecesWhateverStandsBetweenItsElements() throws IOException {
        StringBuilder text = new StringBuilder(" [");
        IntStream.range(0, MANY).forEach(i -> text.append(i == 0 ? "" : i % 3 == 0 ? " ,\n " : ",")
                .append("{\"n\":").append(i).append(",\"é]\":\"").append("[,\\\"".repeat(i % 5)).append("\"}"));
        List<JsonNode> items = all(object(text.append("\n]").toString(), Type.JSON, ""));
        assertThat(items.stream().map(item -> item.get("n").intValue())).isEqualTo(IntStream.range(0, MANY).boxed().toList());
        assertThat(chunks).isGreaterThan(MANY / WorkflowLimits.CHUNK_ITEMS - 1);
        assertThat(memory.largestRead).isLessThan(text.length() / 4);
    }

    @Test
    void membersOfAnObjectBelowAPointerAreReadInPieces() throws IOException {
        StringBuilder text = new StringBuilder("{\"before\":[{\"deep\":[1,2]}],\"all\":{");
        IntStream.range(0, 5_000).forEach(i -> text.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":").append(i));
        ItemSource source = object(text.append("},\"after\":true}").toString(), Type.JSON, "/all");
        ItemChunk first = next(source, null);
        ItemChunk second = next(source, first);
        assertThat(first.keys().getFirst()).isEqualTo("k0");
        assertThat(second.keys().getFirst()).isEqualTo("k" + first.keys().size());
        assertThat(all(source)).hasSize(5_000).last().isEqualTo(Json.NODES.numberNode(4_999));
    }

    @Test
    void linesThatAreNotInUtf8FailAndAreNotReadOtherwise() {
        ItemSource lines = object("", Type.JSONL, "");
        memory.contents.put("b/k", new byte[] {'"', 'a', '"', '\n', '"', (byte) 0xE9, '"', '\n'}); // Latin 1
        assertThatThrownBy(() -> all(lines)).isInstanceOf(ItemFault.class)
                .hasMessage("The object b/k cannot be read as JSONL: it is not in UTF-8");
        memory.contents.put("b/k", "{\"a\": 1}\n".getBytes(StandardCharsets.UTF_16));
        assertThatThrownBy(() -> all(lines)).isInstanceOf(ItemFault.class);
    }

    @Test
    void noMoreIsAnArrayThatIsNotInUtf8() {
        ItemSource array = object("", Type.JSON, "");
        for (byte[] content : List.of(new byte[] {'[', '"', (byte) 0xE9, '"', ']'}, "[1]".getBytes(StandardCharsets.UTF_16),
                "[1, 2]".getBytes(StandardCharsets.UTF_16LE))) {
            memory.contents.put("b/k", content);
            assertThatThrownBy(() -> all(array)).isInstanceOf(ItemFault.class)
                    .hasMessage("The object b/k cannot be read as JSON: it is not in UTF-8");
        }
    }

    @Test
    void rowsAndLinesAreReadInPieces() throws IOException {
        StringBuilder rows = new StringBuilder("n,text\r\n");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < MANY; i++) {
            rows.append(i).append(i % 2 == 0 ? ",plain\r\n" : ",\"two\r\nlines, \"\"quoted\"\"\"\n");
            lines.append("{\"n\": \"").append(i).append("\"}\n\n");
        }
        List<String> numbers = IntStream.range(0, MANY).mapToObj(Integer::toString).toList();
        List<JsonNode> read = all(object(rows.toString(), Type.CSV, ""));
        assertThat(read.stream().map(item -> item.get("n").textValue())).isEqualTo(numbers);
        assertThat(read.get(MANY - 1).get("text").textValue()).isEqualTo("two\r\nlines, \"quoted\"");
        assertThat(all(object(lines.toString(), Type.JSONL, "")).stream().map(item -> item.get("n").textValue())).isEqualTo(numbers);
    }

    @Test
    void anObjectThatIsReplacedBetweenTwoChunksIsNotReadOn() throws IOException {
        ItemSource source = object("1\n".repeat(3_000), Type.JSONL, "");
        ItemChunk first = next(source, null);
        memory.version = 2;
        assertThatThrownBy(() -> next(source, first)).isInstanceOf(ItemFault.class).hasMessageContaining("replaced");
    }

    @Test
    void anItemWithoutAnEndIsRefusedBeforeItFillsTheMemory() {
        ItemSource json = object("[\"" + "x".repeat(WorkflowLimits.ITEM_BYTES + 1_000_000) + "\"]", Type.JSON, "");
        assertThatThrownBy(() -> next(json, null)).isInstanceOf(ItemFault.class).hasMessageContaining("larger than");
        ItemSource csv = object("a\n\"" + "x".repeat(WorkflowLimits.ITEM_BYTES + 1_000_000), Type.CSV, "");
        assertThatThrownBy(() -> next(csv, null)).isInstanceOf(ItemFault.class).hasMessageContaining("larger than");
    }

    @Test
    void whatStandsBeforeThePointerMayBeOfAnySize() throws IOException {
        String before = "[" + "\"0123456789\",".repeat(1_000_000) + "0]";
        assertThat(all(object("{\"before\":" + before + ",\"items\":[1,2]}", Type.JSON, "/items"))).hasSize(2);
    }

    @Test
    void headersThatAreTooLongAreRefused() {
        ItemSource source = object("h".repeat(WorkflowLimits.CSV_HEADER_BYTES) + "\n1\n", Type.CSV, "");
        assertThatThrownBy(() -> next(source, null)).isInstanceOf(ItemFault.class).hasMessageContaining("headers");
    }

    @Test
    void objectsAreListedInPieces() throws IOException {
        IntStream.range(0, 600).forEach(i -> memory.contents.put("b/in/" + String.format("%04d", i), new byte[i]));
        memory.contents.put("b/other", new byte[1]);
        List<JsonNode> items = all(new ItemSource("b", "in/", null));
        assertThat(items).hasSize(600);
        assertThat(items.get(599).get("Key").textValue()).isEqualTo("in/0599");
        assertThat(items.get(599).get("Size").intValue()).isEqualTo(599);
        assertThat(chunks).isEqualTo(3);
    }

    private static byte[] packed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Test
    void objectsThatAreListedAreReadInPiecesOneAfterTheOther() throws IOException {
        memory.contents.put("b/in/1.jsonl", lines(0, MANY).getBytes(StandardCharsets.UTF_8));
        memory.contents.put("b/in/2.jsonl", new byte[0]);
        memory.contents.put("b/in/3.jsonl.gz", packed(lines(MANY, 2 * MANY)));
        memory.contents.put("b/out/4.jsonl", lines(0, 1).getBytes(StandardCharsets.UTF_8));
        List<JsonNode> items = all(new ItemSource("b", "in/", new ItemFormat(Type.JSONL, ',', null, JsonPointer.empty(), Spread.LISTED)));
        assertThat(items.stream().map(JsonNode::intValue)).isEqualTo(IntStream.range(0, 2 * MANY).boxed().toList());
        assertThat(chunks).isGreaterThan(2 * MANY / WorkflowLimits.CHUNK_ITEMS - 1);
    }

    private static String lines(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> n + "\n").collect(Collectors.joining());
    }

    @Test
    void theFilesOfAnInventoryAreUnpacked() throws IOException {
        memory.contents.put("b/m.json", ("{\"destinationBucket\":\"arn:aws:s3:::d\",\"fileFormat\":\"CSV\",\"fileSchema\":\"Bucket, Key\","
                + "\"files\":[{\"key\":\"1.csv.gz\"},{\"key\":\"1.csv.gz\"}]}").getBytes(StandardCharsets.UTF_8));
        memory.contents.put("d/1.csv.gz", packed("\"s\",\"a\"\n\"s\",\"b\"\n"));
        ItemSource source = new ItemSource("b", "m.json", new ItemFormat(Type.CSV, ',', null, JsonPointer.empty(), Spread.INVENTORY));
        assertThat(all(source).stream().map(item -> item.get("Key").textValue())).containsExactly("a", "b", "a", "b");
        assertThat(next(source, null).source()).isEqualTo("s3://d/1.csv.gz");
        memory.contents.put("d/1.csv.gz", new byte[] {1, 2, 3});
        assertThatThrownBy(() -> all(source)).isInstanceOf(ItemFault.class).hasMessageContaining("cannot be unpacked");
        memory.contents.put("d/1.csv.gz", packed("x".repeat(WorkflowLimits.UNPACKED_BYTES + 1)));
        assertThatThrownBy(() -> all(source)).isInstanceOf(ItemFault.class).hasMessageContaining("when it is unpacked");
    }
}
