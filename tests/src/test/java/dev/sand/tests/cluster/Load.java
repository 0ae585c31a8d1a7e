package dev.sand.tests.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.tests.cluster.History.Accepted;
import dev.sand.tests.cluster.History.AskedAgain;
import dev.sand.tests.cluster.History.Ended;
import dev.sand.tests.cluster.History.TurnedAway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Callers of {@link FiveSteps}: every other one waits for its answer, the others take a 202 and come back for the output. As
 * clients should, they ask again with the same Idempotency-Key where a connection broke or the platform says "come back later".
 * What they see goes into a {@link History}. When all is over, {@link #violations} asks for everything once more.
 */
final class Load implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(300);
    /** ./sand test --all takes its time. */
    private static final boolean IS_WHOLE = "1".equals(System.getenv("SAND_TEST_LONG"));
    private static final Duration PAUSE = Duration.ofMillis(250);
    private final PlatformClient client;
    private final String application;
    private final String run;
    final History history = new History();
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> requests = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();

    /** @param run keys of one run are not another's */
    Load(PlatformClient client, String application, String run) {
        this.client = client;
        this.application = application;
        this.run = run;
    }

    /** Of so many requests as there are to be: all of them, or half in the usual run. */
    static int of(int most) {
        return IS_WHOLE ? most : most / 2;
    }

    /** Starts so many requests, spread over so long. */
    void start(int count, Duration over) {
        for (int i = 0; i < count; i++) {
            int n = next.incrementAndGet();
            Duration delay = over.multipliedBy(i).dividedBy(count);
            requests.add(callers.submit(() -> {
                Thread.sleep(delay);
                begun.incrementAndGet();
                if (n % 2 == 0) {
                    waitForAnswer(n);
                } else {
                    comeBack(n);
                }
                return null;
            }));
        }
    }

    int begun() {
        return begun.get();
    }

    /** Every request has its end, or has been given up with what was last heard. */
    void join() throws Exception {
        for (Future<?> request : requests) {
            request.get();
        }
    }

    private void waitForAnswer(int n) throws InterruptedException {
        String execution = conclude(n, ask(n, Map.of()));
        if (execution != null) {
            readRecord(execution);
        }
    }

    private void comeBack(int n) throws InterruptedException {
        PlatformClient.Answer answer = ask(n, Map.of("Prefer", "respond-async"));
        if (answer.status() != 202) {
            conclude(n, answer);
            return;
        }
        String location = answer.response().headers().firstValue("Location").orElseThrow();
        String execution = location.substring(location.lastIndexOf('/') + 1);
        history.add(new Accepted(n, execution));
        long end = System.nanoTime() + LONGEST.toNanos();
        while (System.nanoTime() < end) {
            PlatformClient.Answer record = client.get(location);
            String status = record.status() == 200 ? record.json().path("status").asText() : "";
            if (status.equals("SUCCEEDED")) {
                PlatformClient.Answer output = client.get(location + "/output");
                if (output.status() == 200) {
                    history.recorded(record.json());
                    history.add(new Ended(n, execution, true, FiveSteps.isRight(n, output.json()), output.body()));
                    return;
                }
            } else if (!status.isEmpty() && !status.equals("RUNNING")) {
                history.recorded(record.json());
                history.add(new Ended(n, execution, false, true, record.body()));
                return;
            }
            Thread.sleep(PAUSE);
        }
    }

    private PlatformClient.Answer ask(int n, Map<String, String> headers) throws InterruptedException {
        Map<String, String> all = new HashMap<>(headers);
        all.put("Idempotency-Key", run + n);
        all.put("Sand-Timeout", "280s");
        long end = System.nanoTime() + LONGEST.toNanos();
        while (true) {
            PlatformClient.Answer answer = client.invokeLater(application + "/main", FiveSteps.input(n, run), all).join();
            if (!isToBeAskedAgain(answer) || System.nanoTime() > end) {
                return answer;
            }
            history.add(new TurnedAway(n, execution(answer), answer.body().contains("\"mayHaveRun\":true"), answer.status() + " " + answer.body()));
            Thread.sleep(PAUSE);
        }
    }

    /** No answer, not taken, or an answer of something before the platform's execution. */
    private static boolean isToBeAskedAgain(PlatformClient.Answer answer) {
        return switch (answer.status()) {
            case 0, 429, 502, 503 -> true;
            case 504, 507 -> execution(answer) == null;
            default -> false;
        };
    }

    /** @return the execution that the answer names, or null */
    private String conclude(int n, PlatformClient.Answer answer) {
        String execution = execution(answer);
        boolean good = answer.status() == 200;
        history.add(new Ended(n, execution, good, !good || FiveSteps.isRight(n, answer.json()), good ? answer.body()
                : answer.status() + " " + answer.body()));
        return execution;
    }

    private static String execution(PlatformClient.Answer answer) {
        return answer.response() == null ? null : answer.response().headers().firstValue("Sand-Execution-Id").orElse(null);
    }

    /** Waits until the record has an end, which may come a little after the answer. */
    private void readRecord(String execution) throws InterruptedException {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (System.nanoTime() < end) {
            PlatformClient.Answer record = client.get("/api/v1/applications/" + application + "/invocations/" + execution);
            if (record.status() == 200 && !record.json().path("status").asText().equals("RUNNING")) {
                history.recorded(record.json());
                return;
            }
            Thread.sleep(PAUSE);
        }
    }

    /**
     * Everything is over and every part is back: each request that was answered is asked again under its key, and each record is
     * read again.
     *
     * @return what is wrong with all that was seen, a sentence each
     */
    List<String> violations() throws Exception {
        awaitRest();
        JsonNode did = did();
        List<Future<?>> asked = new ArrayList<>();
        for (Ended end : history.all(Ended.class)) {
            asked.add(callers.submit(() -> {
                if (end.succeeded()) {
                    askAgain(end.request());
                }
                if (end.execution() != null) {
                    readRecord(end.execution());
                }
                return null;
            }));
        }
        for (Future<?> each : asked) {
            each.get();
        }
        return HistoryCheck.violations(history, did, did(), FiveSteps.STEPS);
    }

    /** An attempt at a host that was lost to the others runs on, and may end after its execution has: what it did counts. */
    private void awaitRest() {
        await("no instance runs").atMost(LONGEST).until(() -> {
            PlatformClient.Answer status = client.get("/api/v1/status");
            return status.status() == 200 && status.json().path("hosts").findValues("running").stream().allMatch(running -> running.asInt() == 0);
        });
    }

    private void askAgain(int n) throws InterruptedException {
        PlatformClient.Answer answer = ask(n, Map.of());
        boolean replayed = answer.response() != null
                && answer.response().headers().firstValue("Idempotent-Replayed").filter("true"::equals).isPresent();
        history.add(new AskedAgain(n, execution(answer), replayed, answer.status() == 200 ? answer.body()
                : answer.status() + " " + answer.body()));
    }

    /** What grains wrote down in this run, by execution. */
    private JsonNode did() {
        PlatformClient.Answer answer = client.invoke(application + "/history", "{\"run\": \"" + run + "\"}");
        if (answer.status() != 200) {
            throw new IllegalStateException("the grains' history cannot be read: " + answer.status() + " " + answer.body());
        }
        return answer.json();
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }
}
