package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.event.QueuedEvents;
import dev.sand.event.QueuedEvents.Queued;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * {@code …/local-queues}: what waits for instances of an application's grains on its hosts, how fast it comes and goes, and a look at
 * the first of a grain's. Hosts are the operator's to see: to others they are one.
 */
public final class LocalQueuesApi {
    private static final int EVENTS = 20;
    private static final int AT_ONCE = 4;
    private static final int OF_ONE_TENANT = 2;
    private static final long TURN_MS = 5_000;
    private static final String SOME_HOST = "a host";

    private final Registry registry;
    private final HostAgentPort hosts;
    private final Places turns = new Places(AT_ONCE, OF_ONE_TENANT);

    /** @param host null: of all hosts */
    private record Place(String grain, int version, String host) {
        static final Comparator<Place> ORDER = Comparator.comparing(Place::grain).thenComparing(Place::version)
                .thenComparing(Place::host, Comparator.nullsFirst(Comparator.naturalOrder()));
    }

    /** @param host whose it is */
    private record Found(Queued event, String host) {}

    public LocalQueuesApi(Registry registry, HostAgentPort hosts) {
        this.registry = registry;
        this.hosts = hosts;
    }

    public void addTo(Router router) {
        router.on("listLocalQueues", this::list).on("peekLocalQueue", this::peek);
    }

    private void list(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        boolean isOperator = exchange.isEverywhere();
        TreeMap<Place, ObjectNode> queues = new TreeMap<>(Place.ORDER);
        ObjectNode answer = Json.object().put("rateWindowMs", HostAgentPort.RATE_WINDOW_MS);
        ArrayNode silent = answer.putArray("silent");
        for (HostStatus host : StatusApi.answer(hosts.status(application), "status")) {
            addSilent(silent, isOperator, host.host(), host.problem());
            for (SandboxStatus sandbox : host.sandboxes()) {
                for (GrainStatus grain : sandbox.grains()) {
                    Place place = new Place(grain.grain(), sandbox.version(), isOperator ? host.host() : null);
                    add(queues.computeIfAbsent(place, LocalQueuesApi::empty), grain);
                }
            }
        }
        queues.values().forEach(answer.putArray("queues")::add);
        exchange.json(200, answer);
    }

    private static ObjectNode empty(Place place) {
        ObjectNode shown = Json.object().put("grain", place.grain).put("version", place.version);
        return place.host == null ? shown : shown.put("host", place.host);
    }

    private static void add(ObjectNode to, GrainStatus grain) {
        to.put("waiting", to.path("waiting").asInt() + grain.queued());
        if (grain.queued() > 0) {
            to.put("oldestMs", Math.max(to.path("oldestMs").asLong(), grain.oldestMs()));
        }
        to.put("running", to.path("running").asInt() + grain.running()).put("idle", to.path("idle").asInt() + grain.idle())
                .put("inPerSecond", to.path("inPerSecond").asDouble() + grain.inPerSecond())
                .put("outPerSecond", to.path("outPerSecond").asDouble() + grain.outPerSecond());
    }

    private void peek(Exchange exchange) throws InterruptedException {
        String application = ApplicationsApi.application(exchange, registry);
        String grain = exchange.path("grain");
        int limit = exchange.query("limit", EVENTS, 1, QueuedEvents.MOST_EVENTS);
        if (!turns.take(exchange.tenant(), TURN_MS)) {
            throw turns.refusal("looks into queues").asException();
        }
        List<QueuedEvents> told;
        try {
            told = StatusApi.answer(hosts.queued(new QueuedEvents.Look(application, grain, limit)), "queues");
        } finally {
            turns.leave(exchange.tenant());
        }
        List<Found> found = new ArrayList<>();
        boolean more = false;
        ObjectNode answer = Json.object();
        boolean isOperator = exchange.isEverywhere();
        ArrayNode silent = answer.putArray("silent");
        for (QueuedEvents host : told) {
            addSilent(silent, isOperator, host.host(), host.problem());
            host.events().forEach(event -> found.add(new Found(event, isOperator ? host.host() : null)));
            more |= host.more();
        }
        if (found.isEmpty()) {
            requireGrain(application, grain);
        }
        found.sort(Comparator.comparing(Found::event, QueuedEvents.ORDER));
        ArrayNode shown = answer.putArray("events");
        found.stream().limit(limit).forEach(each -> shown.add(show(each)));
        exchange.json(200, answer.put("more", more || found.size() > limit));
    }

    /** Grains of earlier versions have events as long as these run. */
    private void requireGrain(String application, String grain) {
        ApplicationVersion live = registry.resolve(application, Registry.LIVE)
                .orElseThrow(() -> Problems.unknownVersion(application, Registry.LIVE).asException());
        if (!live.grains().containsKey(grain)) {
            throw Problems.unknownTarget(application, live.version(), grain).asException();
        }
    }

    private static void addSilent(ArrayNode silent, boolean isOperator, String host, String problem) {
        if (problem != null) {
            silent.addObject().put("host", isOperator ? host : SOME_HOST).put("problem", isOperator ? problem : "it does not tell what waits there");
        }
    }

    private static ObjectNode show(Found found) {
        Queued event = found.event;
        ObjectNode shown = Json.object().put("executionId", event.executionId()).put("eventId", event.eventId())
                .put("version", event.version()).put("queuedMs", event.queuedMs()).put("attempt", event.attempt())
                .put("bytes", event.bytes()).put("contentType", event.contentType());
        if (found.host != null) {
            shown.put("host", found.host);
        }
        return event.preview() == null ? shown : InputPreview.addTo(shown, event.preview(), event.bytes());
    }
}
