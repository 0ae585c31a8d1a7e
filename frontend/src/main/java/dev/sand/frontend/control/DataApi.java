package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationName;
import dev.sand.event.Payload;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.invoke.BodyType;
import dev.sand.frontend.http.Router;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** {@code /api/v1/applications/{app}/data}: what its grains share as {@code context.data}, key by key. */
public final class DataApi {
    /** A value that is given here, and one that is asked for without a word of how large it may be. */
    private static final int VALUE_BYTES = 4 << 20;
    /** As large as a grain may put one. */
    private static final int MOST_BYTES = (int) SharedData.Options.DEFAULT.maxValueBytes();
    private static final int KEY_BYTES = 1024;
    private static final Pattern MEDIA_TYPE = Pattern.compile("[!-~][ -~]{0,126}");

    /** A value is in memory whole, as large as a grain has made it. */
    private static final int VALUES_AT_ONCE = 64;
    private static final int VALUES_OF_ONE_TENANT = 4;
    private static final long TURN_MS = 5_000;

    /** Of those over {@link #VALUE_BYTES}. */
    private static final int LARGE_AT_ONCE = 4;
    private static final int LARGE_OF_ONE_TENANT = 2;

    private final Registry registry;
    private final SharedData data;
    private final Places turns = new Places(VALUES_AT_ONCE, VALUES_OF_ONE_TENANT);
    private final Places largeTurns = new Places(LARGE_AT_ONCE, LARGE_OF_ONE_TENANT);

    /** @param data as this process sees it; triggers on data hear of what is written through it */
    public DataApi(Registry registry, SharedData data) {
        this.registry = registry;
        this.data = data;
    }

    public void addTo(Router router) {
        router.on("listData", this::list)
                .on("getData", exchange -> inTurn(exchange, this::get))
                .on("putData", exchange -> inTurn(exchange, this::put))
                .on("deleteData", this::delete);
    }

    private void inTurn(Exchange exchange, Router.Operation operation) throws Exception {
        inTurn(turns, exchange, operation);
    }

    private static void inTurn(Places places, Exchange exchange, Router.Operation operation) throws Exception {
        String tenant = ApplicationName.tenant(exchange.path("app"));
        if (!places.take(tenant, TURN_MS)) {
            throw places.refusal("values").asException();
        }
        try {
            operation.handle(exchange);
        } finally {
            places.leave(tenant);
        }
    }

    private void list(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        String prefix = exchange.query("prefix");
        SharedData.Keys found = reading(() -> data.list(application, prefix == null ? "" : prefix, exchange.query("after"),
                exchange.query("limit", 100, 1, SharedData.MAX_LIST)));
        ArrayNode keys = Json.array();
        found.keys().forEach(keys::add);
        ObjectNode answer = Json.object();
        answer.set("keys", keys);
        answer.put("next", found.more() ? found.keys().getLast() : null);
        exchange.json(200, answer);
    }

    private void get(Exchange exchange) throws Exception {
        int most = exchange.query("most", VALUE_BYTES, 0, MOST_BYTES);
        String application = ApplicationsApi.application(exchange, registry);
        String key = key(exchange);
        SharedData.Value value = reading(() -> data.get(application, key));
        if (value.payload() == null) {
            throw unknown(application, key);
        }
        exchange.headers().put("ETag", EntityTag.of(value.version()));
        if (value.payload().size() > most) {
            throw Problem.caller(413, "value-too-large", "Too large a value", "The value has " + value.payload().size() + " bytes, and " + most
                    + " are the most that were asked for; 'most' may be up to " + MOST_BYTES + ".").with("limit", most)
                    .with("actual", value.payload().size()).with("contentType", value.payload().contentType()).asException();
        }
        if (value.payload().size() > VALUE_BYTES) {
            inTurn(largeTurns, exchange, each -> send(each, application, value));
        } else {
            send(exchange, application, value);
        }
    }

    private void send(Exchange exchange, String application, SharedData.Value value) {
        byte[] bytes = reading(() -> data.bytes(application, value));
        exchange.bytes(200, value.payload().contentType(), ByteBuffer.wrap(bytes));
    }

    private void put(Exchange exchange) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String key = key(exchange);
        byte[] body = exchange.body(VALUE_BYTES, "A value");
        String type = exchange.header("Content-Type");
        Payload payload = new Payload(type == null ? Payload.JSON : type, body, null);
        if (!MEDIA_TYPE.matcher(payload.contentType()).matches()) {
            throw Problems.badRequest("A Content-Type has at most 127 printable ASCII characters.").asException();
        }
        if (payload.isJson()) {
            checkJson(body);
        }
        Problem fault = payload.isJson() ? null : BodyType.check(payload.contentType(), ByteBuffer.wrap(body));
        if (fault != null) {
            throw fault.asException();
        }
        long expected = EntityTag.expected(exchange);
        long version = reading(() -> data.put(application, key, payload, expected));
        if (!registry.exists(application)) {
            // Deleted meanwhile: the next application of that name is not to have it.
            data.delete(application, key, GlobalStore.ANY);
            throw Problems.unknownApplication(application).asException();
        }
        exchange.headers().put("ETag", EntityTag.of(version));
        exchange.json(200, Json.object().put("version", version));
    }

    private void delete(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        String key = key(exchange);
        long expected = EntityTag.expected(exchange);
        if (!reading(() -> data.delete(application, key, expected))) {
            throw unknown(application, key);
        }
        exchange.empty(204);
    }

    private static String key(Exchange exchange) {
        String key = exchange.query("key");
        int bytes = key == null ? 0 : key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > KEY_BYTES) {
            throw Problems.badRequest("Query parameter 'key' has 1 to " + KEY_BYTES + " bytes in UTF-8.").asException();
        }
        exchange.name("key", key);
        return key;
    }

    /** What grains would be given, and could not decode, is not kept. */
    private static void checkJson(byte[] body) {
        try {
            dev.sand.workflow.data.Json.read(body);
        } catch (IOException e) {
            throw Problems.badRequest("The value is no JSON: give its Content-Type if it is something else.").asException();
        }
    }

    private static <T> T reading(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (StoreException e) {
            if (e.kind() == StoreException.Kind.CONFLICT) {
                throw Problem.caller(412, "version-conflict", "Another version", e.actualVersion() == 0
                        ? "There is no value of this key." : "The value has version " + e.actualVersion() + " by now.")
                        .with("actual", e.actualVersion()).asException();
            }
            if (e.kind() == StoreException.Kind.BAD_VALUE) {
                throw Problems.badRequest(e.getMessage()).asException();
            }
            throw e;
        }
    }

    private static RuntimeException unknown(String application, String key) {
        return Problem.caller(404, "unknown-key", "Unknown key", "Application '" + application + "' has no data under '" + key + "'.")
                .asException();
    }
}
