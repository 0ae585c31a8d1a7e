package dev.sand.frontend.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sand.event.DedicatedSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DedicatedReaderTest {
    private static DedicatedSpec read(String json) throws JsonProcessingException {
        return DedicatedReader.read(new ObjectMapper().readTree(json.replace('\'', '"')));
    }

    @Test
    void whatIsNotSaidIsTheApplications() throws JsonProcessingException {
        assertThat(read("true")).isEqualTo(DedicatedSpec.PLAIN);
        assertThat(read("false")).isNull();
        assertThat(read("null")).isNull();
        assertThat(read("{}")).isEqualTo(DedicatedSpec.PLAIN);
        assertThat(read("{'memory': '128MiB', 'cpus': 0.5, 'pids': 64, 'image': 'own/latex:1', 'packages': ['g++', 'hello']}"))
                .isEqualTo(new DedicatedSpec(128L << 20, 0.5, 64, "own/latex:1", List.of("g++", "hello")));
    }

    @Test
    void theLeastOfAProcessorIsAHundredth() throws JsonProcessingException {
        assertThat(read("{'cpus': 0.01}").cpus()).isEqualTo(0.01);
        assertThat(read("{'cpus': 0}").cpus()).isZero();
        assertThatThrownBy(() -> read("{'cpus': 0.001}")).hasMessage("cpus is 0, or a number from 0.01 to 1024");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "'yes'", "{'cpu': 1}", "{'memory': '1MiB'}", "{'memory': 'much'}", "{'cpus': -1}", "{'cpus': 0.0099}", "{'cpus': '1'}",
            "{'pids': 1}", "{'image': '-v'}", "{'image': 'a b'}", "{'packages': 'hello'}", "{'packages': ['; true']}",
            "{'packages': ['-y']}"})
    void whatIsWrongIsSaid(String json) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(DedicatedReader.Wrong.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {"7 | ##", "{'cpu': 1} | ##", "{'memory': 'much'} | /memory",
        "{'memory': '1MiB'} | /memory", "{'cpus': -1} | /cpus", "{'pids': 1} | /pids", "{'image': '-v'} | /image",
        "{'packages': ['-y']} | /packages"})
    void andWhereItIs(String json, String pointer) {
        assertThatThrownBy(() -> read(json)).isInstanceOfSatisfying(DedicatedReader.Wrong.class, wrong ->
                assertThat(wrong.pointer()).isEqualTo(pointer));
    }
}
