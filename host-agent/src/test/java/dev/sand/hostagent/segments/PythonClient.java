package dev.sand.hostagent.segments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** segments_client.py in a process of its own. */
final class PythonClient implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private final Process process;
    private final Writer in;
    private final BufferedReader out;

    PythonClient(Path directory) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("python3", "src/test/resources/segments_client.py", directory.toString());
        builder.environment().put("PYTHONPATH", Path.of("../grain-worker/src").toAbsolutePath().toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        process = builder.start();
        in = process.outputWriter();
        out = process.inputReader();
    }

    long pid() {
        return process.pid();
    }

    JsonNode call(Object... command) throws IOException {
        in.write(JSON.writeValueAsString(List.of(command)) + "\n");
        in.flush();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the client ended");
        }
        return JSON.readTree(line);
    }

    @Override
    public void close() throws IOException {
        in.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
