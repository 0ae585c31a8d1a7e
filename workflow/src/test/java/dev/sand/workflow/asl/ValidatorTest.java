package dev.sand.workflow.asl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.workflow.asl.Diagnostic.Code;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValidatorTest {
    private static List<Diagnostic> validate(String definition) {
        return Validator.validate(definition, Set.of("resize"));
    }

    private static String task(String resource) {
        return "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Task\",\"Resource\":\"" + resource + "\",\"End\":true}}}";
    }

    @Test
    void aTaskNamesAGrainThatIsThere() {
        assertThat(validate(task("resize"))).isEmpty();
        assertThat(validate(task("sand:grain:resize"))).isEmpty();
        assertThat(validate(task("arn:aws:lambda:eu-west-1:123456789012:function:resize"))).isEmpty();
        assertThat(validate(task("crop"))).singleElement().satisfies(diagnostic -> {
            assertThat(diagnostic.pointer()).isEqualTo("/States/A/Resource");
            assertThat(diagnostic.code()).isEqualTo(Code.UNKNOWN_GRAIN);
            assertThat(diagnostic.message()).contains("crop");
        });
    }

    @Test
    void aFunctionThatIsInvokedIsAGrainThatIsKnownBeforehand() {
        String invoke = "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Task\",\"Resource\":\"arn:aws:states:::lambda:invoke\","
                + "\"Parameters\":{%s},\"End\":true}}}";
        assertThat(validate(invoke.formatted("\"FunctionName\":\"resize:PROD\""))).isEmpty();
        assertThat(validate(invoke.formatted("\"FunctionName\":\"crop\""))).singleElement()
                .satisfies(diagnostic -> assertThat(diagnostic.code()).isEqualTo(Code.UNKNOWN_GRAIN));
        assertThat(validate(invoke.formatted("\"FunctionName.$\":\"$.f\""))).singleElement()
                .satisfies(diagnostic -> assertThat(diagnostic.code()).isEqualTo(Code.NOT_SUPPORTED));
    }

    @Test
    void aDefinitionOfTenMegabytesIsRefusedUnread() {
        String padding = "x".repeat(10 << 20);
        assertThat(validate("{\"Comment\":\"" + padding + "\"}")).singleElement()
                .satisfies(diagnostic -> assertThat(diagnostic.code()).isEqualTo(Code.TOO_LARGE));
    }

    @Test
    void deepNestingIsRefused() {
        assertThat(validate("[".repeat(50_000))).singleElement()
                .satisfies(diagnostic -> assertThat(diagnostic.code()).isEqualTo(Code.TOO_DEEP));
    }

    @Test
    void diagnosticsAreBounded() {
        String states = IntStream.range(0, 5000).mapToObj(i -> "\"S" + i + "\":{\"Type\":\"Nope\"}").collect(Collectors.joining(","));
        assertThat(validate("{\"StartAt\":\"S0\",\"States\":{" + states + "}}")).hasSize(100);
    }

    @Test
    void aHugeChoiceIsAccepted() {
        String rules = IntStream.range(0, 5000).mapToObj(i -> "{\"Variable\":\"$.x\",\"NumericEquals\":" + i + ",\"Next\":\"B\"}")
                .collect(Collectors.joining(","));
        assertThat(validate("{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Choice\",\"Choices\":[" + rules
                + "],\"Default\":\"B\"},\"B\":{\"Type\":\"Succeed\"}}}")).isEmpty();
    }

    @Test
    void aRegularExpressionInAPathIsRefused() {
        assertThat(validate("{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Pass\",\"End\":true,"
                + "\"InputPath\":\"$.a[?(@.b =~ /(a+)+$/)]\"}}}")).singleElement()
                .satisfies(diagnostic -> assertThat(diagnostic.code()).isEqualTo(Code.INVALID_PATH));
    }

    @Test
    void garbageNeverThrows() {
        for (String definition : List.of("", " ", "null", "[]", "7", "\"text\"", "{}", "{\"States\":[]}", "{\"States\":{\"A\":null}}",
                "{\"StartAt\":{},\"States\":{\"A\":{\"Type\":[]}}}", "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Map\",\"Iterator\":7}}}",
                "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Parallel\",\"Branches\":[null,{}],\"End\":true}}}",
                "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Choice\",\"Choices\":[{\"And\":[{\"Not\":7}]}]}}}",
                "{\"StartAt\":\"A\",\"States\":{}}", "{} {}", "\u0000", "{\"a\":1e999999999}")) {
            assertThat(validate(definition)).as(definition).isNotEmpty();
        }
    }
}
