package dev.sand.event;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * When a scheduled trigger fires: five fields of cron in a time zone, or an interval counted from when the trigger was armed.
 * Pure: times come in and go out.
 *
 * @param cron or null
 * @param zone of the cron expression
 * @param everyMs interval, 0 with a cron expression
 */
public record Schedule(String cron, String zone, long everyMs) {
    public static final long LEAST_INTERVAL_MS = 1_000;

    /** @throws IllegalArgumentException with one sentence, when it is no schedule */
    public Schedule {
        if ((cron == null) == (everyMs == 0)) {
            throw new IllegalArgumentException("a schedule has a cron expression or an interval, exactly one of them");
        }
        if (cron == null && everyMs < LEAST_INTERVAL_MS) {
            throw new IllegalArgumentException("an interval is at least " + LEAST_INTERVAL_MS + " ms, not " + everyMs + " ms");
        }
        if (cron != null) {
            parse(cron);
            zone = zone == null ? "UTC" : zone;
            zoneOf(zone);
        }
    }

    /** The first fire after {@code afterMs}, or empty: it never fires again. @param sinceMs when the trigger was armed */
    public Optional<Long> next(long sinceMs, long afterMs) {
        if (cron == null) {
            long periods = Math.max(0, Math.floorDiv(afterMs - sinceMs, everyMs)) + 1;
            return Optional.of(sinceMs + periods * everyMs);
        }
        return ExecutionTime.forCron(parse(cron)).nextExecution(at(afterMs)).map(time -> time.toInstant().toEpochMilli());
    }

    /** The last fire at or before {@code untilMs} and after {@code afterMs}: of many that were missed, the one to make up for. */
    public Optional<Long> last(long sinceMs, long afterMs, long untilMs) {
        Optional<Long> last = cron == null ? Optional.of(sinceMs + Math.floorDiv(untilMs - sinceMs, everyMs) * everyMs)
                : ExecutionTime.forCron(parse(cron)).lastExecution(at(untilMs + 1)).map(time -> time.toInstant().toEpochMilli());
        return last.filter(time -> time > Math.max(afterMs, sinceMs) && time <= untilMs);
    }

    /** As people wrote it. */
    public String text() {
        return cron == null ? "every " + everyMs + " ms" : cron + " " + zone;
    }

    private ZonedDateTime at(long epochMs) {
        return Instant.ofEpochMilli(epochMs).atZone(zoneOf(zone));
    }

    private static Cron parse(String expression) {
        try {
            return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX)).parse(expression).validate();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + expression + "' is no cron expression (minute hour day month weekday): "
                    + e.getMessage(), e);
        }
    }

    private static ZoneId zoneOf(String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("'" + zone + "' is no time zone, like Europe/Berlin or UTC", e);
        }
    }
}
