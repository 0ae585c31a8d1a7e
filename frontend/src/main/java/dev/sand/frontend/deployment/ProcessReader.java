package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.DedicatedSpec;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessSpec.Function;
import dev.sand.event.ProcessSpec.Trigger;
import dev.sand.frontend.deployment.Finding.Findings;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** {@code processes:} of {@code sand.yaml} and {@code process:} of its grains, over {@code defaults:}. */
final class ProcessReader {
    private static final ProcessSpec BASE = ProcessSpec.DEFAULT;
    private final JsonNode yaml;
    private final Findings findings;

    ProcessReader(JsonNode yaml, Findings findings) {
        this.yaml = yaml;
        this.findings = findings;
    }

    /** @return null when nothing is said: then the version's record is one that older platforms read */
    ProcessSpec read(Collection<String> grains) {
        JsonNode node = yaml.path("processes");
        JsonNode mailbox = node.path("mailbox");
        int messages = mailbox.path("messages").asInt(BASE.mailboxMessages());
        Map<String, Function> functions = new TreeMap<>();
        for (String grain : grains) {
            JsonNode own = yaml.path("grains").path(grain).path("process");
            JsonNode said = own.isMissingNode() ? yaml.path("defaults").path("process") : own;
            if (!said.isMissingNode()) {
                functions.put(grain, function(said, "/grains/" + grain + "/process/trigger", messages));
            }
        }
        if (node.isMissingNode() && functions.isEmpty()) {
            return null;
        }
        long memory = quantity(node, "memory", "/processes", BASE.memoryBytes(), Quantity::bytes);
        String tooLittle = ProcessSpec.wrongMemory(memory);
        if (tooLittle != null) {
            findings.add(SandYaml.FILE, "/processes/memory", tooLittle);
        }
        long state = quantity(node, "state", "/processes", 0, Quantity::bytes);
        if (node.hasNonNull("state") && state < memory) {
            findings.add(SandYaml.FILE, "/processes/state", "all of a process's state is not less than what it has in memory, "
                    + memory + " bytes");
        }
        return new ProcessSpec(node.path("concurrency").asInt(BASE.concurrency()), node.path("queue").asInt(BASE.queueDepth()), messages,
                quantity(mailbox, "bytes", "/processes/mailbox", BASE.mailboxBytes(), Quantity::bytes),
                memory,
                quantity(node, "idle", "/processes", BASE.idleMs(), Quantity::millis),
                quantity(node, "swap_after", "/processes", BASE.swapAfterMs(), Quantity::millis), functions,
                dedicated(node.path("dedicated")), state);
    }

    private DedicatedSpec dedicated(JsonNode said) {
        try {
            return DedicatedReader.read(said);
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, "/processes/dedicated", e.getMessage());
            return null;
        }
    }

    /** @param most messages that are ever there at once */
    private Function function(JsonNode said, String pointer, int most) {
        JsonNode trigger = said.path("trigger");
        int count = trigger.path("count").asInt(1);
        if (count > most) {
            findings.add(SandYaml.FILE, pointer + "/count", "a mailbox has room for " + most + " messages: " + count + " are never there");
        }
        String type = trigger.path("type").asText("standard").toUpperCase(Locale.ROOT).replace('-', '_');
        return new Function(Trigger.valueOf(type), count, quantity(trigger, "timeout", pointer, 0, Quantity::millis),
                said.path("atomic").asBoolean());
    }

    private long quantity(JsonNode node, String key, String pointer, long otherwise, ToLongFunction<String> parse) {
        if (!node.hasNonNull(key)) {
            return otherwise;
        }
        try {
            return parse.applyAsLong(node.get(key).asText());
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, pointer + "/" + key, e.getMessage());
            return otherwise;
        }
    }
}
