package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The owner of a cloud process is stopped (SIGSTOP) in the middle of a function, whose own process goes on and ends meanwhile; another host
 * takes over and runs it again; then the first is woken, with that end in its socket, and takes itself for the owner still.
 */
@Tag("slow")
class StoppedOwnerTest {
    private static final Duration PATIENCE = ClusterProcesses.PATIENCE;
    private static final String ROOT = "/api/v1/apps/app/processes";
    private static ClusterProcesses cluster;
    private static Path notes;
    private static PartProcess front;
    private static Map<String, PartProcess> hosts;

    @BeforeAll
    static void start() throws IOException {
        cluster = new ClusterProcesses();
        notes = cluster.notes();
        hosts = Map.of("one", cluster.host("one"), "two", cluster.host("two"));
        front = cluster.frontend("front");
        cluster.awaitReady();
        cluster.awaitHosts(front, 2);
        assertThat(cluster.deploy(front, Map.of("sand.yaml", "name: app\nsandbox: {memory: 128MiB}\n",
                "grains/tell/handler.py", "def handle(event, context):\n    context.process.send(context.process.id, 'k', event)\n",
                "grains/take/handler.py", """
                        import os, time
                        def handle(event, context):
                            p = context.process
                            one = [p.recv(key="k", timeout=0), os.urandom(6).hex()]  # which run it is
                            p.state("first", one)
                            p.send(p.id, "sent", one[0])
                            os.umask(0)
                            with open("%1$s/begun", "a") as file:
                                file.write("x")
                            while os.path.exists("%1$s/hold"):
                                time.sleep(0.02)
                            p.state("second", one)  # nothing is asked of the host agent from here on
                            with open("%1$s/ended", "a") as file:
                                file.write("x")
                            return one
                        """.formatted(notes),
                "grains/seen/handler.py", """
                        def handle(event, context):
                            return [context.process.state("first"), context.process.state("second")]
                        """,
                "grains/all/handler.py", """
                        def handle(event, context):
                            p, found = context.process, []
                            while (one := p.recv_message(timeout=0)) is not None:
                                found.append([one.key, one.data])
                            return found
                        """)).statusCode()).isEqualTo(201);
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static HttpResponse<String> call(String function, String json) {
        return cluster.send(front, "POST", ROOT + "/invoke?function=" + function + "&process=p", json.getBytes(StandardCharsets.UTF_8),
                "Content-Type", "application/json", "Sand-Timeout", "240s");
    }

    private static JsonNode ask(String function, String json) {
        HttpResponse<String> answer = await(function).atMost(PATIENCE).until(() -> call(function, json),
                each -> each.statusCode() == 200 || each.statusCode() == 204);
        return answer.body().isEmpty() ? null : ClusterProcesses.json(answer);
    }

    private static void awaitNoted(String note, int times) {
        await(note + " " + times + " times").atMost(PATIENCE).until(() -> Files.exists(notes.resolve(note))
                && Files.readString(notes.resolve(note)).length() == times);
    }

    @Test
    void whatItStillSaysOfTheProcessCountsForNobody() throws Exception {
        ask("tell", "\"x\"");
        ask("tell", "\"y\"");
        PartProcess owner = hosts.get(cluster.json(front, ROOT + "/p").path("host").asText());
        Path hold = Files.createFile(notes.resolve("hold"));
        CompletableFuture<HttpResponse<String>> taking = CompletableFuture.supplyAsync(() -> call("take", "null"));
        awaitNoted("begun", 1);
        String counts;
        owner.signal("STOP");
        try {
            awaitNoted("begun", 2);
            Files.delete(hold);
            awaitNoted("ended", 2);
            HttpResponse<String> taken = taking.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            counts = taken.body().replace(" ", "");
            assertThat(counts).startsWith("[\"x\",");
            assertThat(ask("seen", "null").toString()).isEqualTo("[" + counts + "," + counts + "]");
        } finally {
            owner.signal("CONT");
        }
        cluster.awaitHosts(front, 2);
        assertThat(owner.isAlive()).isTrue();
        assertThat(ask("seen", "null").toString()).as("of the run that was answered, whoever owns it now")
                .isEqualTo("[" + counts + "," + counts + "]");
        assertThat(ask("all", "null").toString()).isEqualTo("[[\"k\",\"y\"],[\"sent\",\"x\"]]");
    }
}
