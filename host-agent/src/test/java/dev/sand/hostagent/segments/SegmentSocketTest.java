package dev.sand.hostagent.segments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Large values between real processes: mapped and not copied, readable and not writable, one application's own. */
@Tag("slow")
class SegmentSocketTest {
    private static final String EXECUTION = "01JD3Q8Z9X7N4T2M6K5R1H0GWY";
    private static final String EVENT = EXECUTION + "/Root";
    private static final int NOBODY = 65534;

    private static final int MAX_CONNECTIONS = 256;
    private final MemfdSegments segments = new MemfdSegments(new MemfdSegments.Options(200L << 20, 400L << 20, 1L << 30, MAX_CONNECTIONS));
    private Path directory;
    private SegmentServer.Endpoint endpoint;
    private PythonClient writer;
    private PythonClient reader;

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory(Path.of("/tmp"), "sand-");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        endpoint = segments.open(directory);
        Files.setPosixFilePermissions(directory.resolve("data.sock"), PosixFilePermissions.fromString("rw-rw-rw-"));
        writer = new PythonClient(directory);
        reader = new PythonClient(directory);
    }

    @AfterEach
    void close() throws Exception {
        writer.close();
        reader.close();
        endpoint.close();
        segments.close();
        Files.deleteIfExists(directory);
    }

    @Test
    void aHundredMebibytesPassBetweenProcessesMappedAndNotCopied() throws IOException {
        endpoint.bind("app");
        JsonNode written = writer.call("write", EVENT, 100);
        assertThat(written.get("size").asLong()).isEqualTo(100L << 20);
        JsonNode read = reader.call("read", written.get("object").asText(), true);
        assertThat(read.get("size")).isEqualTo(written.get("size"));
        assertThat(read.get("hash")).isEqualTo(written.get("hash"));
        assertThat(read.get("last")).isEqualTo(written.get("hash"));
        assertThat(read.get("inode")).as("the same memory").isEqualTo(written.get("inode"));
        assertThat(read.get("mapped").toString()).isEqualTo("[\"r--s\"]");
        assertThat(read.get("copied_kb").asInt()).as("pages that are a copy").isZero();
        assertThat(maps(reader.pid())).contains("memfd:sand");
    }

    @Test
    void aReaderCannotWriteAndNobodyCanResize() throws IOException {
        endpoint.bind("app");
        JsonNode written = writer.call("write", EVENT, 1);
        assertThat(written.get("grow").asText()).isEqualTo("EPERM");
        assertThat(written.get("shrink").asText()).isEqualTo("EPERM");
        JsonNode read = reader.call("read", written.get("object").asText(), false);
        assertThat(read.get("write").asText()).isEqualTo("EBADF");
        assertThat(read.get("map_writable").asText()).isEqualTo("EACCES");
    }

    @Test
    void anotherUserCannotOpenItAnewForWriting() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can become another user");
        endpoint.bind("app");
        JsonNode written = writer.call("write", EVENT, 1);
        reader.call("become", NOBODY);
        JsonNode read = reader.call("read", written.get("object").asText(), false);
        assertThat(read.get("hash")).isEqualTo(written.get("hash"));
        assertThat(read.get("reopen").asText()).isEqualTo("EACCES");
        assertThat(read.get("chmod").asText()).isEqualTo("EPERM");
    }

    @Test
    void anotherApplicationsObjectIsNotThere() throws IOException {
        endpoint.bind("app");
        String object = writer.call("write", EVENT, 1).get("object").asText();
        endpoint.bind("other");
        assertThat(reader.call("read", object, false).get("error").asText()).isEqualTo("Sand.NotFound");
        for (String trick : new String[] {"", "../app/" + object, "app/" + object, object + "\0", "%"}) {
            assertThat(reader.call("read", trick, false).get("error").asText()).isEqualTo("Sand.NotFound");
        }
        assertThatThrownBy(() -> segments.read("other", new Payload.Reference(object, 1))).hasMessageContaining(object);
    }

    @Test
    void aBlankSandboxGetsNothing() throws IOException {
        assertThat(writer.call("write", EVENT, 1).get("error").asText()).isEqualTo("Sand.Denied");
    }

    @Test
    void limitsAreSaidWithTheirValues() throws IOException {
        endpoint.bind("app");
        JsonNode huge = writer.call("write", EVENT, 201);
        assertThat(huge.get("error").asText()).isEqualTo("Sand.TooLarge");
        assertThat(huge.get("message").asText()).contains("" + (201L << 20)).contains("" + (200L << 20));
        writer.call("write", EVENT, 160);
        writer.call("write", EVENT, 160);
        assertThat(writer.call("write", EVENT, 160).get("message").asText()).contains("app").contains("" + (400L << 20));
        segments.release("app", EXECUTION);
        assertThat(writer.call("write", EVENT, 1).get("error").asText()).as("of an ended execution").isEqualTo("Sand.NotFound");
        assertThat(writer.call("write", next(1), 160).has("object")).as("room again").isTrue();
        assertThat(writer.call("write", "no-event", 1).get("error").asText()).isEqualTo("Sand.BadRequest");
        assertThat(writer.call("write", next(1), -1).get("error").asText()).isEqualTo("Sand.BadRequest");
    }

    @Test
    void aFileIsUsedAgainButNotWhileSomebodyStillMapsIt() throws IOException {
        endpoint.bind("app");
        JsonNode first = writer.call("write", EVENT, 10);
        String object = first.get("object").asText();
        reader.call("read", object, true);
        segments.release("app", EXECUTION);
        await().until(() -> reader.call("read", object, false).has("error") || writer.call("write", next(1), 10)
                .get("inode").asLong() != first.get("inode").asLong());
        assertThat(reader.call("content", object).get("hash")).as("what the reader holds stays").isEqualTo(first.get("hash"));
        reader.call("drop", object);
        await().until(() -> writer.call("write", next(2), 10).get("inode").asLong() == first.get("inode").asLong());
        assertThat(reader.call("read", object, false).get("error").asText()).isEqualTo("Sand.NotFound");
    }

    @Test
    void theHostAgentReadsWhatAGrainWroteAndAGrainWhatItPut() throws IOException {
        endpoint.bind("app");
        JsonNode written = writer.call("write", EVENT, 3);
        byte[] bytes = segments.read("app", new Payload.Reference(written.get("object").asText(), 3 << 20));
        assertThat(bytes).hasSize(3 << 20);
        Payload put = segments.put("app", EXECUTION, new Payload("x/y", bytes, null));
        assertThat(put.contentType()).isEqualTo("x/y");
        assertThat(reader.call("read", put.reference().object(), false).get("hash")).isEqualTo(written.get("hash"));
    }

    @Test
    void anObjectThatAnInstanceIsToldOfIsThereWithoutBeingAskedFor() throws IOException {
        endpoint.bind("app");
        writer.call("introduce", "i1");
        reader.call("introduce", "i2");
        JsonNode first = writer.call("store", EVENT, 100_000);
        JsonNode second = writer.call("store", EVENT, 200_000);
        push("i2", first.get("object").asText());
        JsonNode asked = reader.call("take", first.get("object").asText());
        assertThat(asked.get("asked").asInt()).as("nobody has said before whose connection it is").isEqualTo(1);
        push("i2", "none");
        push("i3", second.get("object").asText());
        AtomicInteger before = new AtomicInteger(1);
        // Nothing is given ahead while the answer before is still being sent: who gives does not wait.
        await("an object that is not asked for").until(() -> {
            push("i2", first.get("object").asText());
            push("i2", second.get("object").asText());
            JsonNode found = reader.call("take", second.get("object").asText());
            assertThat(found.get("hash")).isEqualTo(second.get("hash"));
            int waited = found.get("asked").asInt();
            return waited == before.getAndSet(waited);
        });
        assertThat(reader.call("take", "none").get("error").asText()).isEqualTo("Sand.NotFound");
    }

    @Test
    void whoDoesNotTakeWhatItIsGivenIsGivenLittle() throws IOException {
        endpoint.bind("app");
        writer.call("introduce", "i1");
        String object = writer.call("store", EVENT, 100_000).get("object").asText();
        int before = writer.call("rest").get("descriptors").asInt();
        for (int i = 0; i < 1000; i++) {
            push("i1", object);
        }
        assertThat(writer.call("take", "none").get("error").asText()).isEqualTo("Sand.NotFound");
        assertThat(writer.call("rest").get("descriptors").asInt()).isEqualTo(before);
        assertThat(writer.call("take", object).has("hash")).isTrue();
    }

    @Test
    void whoStoresValuesOfOneSizeIsGivenTheNextObjectAhead() throws IOException {
        endpoint.bind("app");
        writer.call("introduce", "i1");
        int before = writer.call("rest").get("descriptors").asInt();
        for (int i = 1; i <= 5; i++) {
            JsonNode stored = writer.call("store", EVENT, 100_000);
            assertThat(stored.get("asked").asInt()).as("waited for").isEqualTo(Math.min(i, 2));
            reader.call("introduce", "i2");
            assertThat(reader.call("take", stored.get("object").asText()).get("hash")).isEqualTo(stored.get("hash"));
        }
        assertThat(writer.call("store", EVENT, 70_000).get("asked").asInt()).as("another size").isEqualTo(3);
        writer.call("store", EVENT, 70_000);
        assertThat(writer.call("store", next(1), 70_000).get("asked").asInt()).as("another event's").isEqualTo(5);
        assertThat(writer.call("rest").get("descriptors").asInt()).isEqualTo(before);
    }

    private void push(String instance, String object) {
        endpoint.push(instance, new Payload.Reference(object, 1));
    }

    @Test
    void hostileBytesEndTheirConnectionAlone() throws IOException {
        endpoint.bind("app");
        for (String hostile : new String[] {"ffffffff", "00000000", "7fffffff00", "00000004deadbeef", "0000000480010001"}) {
            assertThat(writer.call("garbage", hostile).get("answer").asText()).as(hostile).isEmpty();
        }
        assertThat(writer.call("garbage", "0000001080010001000000046e6f6e650000000100").get("answer").asText())
                .as("an unknown method is answered").contains("80010003");
        assertThat(writer.call("write", EVENT, 1).has("object")).isTrue();
    }

    @Test
    void aSandboxHasSoManyConnectionsAndNoMore() throws IOException {
        endpoint.bind("app");
        writer.call("write", EVENT, 1);
        assertThat(reader.call("crowd", MAX_CONNECTIONS + 20).get("refused").asInt()).isEqualTo(22);
        assertThat(writer.call("write", EVENT, 1).has("object")).isTrue();
    }

    private static String next(int number) {
        return String.format("01JD3Q8Z9X7N4T2M6K5R1H0%03d/Root", number);
    }

    private static String maps(long pid) throws IOException {
        return Files.readString(Path.of("/proc/" + pid + "/maps"));
    }
}
