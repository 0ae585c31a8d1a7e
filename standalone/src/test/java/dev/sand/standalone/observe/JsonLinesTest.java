package dev.sand.standalone.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sand.event.LogFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();
    private final Logger log = context.getLogger("dev.sand.Test");

    @BeforeEach
    void listen() {
        context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
        told.start();
        log.addAppender(told);
    }

    private JsonNode line() throws IOException {
        JsonLines lines = new JsonLines();
        lines.setContext(context);
        lines.setHost("host-a");
        lines.start();
        String text = new String(lines.encode(told.list.getLast()), StandardCharsets.UTF_8);
        assertThat(text).endsWith("\n").containsOnlyOnce("\n");
        return new ObjectMapper().readTree(text);
    }

    @Test
    void whatIsWrittenWithAMessageIsAFieldOfItsLineAndNumbersAreNumbers() throws IOException {
        log.atWarn().addKeyValue(LogFields.APPLICATION, "shop").addKeyValue(LogFields.EXECUTION_ID, "01JD").addKeyValue(LogFields.SLOT, 7)
                .addKeyValue(LogFields.EPOCH, 12L).log("slot {} of \"{}\"\nis ours\u0001", 7, "shop");
        JsonNode line = line();
        assertThat(line.get("application").asText()).isEqualTo("shop");
        assertThat(line.get("executionId").asText()).isEqualTo("01JD");
        assertThat(line.get("slot").isInt()).isTrue();
        assertThat(line.get("slot").asInt()).isEqualTo(7);
        assertThat(line.get("epoch").asLong()).isEqualTo(12);
        assertThat(line.get("host").asText()).isEqualTo("host-a");
        assertThat(line.get("level").asText()).isEqualTo("WARN");
        assertThat(line.get("logger").asText()).isEqualTo("dev.sand.Test");
        assertThat(line.get("thread").asText()).isEqualTo(Thread.currentThread().getName());
        assertThat(line.get("message").asText()).isEqualTo("slot 7 of \"shop\"\nis ours\u0001");
        assertThat(Instant.parse(line.get("time").asText())).isNotNull();
        assertThat(line.has("stackTrace")).isFalse();
    }

    @Test
    void aMessageThatNamesSomethingDoesNotMakeAFieldOfIt() throws IOException {
        log.info("event 01JD0Z5W3M8Q6T1R4V7X9YB2CD/main of application shop, incident 1f3a");
        assertThat(line().properties()).extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder("level", "time", "logger", "thread", "message", "host");
    }

    @Test
    void aFieldThatHasNoValueOrALinesOwnNameIsLeftOut() throws IOException {
        log.atInfo().addKeyValue(LogFields.QUEUE, (Object) null).addKeyValue("message", "x").addKeyValue("odd\"name", "y").log("said");
        JsonNode line = line();
        assertThat(line.has("queue")).isFalse();
        assertThat(line.get("message").asText()).isEqualTo("said");
        assertThat(line.get("odd\"name").asText()).isEqualTo("y");
    }

    @Test
    void anExceptionComesWithItsTraceOnTheSameLine() throws IOException {
        log.atError().addKeyValue(LogFields.INCIDENT, "1f3a").setCause(new IllegalStateException("no")).log("incident {}: POST /x", "1f3a");
        JsonNode line = line();
        assertThat(line.get("stackTrace").asText()).contains("IllegalStateException: no").contains("JsonLinesTest");
        assertThat(line.get("incident").asText()).isEqualTo("1f3a");
    }

    @Test
    void aLineOfTextHasItsIdsInTheMessageAsBefore() {
        log.atInfo().addKeyValue(LogFields.SLOT, 3).log("slot {} is ours", 3);
        PatternLayout text = new PatternLayout();
        text.setContext(context);
        text.setPattern("%-5level %logger{0} %msg%n");
        text.start();
        assertThat(text.doLayout(told.list.getLast())).isEqualTo("INFO  Test slot 3 is ours\n");
    }

    /** A rule for whoever writes a line: what it names is a field too. */
    @Test
    void everyLineThatNamesAnExecutionASlotAnEpochAnApplicationOrAQueueHasItAsAField() throws IOException {
        Pattern plain = Pattern.compile(
                "LOG\\.(?:debug|info|warn|error)\\(\\s*\"[^\"]*\\b(?:execution|slot|epoch|application|queue|trigger|incident) \\{}");
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(".."), 12)) {
            for (Path file : files.filter(each -> each.toString().contains("/src/main/java/") && each.toString().endsWith(".java")).toList()) {
                plain.matcher(Files.readString(file)).results().forEach(line -> found.add(file + ": " + line.group()));
            }
        }
        assertThat(found).isEmpty();
    }
}
