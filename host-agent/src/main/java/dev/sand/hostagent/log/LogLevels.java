package dev.sand.hostagent.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Finds the level of a structured line: one JSON object with "level" and "message". */
final class LogLevels {
    private final JsonFactory json = new JsonFactory();

    /** @return null when the line is no such object */
    String of(String line) {
        if (!line.startsWith("{") || !line.contains("\"level\"") || !line.contains("\"message\"")) {
            return null;
        }
        try (JsonParser parser = json.createParser(line)) {
            parser.nextToken();
            String level = null;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean isLevel = "level".equals(parser.currentName());
                JsonToken value = parser.nextToken();
                if (isLevel && value == JsonToken.VALUE_STRING) {
                    level = parser.getText();
                }
                parser.skipChildren();
            }
            return level;
        } catch (IOException e) {
            return null;
        }
    }
}
