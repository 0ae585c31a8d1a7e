package dev.sand.standalone.observe;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.JsonEscapeUtil;
import dev.sand.event.LogFields;
import java.util.List;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/**
 * The platform's log as one JSON object a line ({@code --log json}): {@code level, time, logger, thread, message, host}, the
 * fields that were written with the message ({@link LogFields}) beside them, and {@code stackTrace}. Logback's own encoder, which
 * would put the fields into a list and the time into milliseconds.
 */
public final class JsonLines extends JsonEncoder {
    private static final Set<String> OWN = Set.of("level", "time", "logger", "thread", "message", LogFields.HOST, "stackTrace");
    private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();
    private String host = "";

    public JsonLines() {
        setWithSequenceNumber(false);
        setWithTimestamp(false);
        setWithNanoseconds(false);
        setWithThreadName(false);
        setWithLoggerName(false);
        setWithContext(false);
        setWithMarkers(false);
        setWithMDC(false);
        setWithKVPList(false);
        setWithMessage(false);
        setWithFormattedMessage(false);
        setWithArguments(false);
        setWithThrowable(false);
    }

    /** @param host whose log it is; empty: not known yet */
    public void setHost(String host) {
        this.host = host;
    }

    @Override
    public void start() {
        stackTraces.start();
        super.start();
    }

    /** Behind the level. */
    @Override
    protected void appendCustomFields(StringBuilder line, ILoggingEvent event) {
        text(line, "time", event.getInstant().toString());
        text(line, "logger", event.getLoggerName());
        text(line, "thread", event.getThreadName());
        text(line, "message", event.getFormattedMessage());
        if (!host.isEmpty()) {
            text(line, LogFields.HOST, host);
        }
        List<KeyValuePair> fields = event.getKeyValuePairs();
        if (fields != null) {
            fields.forEach(field -> field(line, field.key, field.value));
        }
        event.getMDCPropertyMap().forEach((name, value) -> field(line, name, value));
        if (event.getThrowableProxy() != null) {
            text(line, "stackTrace", stackTraces.convert(event));
        }
    }

    private void field(StringBuilder line, String name, Object value) {
        if (value == null || OWN.contains(name)) {
            return; // a name twice in an object is read in one way here and in another there
        }
        if (value instanceof Integer || value instanceof Long) {
            line.append(',');
            appenderMemberWithLongValue(line, JsonEscapeUtil.jsonEscapeString(name), ((Number) value).longValue());
        } else {
            text(line, name, value.toString());
        }
    }

    private void text(StringBuilder line, String name, String value) {
        line.append(',');
        appenderMember(line, JsonEscapeUtil.jsonEscapeString(name), JsonEscapeUtil.jsonEscapeString(value));
    }
}
