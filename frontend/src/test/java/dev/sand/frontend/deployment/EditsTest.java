package dev.sand.frontend.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sand.frontend.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EditsTest {
    @TempDir
    private Path folder;

    @Test
    void aFileThatNobodyMayWriteToIsReplacedAndStaysAProgram() throws Exception {
        Path run = Files.writeString(folder.resolve("run.sh"), "old");
        Path other = Files.createLink(folder.resolve("other"), run);
        assertThat(run.toFile().setExecutable(true, false) && run.toFile().setReadOnly()).isTrue();
        new Edits(1, Map.of("run.sh", "new".getBytes())).applyTo(folder);
        assertThat(run).hasContent("new").isExecutable();
        assertThat(other).as("it was not written into").hasContent("old");
    }

    @Test
    void nothingIsBelowAFile() throws Exception {
        Files.writeString(folder.resolve("a"), "");
        Map<String, byte[]> gone = new HashMap<>();
        gone.put("a/b", null);
        for (Map<String, byte[]> files : List.of(Map.of("a/b/c", new byte[1]), gone)) {
            assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> new Edits(1, files).applyTo(folder));
        }
    }

    @Test
    void whatIsNoTextComesAsItsBytes() throws Exception {
        Edits.read("{\"base\": 1, \"files\": {\"a.py\": {\"base64\": \"Y2Fm6Qo=\"}, \"b.py\": \"café\"}}".getBytes(StandardCharsets.UTF_8)).applyTo(folder);
        assertThat(folder.resolve("a.py")).hasBinaryContent(new byte[] {'c', 'a', 'f', (byte) 0xe9, '\n'});
        assertThat(folder.resolve("b.py")).hasContent("café");
        for (String file : List.of("{\"base64\": \"no base\"}", "{\"base64\": 1}", "{}", "{\"base64\": \"\", \"x\": 1}", "[]")) {
            assertThatExceptionOfType(ProblemException.class).as(file)
                    .isThrownBy(() -> Edits.read(("{\"base\": 1, \"files\": {\"a\": " + file + "}}").getBytes()));
        }
    }

    @Test
    void theyAreFew() {
        String files = IntStream.range(0, 1_001).mapToObj(i -> "\"" + i + "\": null").collect(Collectors.joining(", "));
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> Edits.read(("{\"base\": 1, \"files\": {" + files + "}}").getBytes()));
    }
}
