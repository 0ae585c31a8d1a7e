package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.UsageStore;
import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.Use;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Names;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/** {@code GET /api/v1/applications/{app}/usage}: what one has used by day, for who is billed for it; of a deleted one too. */
public final class UsageApi {
    private static final int DAYS = 30;
    private static final int MOST_DAYS = 366;
    private static final Pattern DAY = Pattern.compile("(?:19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}");
    private final Registry registry;
    private final UsageStore usage;
    private final LongSupplier clockMs;

    public UsageApi(Registry registry, UsageStore usage, LongSupplier clockMs) {
        this.registry = registry;
        this.usage = usage;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("applicationUsage", this::usage);
    }

    private void usage(Exchange exchange) {
        LocalDate to = day(exchange, "to", LocalDate.ofInstant(Instant.ofEpochMilli(clockMs.getAsLong()), ZoneOffset.UTC));
        LocalDate from = day(exchange, "from", to.minusDays(DAYS - 1));
        if (from.isAfter(to)) {
            throw Problems.badRequest("Days are asked for from " + from + " to " + to + ": the first one comes after the last.").asException();
        }
        long asked = ChronoUnit.DAYS.between(from, to) + 1;
        if (asked > MOST_DAYS) {
            throw badRange(asked).asException();
        }
        String application = application(exchange);
        exchange.json(200, answer(application, from, to));
    }

    private static Problem badRange(long days) {
        return Problems.badRequest("At most " + MOST_DAYS + " days are told at once, not " + days + ".").with("limit", MOST_DAYS)
                .with("actual", days);
    }

    private static LocalDate day(Exchange exchange, String name, LocalDate otherwise) {
        String text = exchange.query(name);
        if (text == null) {
            return otherwise;
        }
        try {
            if (DAY.matcher(text).matches()) {
                return LocalDate.parse(text);
            }
        } catch (DateTimeParseException e) {
            // Said below: there is no such day.
        }
        throw Problems.badRequest("Query parameter '" + name + "' is a day, YYYY-MM-DD, from 1970 on, not '" + text + "'.").asException();
    }

    /** One that is there, or that was and has used something. */
    private String application(Exchange exchange) {
        String application = exchange.path("app");
        boolean deleted = Names.isApplication(application) && !registry.exists(application) && usage.hasAny(application);
        return deleted ? application : ApplicationsApi.application(exchange, registry);
    }

    private ObjectNode answer(String application, LocalDate from, LocalDate to) {
        Map<LocalDate, Map<Kind, Use>> found = usage.read(application, from, to);
        Map<Kind, Use> totals = new EnumMap<>(Kind.class);
        ObjectNode answer = Json.object().put("application", application).put("from", from.toString()).put("to", to.toString());
        ArrayNode days = answer.putArray("days");
        for (LocalDate day = from; !day.isAfter(to); day = day.plusDays(1)) {
            Map<Kind, Use> uses = found.getOrDefault(day, Map.of());
            days.add(shown(Json.object().put("day", day.toString()), uses));
            uses.forEach((kind, use) -> totals.merge(kind, whole(use), Use::plus));
        }
        return answer.set("totals", shown(Json.object(), totals));
    }

    /** In whole milliseconds, so that the totals are those of the days that are shown. */
    private static Use whole(Use use) {
        return new Use(use.invocations(), use.failed(), use.us() / 1000 * 1000, use.mbUs() / 1000 * 1000, use.bytesIn(), use.bytesOut());
    }

    private static ObjectNode shown(ObjectNode to, Map<Kind, Use> uses) {
        Use plane = uses.getOrDefault(Kind.DATA_PLANE, Use.NONE);
        Use grains = uses.getOrDefault(Kind.GRAINS, Use.NONE);
        to.set("dataPlane", time(Json.object().put("invocations", plane.invocations()), plane).put("bytesIn", plane.bytesIn())
                .put("bytesOut", plane.bytesOut()));
        return to.set("grains", time(Json.object().put("attempts", grains.invocations()), grains));
    }

    private static ObjectNode time(ObjectNode to, Use use) {
        return to.put("failed", use.failed()).put("ms", use.us() / 1000).put("mbMs", use.mbUs() / 1000);
    }
}
