package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.StoredSecrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a host has in memory follows the operator's file and the store. */
class HostSecretsTest {
    private static final String VALUE = "canary-of-this-test";
    private final MemoryStore store = new MemoryStore();
    private final StoredSecrets stored = new StoredSecrets(store, key("the key of this test, 32 bytes or more"));
    private final List<String> changed = new ArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(HostSecrets.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    @TempDir
    private Path folder;
    private Path file;
    private HostSecrets host;

    private static SecretsKey key(String text) {
        return SecretsKey.of(List.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    @BeforeEach
    void open() throws Exception {
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        logged.start();
        logger.addAppender(logged);
        file = Files.writeString(folder.resolve("secrets.json"), "{\"shop\": {\"BOTH\": \"of the operator\"}}");
        host = new HostSecrets(new OperatorsSecrets(file), stored);
        host.tell(changed::add);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        logger.setLevel(null);
        logger.setAdditive(true);
        host.close();
    }

    @Test
    void it_hears_of_changes_and_the_operators_file_wins() {
        stored.set("shop", "KEY", VALUE, 1);
        stored.set("shop", "BOTH", VALUE, 1);
        assertThat(host.of("shop").values()).isEmpty();
        host.load("shop");
        host.load("other");
        assertThat(host.of("shop").values()).isEqualTo(Map.of("KEY", VALUE, "BOTH", "of the operator"));
        host.look();
        assertThat(changed).isEmpty();
        stored.set("shop", "KEY", "another-canary", 2);
        host.look();
        assertThat(changed).containsExactly("shop");
        assertThat(host.of("shop").values()).containsEntry("KEY", "another-canary");
        assertThat(host.of("shop").masks().masked(VALUE + " another-canary")).as("the one before too").isEqualTo("*** ***");
        byte[] row = store.get("secrets", "shop", "KEY").orElseThrow().value();
        store.put("secrets", "shop", "MOVED", row, GlobalStore.ANY);
        stored.delete("shop", "KEY");
        host.look();
        assertThat(host.of("shop").values()).containsOnlyKeys("BOTH");
        assertThat(host.of("shop").unopened()).containsOnlyKeys("MOVED");
    }

    /** The version that runs already has the values of before, and the next look finds nothing new. */
    @Test
    void what_is_loaded_with_another_version_is_told_to_the_one_that_runs() {
        host.load("shop");
        host.look();
        assertThat(changed).isEmpty();
        stored.set("shop", "KEY", VALUE, 1);
        host.load("shop");
        assertThat(changed).containsExactly("shop");
        host.load("shop");
        host.look();
        assertThat(changed).containsExactly("shop");
    }

    @Test
    void a_file_that_a_load_has_read_is_still_looked_at_for_the_others() throws Exception {
        host.load("shop");
        host.load("other");
        host.look();
        Files.writeString(file, "{\"shop\": {\"BOTH\": \"another value\"}}");
        Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + 5_000));
        host.load("other");
        host.look();
        assertThat(changed).containsExactly("shop");
        assertThat(host.of("shop").values()).containsEntry("BOTH", "another value");
    }

    @Test
    void a_row_that_cannot_be_read_keeps_nobody_else_from_changes() {
        List<String> applications = List.of("a", "b", "c", "d");
        applications.forEach(host::load);
        host.look();
        store.put("secrets", "b", "KEY", new byte[] {'x'}, GlobalStore.ANY);
        store.put("secrets", "d", "KEY", new byte[] {'x'}, GlobalStore.ANY);
        for (String value : List.of("the first value", "the second value")) {
            applications.stream().filter(each -> "ac".contains(each)).forEach(each -> stored.set(each, "KEY", value, 1));
            host.look();
            assertThat(host.of("a").values()).containsEntry("KEY", value);
            assertThat(host.of("c").values()).containsEntry("KEY", value);
        }
        assertThat(changed).containsExactlyInAnyOrder("a", "c", "a", "c");
        assertThat(logged.list).extracting(ILoggingEvent::getFormattedMessage).hasSize(2).anyMatch(line -> line.contains("application b "));
        host.load("b"); // Another version of it: what is known of it holds.
        store.put("secrets", "b", "KEY", store.get("secrets", "a", "KEY").orElseThrow().value(), GlobalStore.ANY);
        host.look(); // No change was told: it is tried again because it was not read.
        assertThat(host.of("b").unopened()).containsOnlyKeys("KEY");
    }

    @Test
    void what_another_key_has_closed_is_told_at_the_start() {
        new StoredSecrets(store, key("a key that was lost, 32 bytes or more")).set("shop", "LOST", VALUE, 1);
        stored.set("shop", "KEY", VALUE, 1);
        host.warn(() -> List.of("other", "shop"));
        assertThat(logged.list).extracting(ILoggingEvent::getFormattedMessage).singleElement().asString()
                .containsPattern("stored secrets \\[LOST\\] of application shop cannot be opened: .* the key [0-9a-f]{8}, which this host");
    }
}
