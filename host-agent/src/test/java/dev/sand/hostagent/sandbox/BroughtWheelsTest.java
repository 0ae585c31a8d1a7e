package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** They stand for an index only where that could give nothing else. */
class BroughtWheelsTest {
    @TempDir
    private Path folder;

    private List<String> of(String... requirements) throws IOException {
        for (String name : List.of("argon2_cffi-25.1.0-py3-none-any.whl", "cffi-2.1.1-cp311-cp311-manylinux2014_x86_64.whl",
                "cffi-2.1.1-cp312-cp312-manylinux2014_x86_64.whl", "requirements.txt")) {
            Files.writeString(folder.resolve(name), "");
        }
        return new BroughtWheels(folder).of(List.of(requirements)).stream().map(wheel -> wheel.getFileName().toString()).toList();
    }

    @Test
    void allWheelsOfWhatIsPinnedAreFoundForWhicheverPython() throws IOException {
        assertThat(of("argon2-cffi==25.1.0", "CFFI == 2.1.1")).containsExactly("argon2_cffi-25.1.0-py3-none-any.whl",
                "cffi-2.1.1-cp311-cp311-manylinux2014_x86_64.whl", "cffi-2.1.1-cp312-cp312-manylinux2014_x86_64.whl");
    }

    @Test
    void whatIsNotPinnedOrNotAllThereIsTheIndexs() throws IOException {
        assertThat(of("argon2-cffi>=25")).isEmpty();
        assertThat(of("argon2-cffi")).isEmpty();
        assertThat(of("argon2-cffi==25.1")).isEmpty();
        assertThat(of("cffi==2.1.1", "idna==3.4")).isEmpty();
        assertThat(of("cffi==2.1.1; python_version < '3'")).isEmpty();
        assertThat(new BroughtWheels(null).of(List.of("cffi==2.1.1"))).isEmpty();
        assertThat(new BroughtWheels(folder.resolve("none")).of(List.of("cffi==2.1.1"))).isEmpty();
    }
}
