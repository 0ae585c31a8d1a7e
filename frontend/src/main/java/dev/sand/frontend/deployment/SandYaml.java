package dev.sand.frontend.deployment;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import dev.sand.frontend.deployment.Finding.Findings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;

/** {@code sand.yaml} as a document that its JSON schema accepts. */
final class SandYaml {
    static final String FILE = "sand.yaml";
    private static final int FILE_BYTES = 1 << 20;
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder().loaderOptions(options()).build())
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    private static final JsonSchema SCHEMA = schema();

    private SandYaml() {}

    private static LoaderOptions options() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(FILE_BYTES);
        options.setMaxAliasesForCollections(50);
        options.setNestingDepthLimit(50);
        return options;
    }

    private static JsonSchema schema() {
        try (InputStream in = SandYaml.class.getResourceAsStream("/dev/sand/frontend/sand.schema.json")) {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(in, SchemaValidatorsConfig.builder().pathType(PathType.JSON_POINTER).build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the document, or null with the findings saying why */
    static JsonNode read(Path folder, Findings findings) {
        Path file = folder.resolve(FILE);
        JsonNode document;
        try {
            if (Files.size(file) > FILE_BYTES) {
                findings.add(FILE, "", "it has " + Files.size(file) + " bytes, the limit is " + FILE_BYTES);
                return null;
            }
            document = only(Files.readAllBytes(file), findings);
            if (document == null) {
                return null;
            }
        } catch (NoSuchFileException e) {
            findings.add(FILE, "", "there is none: an application folder has a sand.yaml with at least its name");
            return null;
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            findings.add(FILE, "", "not YAML" + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr())
                    + ": " + sentence(e.getOriginalMessage()));
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var messages = SCHEMA.validate(document);
        messages.forEach(message -> findings.add(FILE, message.getInstanceLocation().toString(), detail(message)));
        return messages.isEmpty() ? document : null;
    }

    /** A second document would be left out in silence, with all that its author put there. */
    private static JsonNode only(byte[] text, Findings findings) throws IOException {
        try (JsonParser parser = YAML.createParser(text)) {
            JsonNode document = YAML.readTree(parser);
            if (document == null || document.isNull()) {
                findings.add(FILE, "", "it is empty: an application has at least its name");
                return null;
            }
            if (parser.nextToken() != null) {
                findings.add(FILE, "", "it has more than one document (a line '---' begins the next); one application is one document");
                return null;
            }
            return document;
        }
    }

    /** The parser's own message repeats the place and shows the line, over many lines. */
    private static String sentence(String message) {
        return message.lines().filter(line -> !line.isBlank() && !line.startsWith(" ")).collect(Collectors.joining("; "));
    }

    private static String detail(com.networknt.schema.ValidationMessage message) {
        // The validator puts the place in front of its sentence; it is in the pointer already.
        if (message.getType().equals("additionalProperties")) {
            return "there is no key '" + message.getProperty() + "' here";
        }
        String text = message.getMessage();
        String place = message.getInstanceLocation() + ": ";
        return text.startsWith(place) ? text.substring(place.length()) : text;
    }
}
