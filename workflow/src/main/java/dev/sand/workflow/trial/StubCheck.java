package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.asl.Diagnostic.Code;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * What is wrong with stubs: one that says nothing would quietly echo, and a typing error is hard to find in an output. In the words of the
 * Python engine's {@code stub_check}: event/vectors/stubs has both.
 */
public final class StubCheck {
    private static final List<String> REPORTS = List.of("success", "failure", "heartbeat");
    private static final BigDecimal MOST_SECONDS = BigDecimal.TEN.pow(12);
    private final List<Diagnostic> found = new ArrayList<>();

    private StubCheck() {}

    /** @param stubs see {@link GrainStub}; null: none. @return with pointers into the stubs that begin with the prefix */
    public static List<Diagnostic> faults(JsonNode stubs, String prefix) {
        StubCheck check = new StubCheck();
        if (stubs != null && !stubs.isNull()) {
            if (stubs.isObject()) {
                stubs.properties().forEach(field -> each(prefix + "/" + field.getKey().replace("~", "~0").replace("/", "~1"), field.getValue(),
                        check::stub));
            } else {
                check.add(prefix, Code.WRONG_TYPE, "The stubs must be an object: each stub by a resource or its last part.");
            }
        }
        return check.found;
    }

    private static void each(String pointer, JsonNode one, BiConsumer<String, JsonNode> check) {
        if (one instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                check.accept(pointer + "/" + i, list.get(i));
            }
        } else {
            check.accept(pointer, one);
        }
    }

    private void add(String pointer, Code code, String message) {
        found.add(new Diagnostic(pointer, code, message));
    }

    private void stub(String pointer, JsonNode stub) {
        if (!stub.isObject()) {
            add(pointer, Code.WRONG_TYPE, "A stub must be an object, as {\"return\": …}, or a list of such.");
            return;
        }
        if (Stream.of("echo", "return", "raise", "callback", "seconds").noneMatch(stub::has)) {
            add(pointer, Code.MISSING_FIELD, "The stub says nothing: it needs echo, return or raise" + has(stub) + ".");
        }
        failure(pointer + "/raise", stub.get("raise"), "a stub raises");
        if (stub.has("callback")) {
            each(pointer + "/callback", stub.get("callback"), this::callback);
        }
        seconds(pointer, stub, "a stub");
        JsonNode published = stub.get("publish");
        if (published != null && !(published.isArray() && published.valueStream().allMatch(StubCheck::isEvent))) {
            add(pointer + "/publish", Code.WRONG_TYPE, "What a stub publishes must be a list of objects with \"grain\", a string, and \"payload\".");
        }
    }

    private static boolean isEvent(JsonNode published) {
        return published.path("grain").isTextual() && published.has("payload");
    }

    private static String has(JsonNode object) {
        return object.isEmpty() ? "" : "; it has " + String.join(", ", object.propertyStream().map(java.util.Map.Entry::getKey).toList());
    }

    private void callback(String pointer, JsonNode said) {
        if (!said.isObject()) {
            add(pointer, Code.WRONG_TYPE, "A callback must be an object, as {\"success\": …}, or a list of such.");
            return;
        }
        long reports = REPORTS.stream().filter(said::has).count();
        if (reports != 1) {
            add(pointer, reports == 0 ? Code.MISSING_FIELD : Code.WRONG_VALUE,
                    "A callback must have one of success, failure and heartbeat" + has(said) + ".");
        }
        failure(pointer + "/failure", said.get("failure"), "a callback brings");
        if (said.has("heartbeat") && !(said.get("heartbeat").isBoolean() && said.get("heartbeat").booleanValue())) {
            add(pointer + "/heartbeat", Code.WRONG_VALUE, "The heartbeat of a callback must be true.");
        }
        seconds(pointer, said, "a callback");
    }

    private void failure(String pointer, JsonNode failure, String what) {
        if (failure != null && !failure.isObject()) {
            add(pointer, Code.WRONG_TYPE, "The failure that " + what + " must be an object with \"error\" and \"cause\".");
            return;
        }
        for (String name : failure == null ? List.<String>of() : List.of("error", "cause")) {
            if (failure.hasNonNull(name) && !failure.get(name).isTextual()) {
                add(pointer + "/" + name, Code.WRONG_TYPE, "The " + name + " that " + what + " must be a string.");
            }
        }
    }

    private void seconds(String pointer, JsonNode said, String what) {
        JsonNode seconds = said.get("seconds");
        if (seconds != null && !(seconds.isNumber() && seconds.decimalValue().signum() >= 0 && seconds.decimalValue().compareTo(MOST_SECONDS) < 0)) {
            add(pointer + "/seconds", Code.WRONG_VALUE, "The seconds of " + what + " must be a number from 0 on.");
        }
    }
}
