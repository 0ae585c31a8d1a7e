package dev.sand.standalone.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log as text, as logback.xml has it. */
class TextLinesTest {
    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();
    private Logger log;
    private ConsoleAppender<ILoggingEvent> text;

    @BeforeEach
    void configure() throws Exception {
        context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(TextLinesTest.class.getResource("/logback.xml"));
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        text = (ConsoleAppender<ILoggingEvent>) root.getAppender("text");
        root.detachAppender(text);
        told.start();
        log = context.getLogger("dev.sand.DeadLetters");
        log.addAppender(told);
    }

    private String written() {
        return new String(text.getEncoder().encode(told.list.getLast()), StandardCharsets.UTF_8);
    }

    @Test
    void whatAGrainSaidBeginsNoLineAndIsNoCommand() {
        log.warn("given up: {}", "a\r\n2026-01-01T00:00:00.000 ERROR Forged x\t\u001b[31m\u007f\u009b\u2028\u202e\u2066 ü😀");
        assertThat(written()).endsWith(" WARN  DeadLetters given up: a\\r\\n2026-01-01T00:00:00.000 ERROR Forged x\\t\\x1b[31m\\x7f\\x9b"
                + "\\u2028\\u202e\\u2066 ü😀\n").containsOnlyOnce("\n");
    }

    @Test
    void aStackTraceIsReadableAndWhatItSaysBeginsNoLineOfTheLog() {
        log.error("failed", new IllegalStateException("a\n2026-01-01T00:00:00.000 ERROR Forged\u001b[31m", new RuntimeException("why\rnot")));
        assertThat(written().split("\n")).hasSizeGreaterThan(5).satisfies(lines -> {
            assertThat(lines[0]).endsWith(" ERROR DeadLetters failed");
            assertThat(lines[1]).isEqualTo("java.lang.IllegalStateException: a");
            assertThat(lines[2]).isEqualTo("\t2026-01-01T00:00:00.000 ERROR Forged\\x1b[31m");
            assertThat(lines).filteredOn(line -> !line.startsWith("\t")).hasSize(2);
            assertThat(lines).anyMatch(line -> line.equals("\tCaused by: java.lang.RuntimeException: why\\rnot"));
        });
    }
}
