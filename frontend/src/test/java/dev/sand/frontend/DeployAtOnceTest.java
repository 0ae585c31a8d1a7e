package dev.sand.frontend;

import static dev.sand.frontend.Platform.demo;
import static dev.sand.frontend.Platform.json;
import static dev.sand.frontend.Platform.text;
import static dev.sand.frontend.Platform.zip;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.frontend.deployment.UnfinishedDeletions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two frontends over one store, of which one is held up in the middle of its deployment while the other deploys or deletes. */
@Tag("slow")
class DeployAtOnceTest {
    private Platform platform;
    private final CompletableFuture<Void> held = new CompletableFuture<>();
    private final CompletableFuture<Void> goesOn = new CompletableFuture<>();

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    /** @param at the first write of that key waits */
    private Frontend heldUp(String table, String at) throws Exception {
        return platform.anotherFrontend((GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(),
                new Class<?>[] {GlobalStore.class}, (proxy, method, arguments) -> {
                    boolean wanted = method.getName().equals("put") && arguments[0].equals(table)
                            && (at == null || arguments[2].equals(at));
                    if (wanted && held.complete(null)) {
                        goesOn.get(60, TimeUnit.SECONDS);
                    }
                    try {
                        return method.invoke(platform.store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private CompletableFuture<HttpResponse<byte[]>> deployAt(Frontend frontend, Map<String, String> files) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + frontend.address().getPort() + "/api/v1/applications");
        return platform.client.sendAsync(HttpRequest.newBuilder(uri).header("Content-Type", "application/zip")
                .POST(BodyPublishers.ofByteArray(zip(files))).build(), BodyHandlers.ofByteArray());
    }

    private static Map<String, String> changed() {
        Map<String, String> files = demo();
        files.put("grains/echo/handler.py", "def handle(event, context):\n    return 'changed'\n");
        return files;
    }

    @Test
    void whatWasDeployedIsWhatEveryFrontendServesOnceThatIsAnswered() throws Exception {
        try (Platform several = new Platform(configuration -> configuration.withAlone(false));
                Frontend other = several.anotherFrontend()) {
            several.deployDemo();
            int port = other.address().getPort();
            for (int version = 2; version <= 4; version++) {
                assertThat(several.postTo(port, "/invoke/demo/echo", "1", "Sand-Timeout", "60s").statusCode()).isEqualTo(200);
                Map<String, String> files = Platform.demo();
                files.put("grains/echo/handler.py", "def handle(event, context):\n    return " + version + "\n");
                assertThat(several.deploy(files).statusCode()).isEqualTo(201);
                assertThat(several.postTo(port, "/invoke/demo/echo", "1", "Sand-Timeout", "60s").statusCode()).isEqualTo(200);
                assertThat(several.host.requests.getLast().version()).isEqualTo(version);
            }
        }
    }

    @Test
    void the_later_of_two_versions_is_live_whichever_ends_last() throws Exception {
        try (Frontend slow = heldUp("applications", "alias/live")) {
            CompletableFuture<HttpResponse<byte[]>> first = deployAt(slow, demo());
            held.get(60, TimeUnit.SECONDS);
            HttpResponse<byte[]> second = platform.deploy(changed());
            assertThat(second.statusCode()).as(text(second)).isEqualTo(201);
            goesOn.complete(null);
            assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).as(text(first.join())).isEqualTo(201);
            assertThat(json(first.join()).path("version").asInt()).isEqualTo(1);
            assertThat(json(second).path("version").asInt()).isEqualTo(2);
            assertThat(platform.registry.versions("demo")).containsExactly(1, 2);
            assertThat(new Registry(platform.store).alias("demo", "live")).contains(2);
            assertThat(platform.host.retired).doesNotContain("demo@2");
            assertThat(platform.registry.version("demo", 1).orElseThrow().bundle()).isEqualTo("bundle-demo-1");
            assertThat(platform.registry.version("demo", 2).orElseThrow().bundle()).isEqualTo("bundle-demo-2");
        }
    }

    @Test
    void the_same_content_is_one_version() throws Exception {
        try (Frontend slow = heldUp("deployments", null)) {
            CompletableFuture<HttpResponse<byte[]>> first = deployAt(slow, demo());
            held.get(60, TimeUnit.SECONDS);
            int version = json(platform.deploy(demo())).path("version").asInt();
            goesOn.complete(null);
            assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).as(text(first.join())).isEqualTo(200);
            assertThat(json(first.join()).path("version").asInt()).isEqualTo(version);
            assertThat(platform.registry.versions("demo")).containsExactly(version);
            assertThat(new Registry(platform.store).alias("demo", "live")).contains(version);
        }
    }

    @Test
    void what_is_deleted_while_it_is_deployed_is_gone_until_it_is_deployed_again() throws Exception {
        try (Frontend slow = heldUp("applications", "alias/live")) {
            CompletableFuture<HttpResponse<byte[]>> first = deployAt(slow, demo());
            held.get(60, TimeUnit.SECONDS);
            assertThat(platform.send("DELETE", "/api/v1/applications/demo", null).statusCode()).isEqualTo(204);
            goesOn.complete(null);
            assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).as(text(first.join())).isEqualTo(409);
            assertThat(new Registry(platform.store).alias("demo", "live")).isEmpty();
            assertThat(platform.registry.versions("demo")).isEmpty();
            assertThat(deployAt(slow, demo()).get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
            assertThat(platform.bus.topics()).contains("requests.demo", "queue.demo.orders");
        }
    }

    @Test
    void nothing_is_deployed_under_a_name_that_is_being_deleted() throws Exception {
        platform.deployDemo();
        long deletion = platform.registry.beginDeletion("demo");
        HttpResponse<byte[]> refused = platform.deploy(changed());
        assertThat(refused.statusCode()).as(text(refused)).isEqualTo(409);
        assertThat(json(refused).path("retryable").asBoolean()).isTrue();
        long again = platform.registry.beginDeletion("demo");
        platform.registry.endDeletion("demo", deletion);
        assertThat(platform.deploy(changed()).statusCode()).as("while a second one goes on").isEqualTo(409);
        platform.registry.endDeletion("demo", again);
        assertThat(platform.deploy(changed()).statusCode()).isEqualTo(201);
    }

    /** @param kind of what comes of it while it fails; @param whom by method and table */
    private Frontend failing(AtomicBoolean fails, StoreException.Kind kind, BiPredicate<String, String> whom) throws Exception {
        return platform.anotherFrontend((GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(),
                new Class<?>[] {GlobalStore.class}, (proxy, method, arguments) -> {
                    if (fails.get() && arguments != null && whom.test(method.getName(), String.valueOf(arguments[0]))) {
                        throw new StoreException(kind, "the store does not take it", 0, null);
                    }
                    try {
                        return method.invoke(platform.store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @ParameterizedTest
    @EnumSource(value = StoreException.Kind.class, names = {"AWAY", "FULL"})
    void what_of_a_deleted_application_cannot_go_now_goes_when_it_is_deleted_again(StoreException.Kind kind) throws Exception {
        platform.deployDemo();
        AtomicBoolean fails = new AtomicBoolean(true);
        try (Frontend other = failing(fails, kind, (method, table) -> method.equals("deleteScope") && table.equals("deployments"))) {
            for (int i = 0; i < 2; i++) {
                assertThat(deleteAt(other).statusCode()).isEqualTo(204);
                assertThat(platform.get("/api/v1/applications/demo").statusCode()).isEqualTo(404);
                assertThat(platform.deploy(demo()).statusCode()).as("another application under the name").isEqualTo(409);
            }
            fails.set(false);
            assertThat(deleteAt(other).statusCode()).isEqualTo(204);
            assertThat(deleteAt(other).statusCode()).isEqualTo(404);
        }
        assertThat(platform.deploy(demo()).statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"put index", "deleteScope applications"})
    void an_application_that_cannot_go_is_there_as_before(String call) throws Exception {
        platform.deployDemo();
        AtomicBoolean fails = new AtomicBoolean(true);
        try (Frontend other = failing(fails, StoreException.Kind.FULL, (method, table) -> call.equals(method + " " + table))) {
            assertThat(deleteAt(other).statusCode()).isEqualTo(507);
            assertThat(platform.get("/api/v1/applications/demo").statusCode()).isEqualTo(200);
            assertThat(platform.deploy(changed()).statusCode()).isEqualTo(201);
            assertThat(platform.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(200);
            fails.set(false);
            assertThat(deleteAt(other).statusCode()).isEqualTo(204);
        }
        assertThat(platform.registry.deletionsUnderWay()).isEmpty();
    }

    @Test
    void what_is_left_of_a_deleted_application_goes_by_itself_once_nobody_is_about_it() {
        platform.registry.beginDeletion("demo");
        platform.store.put("deployments", "demo", "left", new byte[1], GlobalStore.ABSENT);
        UnfinishedDeletions unfinished = platform.frontend.deletions();
        unfinished.look();
        long again = platform.registry.beginDeletion("demo");
        unfinished.look();
        assertThat(platform.registry.deletionsUnderWay()).as("somebody has just begun it").containsEntry("demo", again);
        unfinished.look();
        assertThat(platform.registry.deletionsUnderWay()).isEmpty();
        assertThat(platform.store.keys("deployments", "demo", "", null, 10)).isEmpty();
    }

    @Test
    void what_was_not_deleted_after_all_is_left_alone() throws Exception {
        platform.deployDemo();
        platform.registry.beginDeletion("demo");
        platform.frontend.deletions().look();
        platform.frontend.deletions().look();
        assertThat(platform.post("/invoke/demo/echo", "1").statusCode()).isEqualTo(200);
    }

    private HttpResponse<byte[]> deleteAt(Frontend frontend) {
        URI uri = URI.create("http://127.0.0.1:" + frontend.address().getPort() + "/api/v1/applications/demo");
        return platform.client.sendAsync(HttpRequest.newBuilder(uri).DELETE().build(), BodyHandlers.ofByteArray()).join();
    }
}
