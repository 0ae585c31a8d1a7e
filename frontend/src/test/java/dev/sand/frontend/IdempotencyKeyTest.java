package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.ScopeParts;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Slots;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A request under an Idempotency-Key, sent again: one execution, at whichever frontend. */
class IdempotencyKeyTest extends WithDemo {
    @Test
    void the_same_key_is_the_same_execution() throws Exception {
        HttpResponse<byte[]> first = platform.post("/invoke/demo/echo", "{\"n\": 1}", "Idempotency-Key", "\"k-1\"");
        HttpResponse<byte[]> again = platform.post("/invoke/demo/echo", "{\"n\": 1}", "Idempotency-Key", "k-1");
        assertThat(text(again)).isEqualTo(text(first));
        assertThat(again.headers().firstValue("Sand-Execution-Id")).isEqualTo(first.headers().firstValue("Sand-Execution-Id"));
        assertThat(platform.host.requests).hasSize(1);
        HttpResponse<byte[]> other = platform.post("/invoke/demo/echo", "{\"n\": 2}", "Idempotency-Key", "k-1");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(json(other).path("type").asText()).isEqualTo("https://sand.dev/problems/idempotency-key-reused");
        assertThat(platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "k-1", "Prefer", "respond-async").statusCode())
                .as("another target").isEqualTo(202);
    }

    @Test
    void a_key_finds_the_process_that_it_made() throws Exception {
        String path = "/api/v1/apps/demo/processes/invoke?function=echo";
        HttpResponse<byte[]> first = platform.post(path, "1", "Idempotency-Key", "p");
        try (Frontend other = platform.anotherFrontend()) {
            HttpResponse<byte[]> again = platform.postTo(other.address().getPort(), path, "1", "Idempotency-Key", "p");
            for (String header : List.of("Sand-Process", "Sand-Execution-Id")) {
                assertThat(again.headers().firstValue(header)).isPresent().isEqualTo(first.headers().firstValue(header));
            }
            assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        }
        InvocationRequest request = platform.host.requests.getLast();
        assertThat(first.headers().firstValue("Sand-Process")).hasValue(request.process());
        assertThat(Slots.of(request.executionId(), Slots.DEFAULT)).isEqualTo(Slots.of(request.process(), Slots.DEFAULT));
        for (String process : List.of("other", request.process())) {
            assertThat(platform.post(path + "&process=" + process, "1", "Idempotency-Key", "p").statusCode()).isEqualTo(422);
        }
        assertThat(platform.post(path + "&process=a", "1", "Idempotency-Key", "q").statusCode()).isEqualTo(200);
        assertThat(platform.post(path + "&process=b", "1", "Idempotency-Key", "q").statusCode()).isEqualTo(422);
        assertThat(platform.post(path, "1", "Idempotency-Key", "q").statusCode()).isEqualTo(422);
        assertThat(platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "q").statusCode()).as("in none").isEqualTo(200);
        assertThat(platform.host.requests).extracting(InvocationRequest::process).containsExactly(request.process(), "a", null);
        assertThat(platform.post(path, "1", "Idempotency-Key", "r").headers().firstValue("Sand-Process"))
                .isPresent().isNotEqualTo(first.headers().firstValue("Sand-Process"));
    }

    @Test
    void a_key_joins_the_execution_that_runs_and_is_free_again_when_it_was_turned_away() throws Exception {
        HttpResponse<byte[]> first = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "j", "Prefer", "respond-async");
        var second = CompletableFuture.supplyAsync(() -> {
            try {
                return platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "j");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        String id = json(first).path("executionId").asText();
        await().until(() -> platform.host.running.get(id).listeners().size() == 2);
        platform.host.release(id, Payload.json("2".getBytes(StandardCharsets.UTF_8)));
        assertThat(text(second.get())).isEqualTo("2");

        for (int i = 0; i < 20; i++) {
            assertThat(platform.post("/invoke/demo/full", "1", "Idempotency-Key", "f").statusCode()).isEqualTo(429);
        }
        assertThat(platform.host.requests.stream().filter(r -> r.target().equals("full")).map(r -> r.executionId()))
                .as("free when the answer is there: an id is never asked for again, and its key then freed").doesNotHaveDuplicates();
    }

    /** What it did before stays: it is not the platform that was full before it began. */
    @Test
    void a_function_that_lets_a_refusal_through_has_run_and_keeps_its_key() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        platform.host.direct = (request, listener) -> {
            asked.add(request.executionId());
            listener.onEnd(new InvocationResult(request.executionId(), Status.FAILED, null,
                    Failure.grain(Errors.OVERLOADED, "a mailbox is full", null), List.of()));
        };
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> full = platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "g");
            assertThat(full.statusCode()).isEqualTo(429);
            assertThat(full.headers().firstValue("Retry-After")).isEmpty();
            assertThat(json(full).path("retryable").asBoolean()).as(text(full)).isFalse();
            assertThat(json(full).path("source").asText()).isEqualTo("grain");
            assertThat(json(full).path("executionId").asText()).isEqualTo(asked.getFirst());
        }
        assertThat(asked).containsOnly(asked.getFirst());
    }

    @Test
    void a_refusal_under_a_key_that_was_used_before_says_that_it_may_have_run() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        platform.host.direct = (request, listener) -> {
            asked.add(request.executionId());
            if (asked.size() == 1) {
                listener.onAccepted();
            } else {
                listener.onEnd(new InvocationResult(request.executionId(), Status.FAILED, null,
                        Failure.platform(Errors.UNAVAILABLE, "not now", true), List.of()));
            }
        };
        assertThat(platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "u", "Prefer", "respond-async").statusCode()).isEqualTo(202);
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> refused = platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "u");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(json(refused).path("mayHaveRun").asBoolean()).as(text(refused)).isTrue();
        }
        assertThat(asked).hasSize(3).containsOnly(asked.getFirst());
        assertThat(platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "v").statusCode()).isEqualTo(503);
        HttpResponse<byte[]> fresh = platform.post("/invoke/demo/echo", "1", "Idempotency-Key", "v");
        assertThat(json(fresh).has("mayHaveRun")).as(text(fresh)).isFalse();
        assertThat(asked.getLast()).as("its key was free").isNotEqualTo(asked.get(3));
    }

    @Test
    void a_repeated_202_says_how_its_execution_ended() throws Exception {
        try (Frontend other = platform.anotherFrontend()) {
            for (var expected : Map.of("echo", "SUCCEEDED", "fail", "FAILED").entrySet()) {
                String path = "/invoke/demo/" + expected.getKey();
                String id = json(platform.post(path, "1", "Idempotency-Key", "a", "Prefer", "respond-async")).path("executionId").asText();
                await().until(() -> platform.records.get("demo", id).isPresent());
                for (int port : new int[] {platform.frontend.address().getPort(), other.address().getPort()}) {
                    HttpResponse<byte[]> again = platform.postTo(port, path, "1", "Idempotency-Key", "a", "Prefer", "respond-async");
                    assertThat(again.statusCode()).isEqualTo(202);
                    assertThat(json(again).path("executionId").asText()).isEqualTo(id);
                    assertThat(json(again).path("status").asText()).isEqualTo(expected.getValue());
                }
            }
        }
        HttpResponse<byte[]> held = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "a", "Prefer", "respond-async");
        HttpResponse<byte[]> again = platform.post("/invoke/demo/hold", "1", "Idempotency-Key", "a", "Prefer", "respond-async");
        assertThat(json(again).path("executionId").asText()).isEqualTo(json(held).path("executionId").asText());
        assertThat(json(again).path("status").asText()).isEqualTo("RUNNING");
    }

    @Test
    void a_key_follows_its_process_and_says_so_when_the_store_is_away() throws Exception {
        AtomicBoolean away = new AtomicBoolean();
        GlobalStore store = (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    if (away.get()) {
                        throw new StoreException(StoreException.Kind.AWAY, "the store is away", 0, null);
                    }
                    return method.invoke(platform.store, arguments);
                });
        List<InvocationRequest> asked = new CopyOnWriteArrayList<>();
        platform.host.direct = (request, listener) -> {
            asked.add(request);
            boolean moved = asked.size() % 2 == 1;
            away.set(asked.size() == 3);
            if (moved) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // it is asked where it lives: of the caller's time
            }
            Failure there = new Failure(Errors.MOVED, "it lives elsewhere", Failure.Source.PLATFORM, true, null, Map.of(ProcessPlace.SLOT, 3));
            listener.onEnd(new InvocationResult(request.executionId(), moved ? Status.FAILED : Status.SUCCEEDED,
                    moved ? null : request.input(), moved ? there : null, List.of()));
        };
        String path = "/api/v1/apps/demo/processes/invoke?function=echo&process=p";
        try (Frontend other = platform.anotherFrontend(store)) {
            int port = other.address().getPort();
            assertThat(text(platform.postTo(port, path, "1", "Idempotency-Key", "m"))).isEqualTo("1");
            assertThat(Slots.of(asked.get(1).executionId(), Slots.DEFAULT)).isEqualTo(3);
            assertThat(asked.get(1).timeoutMs()).as("what is left of it").isLessThanOrEqualTo(asked.getFirst().timeoutMs() - 20);
            HttpResponse<byte[]> lost = platform.postTo(port, path, "2", "Idempotency-Key", "n");
            assertThat(lost.statusCode()).as(text(lost)).isEqualTo(503);
            assertThat(text(lost)).contains("the store is away");
            assertThat(asked).hasSize(3);
        }
    }

    @Test
    void a_key_holds_at_every_frontend() throws Exception {
        try (Frontend other = platform.anotherFrontend()) {
            List<CompletableFuture<HttpResponse<byte[]>>> racing = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int port = (i % 2 == 0 ? platform.frontend : other).address().getPort();
                racing.add(CompletableFuture.supplyAsync(() -> platform.postTo(port, "/invoke/demo/hold", "1", "Idempotency-Key", "r")));
            }
            await().until(() -> platform.host.running.size() == 1
                    && platform.host.running.values().iterator().next().listeners().size() == racing.size());
            platform.host.release(platform.host.running.keySet().iterator().next(), Payload.json("7".getBytes(StandardCharsets.UTF_8)));
            for (var answer : racing) {
                assertThat(text(answer.get())).isEqualTo("7");
            }
            int port = other.address().getPort();
            assertThat(platform.postTo(port, "/invoke/demo/hold", "2", "Idempotency-Key", "r").statusCode()).isEqualTo(422);
            platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "s");
            HttpResponse<byte[]> again = platform.postTo(port, "/invoke/demo/echo", "[1]", "Idempotency-Key", "s");
            assertThat(text(again)).isEqualTo("[1]");
            assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
            assertThat(platform.host.requests.stream().filter(request -> request.target().equals("echo"))).hasSize(1);
        }
    }

    @Test
    void a_key_stands_for_its_execution_while_the_record_of_its_end_is_on_its_way() throws Exception {
        platform.host.direct = (request, listener) -> {
            platform.host.requests.add(request);
            listener.onEnd(platform.host.succeed(request, request.input())); // as a host does that has not stored the record yet
        };
        String id = platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "l").headers().firstValue("Sand-Execution-Id").orElseThrow();
        try (Frontend other = platform.anotherFrontend()) {
            for (int i = 0; i < 20; i++) {
                HttpResponse<byte[]> again = platform.postTo(other.address().getPort(), "/invoke/demo/echo", "[1]", "Idempotency-Key", "l");
                assertThat(again.statusCode()).as(text(again)).isEqualTo(200);
                assertThat(again.headers().firstValue("Sand-Execution-Id")).hasValue(id);
            }
        }
        assertThat(platform.host.requests).extracting(InvocationRequest::executionId).containsOnly(id);
    }

    @Test
    void a_key_whose_record_is_gone_does_not_run_again() throws Exception {
        String id = platform.post("/invoke/demo/echo", "[1]", "Idempotency-Key", "g").headers().firstValue("Sand-Execution-Id").orElseThrow();
        try (Frontend other = platform.anotherFrontend()) {
            await().until(() -> new ScopeParts(64).all("demo").stream().flatMap(part -> platform.store.scan("idempotency", part, "", null, 10).stream())
                    .anyMatch(entry -> new String(entry.value(), StandardCharsets.UTF_8).contains("\"ended\":true")));
            await().until(() -> platform.records.get("demo", id).isPresent());
            platform.records.deleteApplication("demo");
            HttpResponse<byte[]> again = platform.postTo(other.address().getPort(), "/invoke/demo/echo", "[1]", "Idempotency-Key", "g");
            assertThat(again.statusCode()).isEqualTo(410);
            assertThat(json(again).path("executionId").asText()).isEqualTo(id);
        }
        assertThat(platform.host.requests).hasSize(1);
    }
}
