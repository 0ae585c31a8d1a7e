package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.datalayer.TriggerStore.VersionedSchedule;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.TriggerSpec;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import java.util.function.LongSupplier;

/** {@code /api/v1/applications/{app}/triggers}: what fires by itself, and whether it does. */
public final class TriggersApi {
    private final Registry registry;
    private final TriggerStore store;
    private final LongSupplier clockMs;

    public TriggersApi(Registry registry, TriggerStore store, LongSupplier clockMs) {
        this.registry = registry;
        this.store = store;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("listTriggers", this::list)
                .on("armTrigger", exchange -> arm(exchange, true))
                .on("disarmTrigger", exchange -> arm(exchange, false));
    }

    private ApplicationVersion live(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        return registry.resolve(application, Registry.LIVE)
                .orElseThrow(() -> Problems.unknownVersion(application, Registry.LIVE).asException());
    }

    private void list(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        ArrayNode found = Json.array();
        version.triggers().values().forEach(trigger -> found.add(show(trigger, store.schedule(version.application(), trigger.name())
                .map(VersionedSchedule::state).orElse(null))));
        exchange.json(200, Json.object().set("triggers", found));
    }

    private void arm(Exchange exchange, boolean armed) {
        ApplicationVersion version = live(exchange);
        TriggerSpec trigger = version.triggers().get(exchange.path("trigger"));
        if (trigger == null) {
            throw Problem.caller(404, "unknown-trigger", "Unknown trigger", "Version " + version.version() + " of application '"
                    + version.application() + "' has no trigger '" + exchange.path("trigger") + "'.").asException();
        }
        long nowMs = clockMs.getAsLong();
        ScheduleState state = store.changeSchedule(version.application(), trigger.name(), ScheduleState.first(trigger, nowMs),
                now -> now.arm(armed, nowMs));
        exchange.json(200, show(trigger, state));
    }

    /** @param state null: no host has seen it yet */
    private ObjectNode show(TriggerSpec trigger, ScheduleState state) {
        boolean armed = state == null ? trigger.armed() : state.armed();
        ObjectNode shown = Json.object().put("name", trigger.name()).put("target", trigger.queue().target()).put("armed", armed);
        if (!trigger.isScheduled()) {
            shown.putObject("data").put("prefix", trigger.prefix()).set("operations", Json.tree(trigger.operations()));
            return shown;
        }
        shown.put("schedule", trigger.schedule().text());
        if (state != null && state.firedMs() > 0) {
            shown.put("firedMs", state.firedMs());
        }
        if (armed && state != null) {
            long nowMs = clockMs.getAsLong();
            trigger.schedule().next(state.sinceMs(), nowMs).ifPresent(next -> shown.put("nextMs", next));
        }
        return shown;
    }
}
