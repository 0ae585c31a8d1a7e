package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.QueueSpec;
import dev.sand.hostagent.triggers.TriggerFigures.QueueReading;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages whose invocations fail, are refused, or are cut short by a host's death or their application's deletion. */
@Tag("slow")
class FailedDeliveriesTest extends TriggerRunnerFixture {
    @Test
    void whatWasUnderWayWhenTheHostDiedComesAgainUnderTheSameId() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost first = start(request -> FakeHost.text(request).equals("2") ? FakeHost.HOLD : null);
        await().until(() -> first.requests.size() == 2 && queues.depth("shop", "orders") == 1);
        runner.close();
        FakeHost second = start(request -> null);
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(second.inputs("work")).containsExactly("2");
        assertThat(second.requests.getFirst().executionId()).isEqualTo(first.requests.get(1).executionId());
    }

    @Test
    void aMessageThatFailsIsRetriedThenBuriedAndItsHandlerTold() {
        QueueSpec queue = queue(1, 1, 2, "mourn");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> request.target().equals("work") && FakeHost.text(request).equals("1") ? BROKEN : null);
        await().until(() -> host.inputs("mourn").size() == 1 && host.inputs("work").contains("2"));
        assertThat(host.inputs("work")).containsExactly("1", "1", "1", "2");
        assertThat(host.requests.stream().map(InvocationRequest::executionId)).doesNotHaveDuplicates();
        assertThat(host.inputs("mourn").getFirst()).contains("\"attempts\":3", "\"error\":\"ValueError\"", "\"payload\":1");
        DeadLetter letter = triggers.deadLetters("shop", "orders", null, 10).getFirst();
        assertThat(letter.id()).isEqualTo("m1");
        assertThat(letter.failure().cause()).isEqualTo("broken");
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(measured("orders")).isEqualTo(new QueueReading("shop", "orders", 0, 0, 5, 2, 0, 1));
    }

    @Test
    void whatFailsBehindItsApplicationsDeletionIsNoDeadLetterOfTheNextOne() {
        QueueSpec queue = queue(1, 1, 0, "mourn");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1");
        FakeHost host = start(request -> {
            registry.deleteApplication("shop");
            return BROKEN;
        });
        await().until(() -> !host.requests.isEmpty() && measured("orders").depth() == 0);
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
        assertThat(measured("orders").deadLetters()).isZero();
        assertThat(host.inputs("mourn")).isEmpty();
    }

    @Test
    void whatWasUnderWayWhenTheApplicationWasDeletedIsNoneOfTheNextOnes() throws Exception {
        QueueSpec queue = queue(1, 1, 5, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> request.version() == 1 ? BROKEN : null);
        await().until(() -> host.requests.size() > 1); // its first message fails, and is tried again and again
        runner.stop("shop", registry.forget("shop")).get(60, TimeUnit.SECONDS);
        int before = host.requests.size();
        registry.deleteApplication("shop");
        triggers.deleteApplication("shop");
        queues.deleteApplication("shop");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "3");
        await().until(() -> host.inputs("work").contains("3"));
        assertThat(host.requests.stream().skip(before)).as("only the next one's own").allMatch(request -> request.version() == 2);
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
    }

    @Test
    void whatThePlatformRefusesForNowIsNoAttempt() {
        QueueSpec queue = queue(1, 1, 0, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1");
        Map<String, Boolean> seen = new ConcurrentHashMap<>();
        FakeHost host = start(request -> seen.put("x", true) == null
                ? Failure.platform(Errors.OVERLOADED, "busy", true) : null);
        await().until(() -> host.requests.size() == 2);
        assertThat(host.requests.get(1).executionId()).isEqualTo(host.requests.get(0).executionId());
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
        assertThat(measured("orders").refused()).isEqualTo(1);
        assertThat(measured("orders").retries()).isZero();
    }
}
