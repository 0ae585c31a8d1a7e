package dev.sand.frontend.control;

import dev.sand.datalayer.LogLevel;
import dev.sand.datalayer.LogStore.Which;
import dev.sand.datalayer.LogStore.Words;
import dev.sand.event.Ids;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Problems;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which lines a request for logs asks for, and from where on.
 *
 * @param after behind which line; null: from no line on
 * @param before before which line; null: before none
 */
record LinesAsked(Which which, int limit, Long after, Long before) {
    static final int MOST_LINES = 10_000;
    private static final int MOST_TEXT = 256;
    private static final List<String> LEVELS = List.of("debug", "info", "warning", "error", "critical");
    private static final Set<String> STREAMS = Set.of("stdout", "stderr", "platform");

    /**
     * @param executionId of which alone; null: of the one that the query says, or of all
     * @param process the same
     */
    static LinesAsked of(Exchange exchange, String executionId, String process) {
        Which which = new Which(executionId == null ? invocation(exchange) : executionId, ApplicationsApi.target(exchange, "grain"), process,
                new Words(text(exchange), level(exchange), streams(exchange)));
        int limit = exchange.query("limit", 1_000, 1, MOST_LINES);
        String last = exchange.header("Last-Event-ID");
        Long after = sequence("after", last != null ? last : exchange.query("after"));
        Long before = sequence("before", exchange.query("before"));
        if (before != null && (after != null || exchange.flag("follow"))) {
            throw Problems.badRequest("Lines are asked for before one, or after one and followed; not both.").asException();
        }
        return new LinesAsked(which, limit, after, before);
    }

    private static String invocation(Exchange exchange) {
        String id = exchange.query("invocation");
        if (id != null && !Ids.isValid(id)) {
            throw Problems.badRequest("'" + id + "' is no execution's id.").asException();
        }
        return id;
    }

    private static String text(Exchange exchange) {
        String text = exchange.query("text");
        if (text != null && (text.isEmpty() || text.length() > MOST_TEXT)) {
            throw Problems.badRequest("Query parameter 'text' has 1 to " + MOST_TEXT + " characters.").asException();
        }
        return text;
    }

    private static LogLevel level(Exchange exchange) {
        String level = exchange.query("level");
        if (level == null) {
            return null;
        }
        if (!LEVELS.contains(level)) {
            throw Problems.badRequest("Query parameter 'level' is one of " + String.join(", ", LEVELS) + ", not '" + level + "'.").asException();
        }
        return LogLevel.valueOf(level.toUpperCase(Locale.ROOT));
    }

    private static Set<String> streams(Exchange exchange) {
        String said = exchange.query("stream");
        if (said == null) {
            return null;
        }
        Set<String> streams = Set.copyOf(List.of(said.split(",", -1)));
        if (!STREAMS.containsAll(streams)) {
            throw Problems.badRequest("Query parameter 'stream' is stdout, stderr and platform, or some of these with commas between, not '"
                    + said + "'.").asException();
        }
        return streams;
    }

    private static Long sequence(String parameter, String text) {
        try {
            return text == null ? null : (Long) Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Problems.badRequest("'" + text + "' is no number of a line.").asException();
        }
    }
}
