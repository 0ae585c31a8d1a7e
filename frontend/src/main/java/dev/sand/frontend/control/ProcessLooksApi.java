package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessLook;
import dev.sand.event.ProcessLook.Part;
import dev.sand.event.ProcessView;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Directory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code …/processes/{process}/state} and {@code /mailbox}: what is in a cloud process, page by page and value by value. One that is
 * swapped out stays so.
 */
public final class ProcessLooksApi {
    private static final int PAGE = 100;
    private static final int MOST_PAGE = 1_000;
    private static final int KEY_BYTES = 1024;
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private final HostAgentPort host;
    private final Directory directory;

    public ProcessLooksApi(HostAgentPort host, Directory directory) {
        this.host = host;
        this.directory = directory;
    }

    public void addTo(Router router) {
        router.on("listProcessState", exchange -> page(exchange, Part.STATE))
                .on("getProcessState", exchange -> value(exchange, Part.VALUE, key(exchange, "key"), "has no state under that key"))
                .on("listMailbox", exchange -> page(exchange, Part.MAILBOX))
                .on("getMessage", exchange -> value(exchange, Part.MESSAGE, number(exchange.path("number")),
                        "has no unread message of that number (any more)"));
    }

    private void page(Exchange exchange, Part part) throws InterruptedException {
        String after = exchange.query("after");
        if (after != null) {
            after = part == Part.MAILBOX ? number(after) : key(exchange, "after");
        }
        ProcessView view = look(exchange, new ProcessLook(part, after, exchange.query("limit", PAGE, 1, MOST_PAGE)));
        ProcessContents contents = view.contents();
        ObjectNode answer = Json.object().put("process", view.process()).put("status", view.status());
        answer.set(part == Part.STATE ? "state" : "messages", array(part == Part.STATE ? contents.state() : contents.messages()));
        exchange.json(200, answer.put("next", contents.next()));
    }

    private static ArrayNode array(List<?> entries) {
        ArrayNode array = Json.array();
        entries.forEach(entry -> array.add(Json.tree(entry)));
        return array;
    }

    private void value(Exchange exchange, Part part, String at, String missing) throws InterruptedException {
        ProcessView view = look(exchange, ProcessLook.value(part, at));
        ProcessContents.Value value = view.contents().value();
        if (value == null) {
            throw Problem.caller(404, part == Part.VALUE ? "unknown-key" : "unknown-message", "Nothing there", "Process '" + view.process() + "' "
                    + missing + ".").asException();
        }
        if (value.bytes() == null) {
            throw Problem.caller(413, "value-too-large", "Too large a value", "The value has " + value.size() + " bytes, and "
                    + ProcessLook.VALUE_BYTES + " are the limit here; functions read it.").with("limit", ProcessLook.VALUE_BYTES)
                    .with("actual", value.size()).asException();
        }
        exchange.bytes(200, value.contentType(), ByteBuffer.wrap(value.bytes()));
    }

    private ProcessView look(Exchange exchange, ProcessLook look) throws InterruptedException {
        ApplicationVersion version = directory.load(exchange.path("app"), null);
        return ProcessesApi.ask(host.process(ProcessCommand.inspect(version.application(), version.version(),
                ProcessesApi.checked(exchange.path("process")), look)));
    }

    private static String key(Exchange exchange, String name) {
        String key = exchange.query(name);
        int bytes = key == null ? 0 : key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > KEY_BYTES) {
            throw Problems.badRequest("Query parameter '" + name + "' has 1 to " + KEY_BYTES + " bytes in UTF-8.").asException();
        }
        return key;
    }

    private static String number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw Problems.badRequest("A message is named by its number, not by '" + text + "'.").asException();
        }
        return text;
    }
}
