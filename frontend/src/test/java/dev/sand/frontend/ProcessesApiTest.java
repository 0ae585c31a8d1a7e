package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.LogStore;
import dev.sand.event.ProcessView;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the control plane makes of what a host says of its processes. */
class ProcessesApiTest extends WithDemo {
    private static final String PATH = "/api/v1/apps/demo/processes";

    @Test
    void a_process_that_was_swapped_in_for_it_is_no_new_one() throws Exception {
        // By a host that was begun anew since the process was swapped out, or that has an image of it from a checkpoint.
        platform.host.swapped.put("p", view("p", 0, 1));
        assertThat(platform.post(PATH, "{\"id\": \"p\"}").statusCode()).isEqualTo(200);
        assertThat(platform.post(PATH, "{\"id\": \"q\"}").statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "true", "[]", "{}", "\"\""})
    void an_id_is_a_text(String id) throws Exception {
        assertThat(platform.post(PATH, "{\"id\": " + id + "}").statusCode()).isEqualTo(400);
        assertThat(platform.host.processes).isEmpty();
    }

    @Tag("slow")
    @Test
    void what_was_written_goes_with_a_kill_that_nobody_waited_for_or_that_is_asked_for_again() throws Exception {
        platform.post(PATH, "{\"id\": \"p\"}");
        platform.host.kill = new CompletableFuture<>();
        platform.logs.all.add(line("p"));
        assertThat(platform.send("DELETE", PATH + "/p", null).statusCode()).isEqualTo(503);
        platform.host.kill.complete(view("p", 0, 0));
        await().untilAsserted(() -> assertThat(platform.logs.all).isEmpty());

        platform.host.kill = null;
        platform.logs.all.add(line("gone"));
        platform.logs.all.add(line("p"));
        HttpResponse<byte[]> unknown = platform.send("DELETE", PATH + "/gone", null);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(json(unknown).path("type").asText()).endsWith("unknown-process");
        assertThat(platform.logs.all).extracting(LogStore.Line::process).containsExactly("p");
    }

    private static LogStore.Line line(String process) {
        return new LogStore.Line(1, 1, "demo", 1, "echo", "e", "e", 1, "stdout", null, "old", process);
    }

    private static ProcessView view(String id, int swapsOut, int swapsIn) {
        return new ProcessView("demo", id, "active", "here", 1, 4, 1 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, swapsOut, swapsIn, 0);
    }

    @Test
    void memory_is_a_size_or_a_number_of_bytes() throws Exception {
        for (String wrong : new String[] {"{}", "true", "1.5", "-1", "\"lots\""}) {
            assertThat(platform.post(PATH, "{\"memory\": " + wrong + "}").statusCode()).as(wrong).isEqualTo(400);
            assertThat(platform.post(PATH, "{\"dedicated\": {\"memory\": " + wrong + "}}").statusCode()).as(wrong).isEqualTo(400);
        }
    }
}
