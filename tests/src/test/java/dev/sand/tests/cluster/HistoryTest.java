package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sand.tests.cluster.History.Accepted;
import dev.sand.tests.cluster.History.AskedAgain;
import dev.sand.tests.cluster.History.Ended;
import dev.sand.tests.cluster.History.Recorded;
import dev.sand.tests.cluster.History.Seen;
import dev.sand.tests.cluster.History.TurnedAway;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker finds each thing that it is there for, and nothing where all is well. */
class HistoryTest {
    private static final Set<String> STEPS = Set.of("a", "b");
    private static final String ALL = "{\"e1\": [\"a\", \"b\"]}";
    private static final Ended END = new Ended(1, "e1", true, true, "17");
    private static final AskedAgain AGAIN = new AskedAgain(1, "e1", true, "17");
    private static final Recorded RECORD = new Recorded("e1", "SUCCEEDED", 5, List.of("e1/a", "e1/b"));

    private static List<String> wrong(String did, String didAtLast, Seen... seen) throws Exception {
        ObjectMapper json = new ObjectMapper();
        History history = new History();
        for (Seen one : seen) {
            history.add(one);
        }
        JsonNode before = json.readTree(did);
        return HistoryCheck.violations(history, before, json.readTree(didAtLast), STEPS);
    }

    private static List<String> wrong(String did, Seen... seen) throws Exception {
        return wrong(did, did, seen);
    }

    @Test
    void aGoodHistoryHasNothingWrong() throws Exception {
        assertThat(wrong("{\"e1\": [\"b\", \"a\", \"a\"], \"e2\": [\"a\"]}", new Accepted(1, "e1"), END, RECORD, AGAIN, RECORD,
                new TurnedAway(2, null, false, "no connection"), new Ended(2, "e2", false, true, "its deadline"),
                new Recorded("e2", "FAILED", 6, List.of("e2/a")))).isEmpty();
    }

    @Test
    void anAcceptedRequestWithoutAnAnswerIsFound() throws Exception {
        assertThat(wrong("{}", new Accepted(1, "e1"))).singleElement().asString().contains("never answered");
    }

    @Test
    void twoExecutionsOfOneRequestAreFound() throws Exception {
        assertThat(wrong(ALL, new Accepted(1, "e0"), END, RECORD, AGAIN)).singleElement().asString().contains("several executions");
    }

    @Test
    void anEndInTwoWaysIsFound() throws Exception {
        assertThat(wrong(ALL, new Ended(1, "e1", false, true, "x"), END, RECORD, AGAIN)).anyMatch(one -> one.contains("two ways"));
    }

    @Test
    void aWrongAnswerIsFound() throws Exception {
        assertThat(wrong(ALL, new Ended(1, "e1", true, false, "17"), RECORD, AGAIN)).singleElement().asString().contains("wrongly");
    }

    @Test
    void aMissingStepIsFound() throws Exception {
        assertThat(wrong("{\"e1\": [\"a\"]}", END, RECORD, AGAIN)).singleElement().asString().contains("without [b]");
    }

    @Test
    void oneExecutionForTwoRequestsIsFound() throws Exception {
        assertThat(wrong(ALL, END, AGAIN, RECORD, new Ended(2, "e1", true, true, "18"), new AskedAgain(2, "e1", true, "18")))
                .singleElement().asString().contains("answered requests 1 and 2");
    }

    @Test
    void anExecutionOfNoRequestIsFound() throws Exception {
        assertThat(wrong("{\"e1\": [\"a\", \"b\"], \"e9\": [\"a\"]}", END, RECORD, AGAIN)).singleElement().asString()
                .contains("e9 is of no request");
    }

    @Test
    void anotherExecutionOfARequestThatMayHaveRunIsFound() throws Exception {
        assertThat(wrong(ALL, new TurnedAway(1, "e0", true, "503"), END, RECORD, AGAIN)).singleElement().asString()
                .contains("another execution than e0");
        assertThat(wrong(ALL, new TurnedAway(1, "e1", true, "503"), END, RECORD, AGAIN)).as("the same is well").isEmpty();
    }

    @Test
    void oneThatWasTurnedAwayAndRanAllTheSameIsFound() throws Exception {
        TurnedAway away = new TurnedAway(1, "e0", false, "503");
        assertThat(wrong("{\"e1\": [\"a\", \"b\"], \"e0\": [\"a\"]}", away, END, RECORD, AGAIN)).singleElement().asString()
                .contains("turned away as e0");
        assertThat(wrong(ALL, away, END, RECORD, AGAIN)).as("nothing was begun: the key is free").isEmpty();
    }

    @Test
    void aSecondAnswerThatIsNotTheFirstOnesIsFound() throws Exception {
        assertThat(wrong(ALL, END, RECORD)).singleElement().asString().contains("was not asked again");
        assertThat(wrong(ALL, END, RECORD, new AskedAgain(1, "e1", false, "17"))).singleElement().asString().contains("does not say");
        assertThat(wrong(ALL, END, RECORD, new AskedAgain(1, "e1", true, "18"))).singleElement().asString().contains("otherwise");
        assertThat(wrong(ALL, END, RECORD, new AskedAgain(1, "e2", true, "17"))).singleElement().asString().contains("otherwise");
    }

    @Test
    void whatIsDoneAgainWhenAskedAgainIsFound() throws Exception {
        assertThat(wrong(ALL, "{\"e1\": [\"a\", \"b\", \"b\"]}", END, RECORD, AGAIN)).singleElement().asString()
                .contains("after all was asked again");
        assertThat(wrong(ALL, "{\"e1\": [\"b\", \"a\"], \"e2\": [\"a\"]}", END, RECORD, AGAIN)).singleElement().asString()
                .contains("execution e2 did ");
    }

    @Test
    void twoEndsOfOneExecutionAreFound() throws Exception {
        assertThat(wrong(ALL, END, RECORD, AGAIN, new Recorded("e1", "SUCCEEDED", 9, List.of()))).singleElement().asString()
                .contains("ended more than once");
    }

    @Test
    void anEventThatCountedTwiceIsFound() throws Exception {
        assertThat(wrong(ALL, END, AGAIN, new Recorded("e1", "SUCCEEDED", 5, List.of("e1/a", "e1/a")))).singleElement().asString()
                .contains("twice: [e1/a]");
    }

    @Test
    void anAnswerThatItsRecordDoesNotHaveIsFound() throws Exception {
        assertThat(wrong(ALL, END, AGAIN)).singleElement().asString().contains("its record has no end");
        assertThat(wrong(ALL, END, AGAIN, new Recorded("e1", "FAILED", 5, List.of()))).singleElement().asString()
                .contains("otherwise than its record");
    }
}
