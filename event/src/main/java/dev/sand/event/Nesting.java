package dev.sand.event;

import java.nio.ByteBuffer;

/** How deep a JSON text is nested, found without reading it into anything: for saying by how much a limit was passed. */
public final class Nesting {
    private Nesting() {}

    /** @param json its content is not changed; what is no JSON gives some number */
    public static int deepest(ByteBuffer json) {
        int depth = 0;
        int deepest = 0;
        boolean inString = false;
        for (int i = json.position(); i < json.limit(); i++) {
            byte b = json.get(i);
            if (inString) {
                if (b == '\\') {
                    i++;
                } else if (b == '"') {
                    inString = false;
                }
            } else if (b == '"') {
                inString = true;
            } else if (b == '{' || b == '[') {
                deepest = Math.max(deepest, ++depth);
            } else if (b == '}' || b == ']') {
                depth--;
            }
        }
        return deepest;
    }
}
