package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.time.Instant;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** {@code POST …/processes/{process}/connect}: where a process is, and a grant for the data plane there (docs/DATA-PLANE.md). */
public final class ConnectApi {
    private static final Set<String> FIELDS = Set.of("rights", "functions", "ttl");
    private static final String TLS = "tls://";
    private static final int BODY_BYTES = 16 * 1024;
    private static final int MOST_FUNCTIONS = 50;
    private static final int TTL_S = 60;
    private static final int MOST_TTL_S = 3_600;
    private final HostAgentPort host;
    private final Directory directory;
    private final Supplier<byte[]> key;
    private final LongSupplier clockMs;
    private volatile Grants grants;

    /** @param key of grants; asked for when the first is signed; blocks */
    public ConnectApi(HostAgentPort host, Directory directory, Supplier<byte[]> key, LongSupplier clockMs) {
        this.host = host;
        this.directory = directory;
        this.key = key;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("connectToProcess", this::connect);
    }

    private void connect(Exchange exchange) throws IOException, InterruptedException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, "The body is an object with rights, functions and ttl.");
        JsonNode asked = body == null ? Json.object() : body;
        for (Iterator<String> names = asked.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw Problems.badRequest("A grant has no '" + name + "': it has rights, functions and ttl.").asException();
            }
        }
        Set<String> rights = names(asked.path("rights"), "rights");
        if (asked.path("rights").isArray() && !rights.equals(Set.of(Grant.INVOKE))) { // an empty list would open what nobody asked for
            throw Problems.badRequest("'rights' is [\"" + Grant.INVOKE + "\"]: there are no others, and without any a grant opens nothing.")
                    .asException();
        }
        Set<String> functions = names(asked.path("functions"), "functions");
        if (asked.path("functions").isArray() && functions.isEmpty()) { // or a list that came out empty would open all
            throw Problems.badRequest("'functions' is empty: a grant is for one at least; without it, for all.").asException();
        }
        int ttl = ttl(asked.path("ttl"));
        String process = ProcessesApi.checked(exchange.path("process"));
        ApplicationVersion version = directory.load(exchange.path("app"), null);
        for (String function : functions) {
            if (!version.grains().containsKey(function)) {
                throw Problems.unknownTarget(version.application(), version.version(), function).asException();
            }
        }
        ProcessView view = ProcessesApi.ask(host.process(new ProcessCommand(version.application(), version.version(), process,
                exchange.flag("create") ? ProcessCommand.Kind.CONNECT : ProcessCommand.Kind.LOCATE)));
        long nowMs = clockMs.getAsLong();
        long expiresMs = nowMs + ttl * 1_000L;
        boolean tls = view.address().startsWith(TLS);
        String address = tls ? view.address().substring(TLS.length()) : view.address();
        String grant = grants().sign(new Grant(version.application(), process, view.host(), view.epoch(), version.version(),
                Set.of(Grant.INVOKE), functions, nowMs, expiresMs));
        ObjectNode answer = Json.object().put("process", process).put("host", view.host()).put("address", address).put("tls", tls)
                .put("websocket", (tls ? "wss://" : "ws://") + address + "/data").put("grant", grant)
                .put("expires", Instant.ofEpochMilli(expiresMs).toString());
        exchange.headers().put("Cache-Control", "no-store");
        exchange.json(200, answer);
    }

    private Grants grants() {
        Grants known = grants;
        if (known == null) {
            known = new Grants(key.get());
            grants = known;
        }
        return known;
    }

    private static int ttl(JsonNode asked) {
        if (asked.isMissingNode() || asked.isNull()) {
            return TTL_S;
        }
        if (!asked.isInt() || asked.intValue() < 1 || asked.intValue() > MOST_TTL_S) {
            throw Problems.badRequest("'ttl' is a number of seconds from 1 to " + MOST_TTL_S + ".").asException();
        }
        return asked.intValue();
    }

    private static Set<String> names(JsonNode asked, String what) {
        Set<String> names = new TreeSet<>();
        boolean fits = asked.isMissingNode() || asked.isNull() || asked.isArray() && asked.size() <= MOST_FUNCTIONS;
        for (JsonNode name : asked) {
            fits &= name.isTextual();
            names.add(name.asText());
        }
        if (!fits) {
            throw Problems.badRequest("'" + what + "' is a list of at most " + MOST_FUNCTIONS + " names.").asException();
        }
        return names;
    }
}
