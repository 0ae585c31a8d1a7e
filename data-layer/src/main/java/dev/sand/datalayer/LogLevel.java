package dev.sand.datalayer;

import dev.sand.datalayer.LogStore.Line;
import java.util.Locale;

/** How grave a line is, whatever its logger calls that. */
public enum LogLevel {
    DEBUG, INFO, WARNING, ERROR, CRITICAL;

    /** What was printed has no level of its own; nor does one count that no logger has. */
    public static LogLevel of(Line line) {
        return switch (line.level() == null ? "" : line.level().toLowerCase(Locale.ROOT)) {
            case "trace", "debug" -> DEBUG;
            case "info", "notice" -> INFO;
            case "warn", "warning" -> WARNING;
            case "error", "severe" -> ERROR;
            case "critical", "fatal", "alert", "emergency" -> CRITICAL;
            default -> line.stream().equals("stderr") ? ERROR : INFO;
        };
    }
}
