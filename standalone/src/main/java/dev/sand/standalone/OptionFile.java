package dev.sand.standalone;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Options in a file: the same names as on the command line, without the dashes before them. {@code .yaml} and {@code .yml}
 * are YAML, where a list is its entries with commas between them; anything else has a line {@code name=value} each.
 */
final class OptionFile {
    private OptionFile() {}

    /** @return values by option, as if typed; @throws IllegalArgumentException with one sentence */
    static Map<String, String> read(Path file) {
        String name = file.getFileName().toString();
        Map<String, String> read = name.endsWith(".yaml") || name.endsWith(".yml") ? yaml(file) : properties(file);
        Map<String, String> options = new LinkedHashMap<>();
        read.forEach((option, value) -> {
            if (option.startsWith("-") || option.equals("config")) {
                throw new IllegalArgumentException(file + ": '" + option + "' is no name of an option; write host-id, not --host-id");
            }
            options.put("--" + option, value);
        });
        return options;
    }

    static Map<String, String> properties(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + e);
        }
        Map<String, String> values = new LinkedHashMap<>();
        properties.stringPropertyNames().stream().sorted().forEach(name -> values.put(name, properties.getProperty(name).strip()));
        return values;
    }

    private static Map<String, String> yaml(Path file) {
        JsonNode document;
        try {
            document = new YAMLMapper().readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + " is not YAML: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + e);
        }
        Map<String, String> values = new LinkedHashMap<>();
        if (document != null && !document.isMissingNode() && !document.isNull() && !document.isObject()) {
            throw new IllegalArgumentException(file + " is a list of names and values: host-id: a");
        }
        if (document != null) {
            document.properties().forEach(entry -> values.put(entry.getKey(), value(file, entry.getKey(), entry.getValue())));
        }
        return values;
    }

    private static String value(Path file, String name, JsonNode node) {
        if (node.isValueNode() && !node.isNull()) {
            return node.asText();
        }
        if (node.isArray()) {
            List<String> entries = new ArrayList<>();
            node.forEach(entry -> entries.add(value(file, name, entry)));
            return String.join(",", entries);
        }
        throw new IllegalArgumentException(file + ": " + name + " has no value");
    }
}
