package dev.sand.workflow.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.trial.StateTrial.Outcome;
import dev.sand.workflow.trial.StateTrial.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One state by itself: its output, and where it would go on. */
class StateTrialTest {
    private static final String MACHINE = """
            {"StartAt": "Greet", "States": {
              "Greet": {"Type": "Task", "Resource": "greet", "ResultPath": "$.said", "Next": "Big?",
                "Retry": [{"ErrorEquals": ["Busy"], "MaxAttempts": 1}],
                "Catch": [{"ErrorEquals": ["Busy"], "ResultPath": "$.why", "Next": "Big?"}, {"ErrorEquals": ["States.ALL"], "Next": "Sorry"}]},
              "Big?": {"Type": "Choice", "Choices": [{"Variable": "$.n", "NumericGreaterThan": 10, "Next": "Each"}], "Default": "Sorry"},
              "Each": {"Type": "Map", "ItemsPath": "$.items", "End": true,
                "ItemProcessor": {"StartAt": "One", "States": {"One": {"Type": "Pass", "QueryLanguage": "JSONata",
                  "Output": "{% $states.input + $v %}", "End": true}}}},
              "Sorry": {"Type": "Fail", "ErrorPath": "$.e", "Cause": "sorry"},
              "Fine": {"Type": "Succeed", "OutputPath": "$.a"}}}""";

    private static JsonNode json(String text) {
        try {
            return Json.MAPPER.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Outcome run(String state, String input, String variables, String grains) {
        return (Outcome) StateTrial.run(json(MACHINE), state, json(input), variables == null ? null : json(variables),
                grains == null ? null : json(grains));
    }

    @Test
    void aTaskGivesWhatItsResultMakesOfItsInputAndTheNextState() {
        assertThat(run("Greet", "{\"n\": 1}", null, "{\"greet\": {\"return\": \"hello\"}}"))
                .isEqualTo(new Outcome(Status.SUCCEEDED, json("{\"n\": 1, \"said\": \"hello\"}"), "Big?", null, null));
    }

    @Test
    void anErrorThatIsCaughtSaysWhereItGoesThoughThatIsWhereSuccessGoesToo() {
        assertThat(run("Greet", "{\"n\": 1}", null, "{\"greet\": {\"raise\": {\"error\": \"Busy\", \"cause\": \"now\"}}}"))
                .extracting(Outcome::status, Outcome::next, outcome -> outcome.output().path("why").path("Error").asText())
                .containsExactly(Status.CAUGHT, "Big?", "Busy");
        assertThat(run("Greet", "{}", null, "{\"greet\": {\"raise\": {\"error\": \"Other\", \"cause\": \"c\"}}}"))
                .isEqualTo(new Outcome(Status.CAUGHT, json("{\"Error\": \"Other\", \"Cause\": \"c\"}"), "Sorry", "Other", "c"));
    }

    /** localstack/localstack, v2/test_state/test_test_state_scenarios, test_state_task_catch_error, as recorded on AWS on 2025-11-21. */
    @Test
    void anErrorThatIsCaughtIsToldWhateverGoesOn() {
        assertThat(run("Greet", "{\"n\": 1}", null, "{\"greet\": {\"raise\": {\"error\": \"Busy\", \"cause\": \"now\"}}}"))
                .extracting(Outcome::error, Outcome::cause).containsExactly("Busy", "now");
        JsonNode machine = json("""
                {"QueryLanguage": "JSONata", "StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "g", "End": true, "Catch": [
                  {"ErrorEquals": ["E"], "Assign": {"seen": "{% $states.errorOutput.Error %}"}, "Output": "{% $keys($states) %}", "Next": "B"}]}}}""");
        assertThat(StateTrial.run(machine, "A", json("{}"), null, json("{\"g\": {\"raise\": {\"error\": \"E\", \"cause\": \"c\"}}}")))
                .isEqualTo(new Outcome(Status.CAUGHT, json("[\"input\", \"context\", \"errorOutput\"]"), "B", "E", "c"));
    }

    /** localstack/localstack, v2/test_state/test_state_context_object, test_state_map_context_object, as recorded on AWS on 2025-12-03. */
    @Test
    void aCauseNamesNoEvent() {
        assertThat(run("Each", "{\"items\": 5}", "{\"v\": 10}", null)).extracting(Outcome::error, Outcome::cause)
                .containsExactly("States.Runtime", "Reference path \"$.items\" must point to array.");
        assertThat(run("Each", "{\"items\": [\"x\"]}", "{\"v\": 10}", null).cause()).startsWith("An error occurred while executing the state 'One'");
    }

    @Test
    void whatACatchMakesOfAnErrorIsNotTakenForIt() {
        JsonNode machine = json("""
                {"StartAt": "A", "QueryLanguage": "JSONata", "States": {"A": {"Type": "Task", "Resource": "g", "End": true, "Catch":
                  [{"ErrorEquals": ["States.ALL"], "Next": "B", "Output": {"Error": 5, "Cause": {"a": 1}}}]}}}""");
        assertThat(StateTrial.run(machine, "A", json("{}"), null, json("{\"g\": {\"raise\": {\"error\": \"X\"}}}")))
                .isEqualTo(new Outcome(Status.CAUGHT, json("{\"Error\": 5, \"Cause\": {\"a\": 1}}"), "B", "X", null));
    }

    @Test
    void statesMayBeNamedAsTheTrialNamesItsOwn() {
        JsonNode machine = json("""
                {"StartAt": "way 0", "States": {"way 0": {"Type": "Map", "ItemsPath": "$.items", "Next": "way 1", "ItemProcessor":
                  {"StartAt": "way of variables", "States": {"way of variables": {"Type": "Pass", "Parameters": {"v.$": "$v"}, "End": true}}}}}}""");
        assertThat(StateTrial.run(machine, "way 0", json("{\"items\": [1]}"), json("{\"v\": 7}"), null))
                .isEqualTo(new Outcome(Status.SUCCEEDED, json("[{\"v\": 7}]"), "way 1", null, null));
    }

    @Test
    void anEndThatIsNoBooleanIsAMistake() {
        JsonNode machine = json("{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Pass\", \"End\": \"true\"}}}");
        assertThat(StateTrial.run(machine, "A", json("{}"), null, null)).asInstanceOf(list(Diagnostic.class))
                .first().extracting(Diagnostic::pointer).isEqualTo("/States/A/End");
    }

    @Test
    void anErrorThatARetryOutlivesIsNone() {
        assertThat(run("Greet", "{}", null, "{\"greet\": [{\"raise\": {\"error\": \"Busy\"}}, {\"return\": 2}]}").output())
                .isEqualTo(json("{\"said\": 2}"));
    }

    @Test
    void aChoiceSaysWhichWayItGoes() {
        assertThat(run("Big?", "{\"n\": 11}", null, null).next()).isEqualTo("Each");
        assertThat(run("Big?", "{\"n\": 10}", null, null).next()).isEqualTo("Sorry");
        assertThat(run("Big?", "{}", null, null)).extracting(Outcome::status, Outcome::error).containsExactly(Status.FAILED, "States.Runtime");
    }

    @Test
    void aMapRunsWholeAndTheEndHasNoNext() {
        assertThat(run("Each", "{\"items\": [1, 2]}", "{\"v\": 10}", null))
                .isEqualTo(new Outcome(Status.SUCCEEDED, json("[11, 12]"), null, null, null));
    }

    @Test
    void aStateWithinAMapIsFoundByItsName() {
        assertThat(run("One", "5", "{\"v\": 1}", null).output()).isEqualTo(json("6"));
    }

    @Test
    void statesThatEndAnExecutionEndThis() {
        assertThat(run("Sorry", "{\"e\": \"E\"}", null, null)).isEqualTo(new Outcome(Status.FAILED, null, null, "E", "sorry"));
        assertThat(run("Fine", "{\"a\": [1]}", null, null)).isEqualTo(new Outcome(Status.SUCCEEDED, json("[1]"), null, null, null));
    }

    @Test
    void whatIsWrongWithItIsSaidAndWhatIsWrongWithOthersIsNot() {
        JsonNode machine = json("{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Pass\", \"Next\": \"nowhere\"}, \"B\": {\"Type\": \"Nap\"}}}");
        assertThat(StateTrial.run(machine, "A", json("{}"), null, null)).isInstanceOf(Outcome.class);
        assertThat(StateTrial.run(machine, "B", json("{}"), null, null)).isInstanceOfSatisfying(List.class, found -> assertThat(found).isNotEmpty()
                .allSatisfy(each -> assertThat(((Diagnostic) each).pointer()).startsWith("/States/B")));
        assertThat(StateTrial.run(machine, "C", json("{}"), null, null)).isNull();
    }
}
