package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sand.frontend.deployment.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads deploy/compose/*.yaml, so that the tests start what operators start; knows no more of compose than those files use. */
final class ComposeFile {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+)(?::-([^}]*))?}");

    private ComposeFile() {}

    /** @param binds HOST:CONTAINER[:ro]; volumes that Docker makes are left to the image. @param ports those to be published */
    record Service(String name, String image, List<String> command, Map<String, String> environment, List<String> binds,
                   List<Integer> ports, long memoryBytes, long pids, List<String> capDrop, List<String> securityOptions) {}

    /** @param variables what the file takes from the environment */
    static List<Service> read(Path file, Map<String, String> variables) throws IOException {
        JsonNode root = new ObjectMapper(new YAMLFactory()).readTree(file.toFile());
        List<Service> services = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.get("services").properties()) {
            JsonNode node = entry.getValue();
            Map<String, String> environment = new LinkedHashMap<>();
            node.path("environment").properties().forEach(e -> environment.put(e.getKey(), fill(e.getValue().asText(), variables)));
            services.add(new Service(entry.getKey(), fill(node.get("image").asText(), variables), texts(node.path("command"), variables),
                    environment, texts(node.path("volumes"), variables).stream().filter(bind -> bind.startsWith("/")).toList(),
                    texts(node.path("ports"), variables).stream().map(port -> Integer.parseInt(port.replaceFirst(".*:", ""))).toList(),
                    bytes(node.get("mem_limit").asText()), node.path("pids_limit").asLong(0),
                    texts(node.path("cap_drop"), variables), texts(node.path("security_opt"), variables)));
        }
        return services;
    }

    /** Compose writes 512m where the platform writes 512MiB. */
    private static long bytes(String text) {
        return Quantity.bytes(text.replaceFirst("m$", "MiB").replaceFirst("g$", "GiB"));
    }

    private static List<String> texts(JsonNode list, Map<String, String> variables) {
        List<String> texts = new ArrayList<>();
        list.forEach(item -> texts.add(fill(item.asText(), variables)));
        return texts;
    }

    private static String fill(String text, Map<String, String> variables) {
        return VARIABLE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(
                variables.getOrDefault(found.group(1), found.group(2) == null ? "" : found.group(2))));
    }
}
