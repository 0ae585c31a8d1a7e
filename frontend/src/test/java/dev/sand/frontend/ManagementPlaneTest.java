package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.PlatformKeys;
import dev.sand.dataplane.Tickets;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.HostPlace;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.frontend.http.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a grain of the management application does for the platform, and what is answered when it does not. */
class ManagementPlaneTest {
    private static final String LIST = "/api/v1/applications";
    private static final int SLOTS = Slots.DEFAULT;
    @TempDir
    Path folder;
    private Platform platform;
    private volatile Function<InvocationRequest, InvocationResult> does;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("sand.yaml"), "name: management\ngrains:\n  applications: {timeout: 120s}\n");
        Files.createDirectories(folder.resolve("grains/applications"));
        Files.writeString(folder.resolve("grains/applications/handler.py"), "def handle(event, context):\n    return None\n");
        Files.createDirectories(folder.resolve("grains/keys"));
        Files.writeString(folder.resolve("grains/keys/handler.py"), "def handle(event, context):\n    return None\n");
        does = request -> answer(request, "{\"status\": 200, \"body\": {\"by\": \"a grain\"}}");
        platform = new Platform(configuration -> configuration.withManagement(folder));
        platform.host.grains.put("keys", request -> event(request).path("operation").asText().equals("ready")
                ? answer(request, "{\"status\": 200}") : does.apply(request));
        platform.host.grains.put("applications", request -> event(request).path("operation").asText().equals("ready")
                ? answer(request, "{\"status\": 200}") : does.apply(request));
        await().until(() -> platform.registry.aliases("0sand-management").containsKey("c1"));
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }

    private InvocationResult answer(InvocationRequest request, String output) {
        return platform.host.succeed(request, Payload.json(output.getBytes(StandardCharsets.UTF_8)));
    }

    private static JsonNode event(InvocationRequest request) {
        try {
            return Json.MAPPER.readTree(request.input().bytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theGrainGetsWhatWasAskedWithATicketForItsExecution() throws Exception {
        HttpResponse<byte[]> response = platform.get(LIST + "?limit=3&limit=4", "Prefer", "wait=1", "X-Other", "1");
        assertThat(Platform.json(response)).isEqualTo(Json.object().put("by", "a grain"));
        InvocationRequest request = platform.host.requests.getLast();
        assertThat(request.application()).isEqualTo("0sand-management");
        assertThat(response.headers().firstValue("Sand-Execution-Id")).contains(request.executionId());
        JsonNode event = event(request);
        assertThat(event.path("operation").asText()).isEqualTo("listApplications");
        assertThat(event.path("query")).isEqualTo(Json.object().put("limit", "3"));
        assertThat(event.path("headers").path("prefer").asText()).isEqualTo("wait=1");
        assertThat(event.path("headers").has("x-other")).isFalse();
        assertThat(event.path("body").isNull()).isTrue();
        assertThat(event.path("who").path("tenant").asText()).isEqualTo("default");
        assertThat(event.path("client").asText()).isEqualTo("127.0.0.1");
        var ticket = new Tickets(PlatformKeys.of(platform.store, Tickets.KEY)).read(event.path("ticket").asText(), request.executionId(),
                System.currentTimeMillis());
        assertThat(ticket.operation()).isEqualTo("listApplications");
        assertThat(ticket.asker().scopes()).contains("read", "admin");
    }

    @Test
    void whatIsNoStreamIsTheGrainsHoweverItIsAskedFor() throws Exception {
        int before = platform.host.requests.size();
        assertThat(Platform.json(platform.get(LIST + "?follow=true"))).isEqualTo(Json.object().put("by", "a grain"));
        assertThat(platform.host.requests).hasSizeGreaterThan(before);
    }

    @Test
    void aKeyIsDrawnHereAndTheGrainGetsItsHash() throws Exception {
        does = request -> answer(request, "{\"status\": 201, \"body\": {\"id\": \"x\"}}");
        HttpResponse<byte[]> response = platform.post("/api/v1/keys", "{\"name\": \"ci\"}");
        String key = Platform.json(response).path("key").asText();
        assertThat(key).startsWith("sand_");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        InvocationRequest request = platform.host.requests.getLast();
        assertThat(new String(request.input().bytes(), StandardCharsets.UTF_8)).doesNotContain(key.substring(17));
        byte[] hash = java.security.MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.US_ASCII));
        assertThat(event(request).path("drawn")).isEqualTo(Json.object().put("id", key.substring(5, 17))
                .put("hash", java.util.HexFormat.of().formatHex(hash)));
        does = asked -> answer(asked, "{\"status\": 409, \"body\": {}}");
        assertThat(Platform.json(platform.post("/api/v1/keys", "{}")).has("key")).isFalse();
    }

    @Test
    void aGrainsProblemIsTheAnswerAndNamesWhatWasAskedFor() throws Exception {
        does = request -> answer(request, "{\"status\": 404, \"body\": {\"type\": \"t\", \"status\": 404}}");
        HttpResponse<byte[]> response = platform.get(LIST + "/nothing");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(Platform.json(response).path("instance").asText()).isEqualTo(LIST + "/nothing");
    }

    @Test
    void whoAsksForItGetsTheDirectAnswer() throws Exception {
        assertThat(Platform.json(platform.get(LIST, "Sand-Direct", "true"))).isEqualTo(Json.object().set("applications", Json.array()));
    }

    @Test
    void aBrokenGrainIsToldAsSuchAndNeverMistakenForAnAnswer() throws Exception {
        for (Function<InvocationRequest, InvocationResult> broken : List.<Function<InvocationRequest, InvocationResult>>of(
                request -> platform.host.end(request, Status.FAILED, null, Failure.grain("ValueError", "broken", null)),
                request -> answer(request, "[1]"), request -> answer(request, "{\"status\": \"200\"}"),
                request -> answer(request, "{\"status\": 99}"))) {
            does = broken;
            HttpResponse<byte[]> response = platform.get(LIST);
            assertThat(response.statusCode()).isEqualTo(503);
            JsonNode problem = Platform.json(response);
            assertThat(problem.path("type").asText()).endsWith("management-failed");
            assertThat(problem.path("grain").asText()).isEqualTo("applications");
            JsonNode told = Platform.json(platform.get("/api/v1/management")).path("grains").path("applications");
            assertThat(told.path("executionId").asText()).isEqualTo(problem.path("executionId").asText());
            assertThat(told.path("ready").asBoolean()).isFalse();
        }
        does = request -> answer(request, "{\"status\": 200, \"body\": {}}");
        platform.get(LIST);
        assertThat(Platform.json(platform.get("/api/v1/management")).path("grains").path("applications").path("ready").asBoolean()).isTrue();
    }

    @Test
    void whatCouldNotBeginIsDoneDirectlyWhereThePlatformIsOpen() throws Exception {
        does = request -> new InvocationResult(request.executionId(), Status.FAILED, null,
                Failure.platform(Errors.SANDBOX_FAILED, "no sandbox", true), List.of());
        HttpResponse<byte[]> response = platform.get(LIST);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Sand-Served-By")).contains("direct");
        // It ran: a change may have been made, and is not made twice.
        does = request -> platform.host.end(request, Status.FAILED, null, Failure.platform(Errors.UNAVAILABLE, "it ended", true));
        HttpResponse<byte[]> change = platform.send("DELETE", LIST + "/demo", null);
        assertThat(change.statusCode()).isEqualTo(503);
        assertThat(Platform.json(change).path("mayHaveRun").asBoolean()).isTrue();
    }

    @Test
    void whatMayHaveRunElsewhereIsNotMadeAgainThoughNoHostTellsOfIt() throws Exception {
        does = request -> new InvocationResult(request.executionId(), Status.FAILED, null,
                Failure.mayHaveRun(Errors.UNAVAILABLE, "the host went"), List.of());
        HttpResponse<byte[]> change = platform.send("DELETE", LIST + "/demo", null);
        assertThat(change.statusCode()).isEqualTo(503);
        assertThat(Platform.json(change).path("mayHaveRun").asBoolean()).isTrue();
    }

    @Test
    void aGrainHasAsLongAsItsSpecSaysAndItsTicketLonger() throws Exception {
        platform.get(LIST);
        InvocationRequest request = platform.host.requests.getLast();
        assertThat(request.timeoutMs()).isEqualTo(120_000);
        var ticket = new Tickets(PlatformKeys.of(platform.store, Tickets.KEY)).read(event(request).path("ticket").asText(),
                request.executionId(), System.currentTimeMillis());
        assertThat(ticket.expiresMs() - ticket.issuedMs()).isEqualTo(150_000);
    }

    @Test
    void aGrainThatThePlatformDeniesIsBrokenAndItsCallerNotDenied() throws Exception {
        String denied = "{\"status\": 403, \"body\": {\"type\": \"t\", \"status\": 403, \"error\": \"Sand.Denied\"%s}}";
        does = request -> answer(request, denied.formatted(""));
        HttpResponse<byte[]> response = platform.get(LIST);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Sand-Served-By")).contains("direct");
        assertThat(Platform.json(platform.get("/api/v1/management")).path("grains").path("applications").path("ready").asBoolean()).isFalse();
        does = request -> answer(request, denied.formatted(", \"mayHaveRun\": true"));
        HttpResponse<byte[]> change = platform.send("DELETE", LIST + "/demo", null);
        assertThat(change.statusCode()).isEqualTo(503);
        assertThat(Platform.json(change).path("type").asText()).endsWith("management-failed");
        assertThat(Platform.json(change).path("mayHaveRun").asBoolean()).isTrue();
    }

    /** The first half of the slots is one host's, the second the other's. */
    private static List<HostStatus> twoHosts() {
        return List.of(host("host1", 0), host("host2", SLOTS / 2));
    }

    private static HostStatus host(String name, int from) {
        HostPlace place = new HostPlace(name + ":1", Set.of(), 0, IntStream.range(from, from + SLOTS / 2).boxed().toList());
        return new HostStatus(name, "process", false, List.of(), place, null);
    }

    private static boolean isOnHost2(InvocationRequest request) {
        return Slots.of(request.executionId(), SLOTS) >= SLOTS / 2;
    }

    @Test
    void whatOneHostDeniesIsAskedOfTheOther() throws Exception {
        platform.host.hosts = twoHosts();
        does = request -> answer(request, isOnHost2(request) ? "{\"status\": 403, \"body\": {\"error\": \"Sand.Denied\"}}"
                : "{\"status\": 200, \"body\": {\"by\": \"host1\"}}");
        for (int i = 0; i < 20; i++) { // each half of them falls to the other host first
            HttpResponse<byte[]> response = platform.get(LIST);
            assertThat(Platform.json(response)).isEqualTo(Json.object().put("by", "host1"));
            InvocationRequest answered = platform.host.requests.getLast();
            assertThat(response.headers().firstValue("Sand-Execution-Id")).contains(answered.executionId());
            assertThat(event(answered).path("ticket").asText()).isNotEmpty();
        }
        assertThat(platform.host.requests).anyMatch(ManagementPlaneTest::isOnHost2);
    }

    @Test
    void itWaitsForAHostAndDoesNothingWhileOneOfThemDeniesIt() throws Exception {
        try (Platform other = new Platform(configuration -> configuration.withManagement(folder), null, host -> {
            host.hosts = List.of();
            for (String grain : List.of("keys", "applications")) {
                host.grains.put(grain, request -> host.succeed(request, Payload.json((isOnHost2(request)
                        ? "{\"status\": 503, \"body\": {\"detail\": \"no capability\"}}" : "{\"status\": 200}").getBytes(StandardCharsets.UTF_8))));
            }
        })) {
            await().until(() -> trouble(other), "no host takes work yet"::equals);
            assertThat(other.host.builds).isEmpty();
            other.host.hosts = twoHosts();
            await().until(() -> trouble(other), why -> why.contains("on host2: no capability") && !why.contains("host1"));
            assertThat(other.registry.aliases("0sand-management")).containsKey("next").doesNotContainKey("c1");
        }
    }

    private static String trouble(Platform of) throws Exception {
        return Platform.json(of.get("/api/v1/management")).path("trouble").asText();
    }

    @Test
    void thePlatformsOwnApplicationIsCalledByNobody() throws Exception {
        assertThat(platform.post("/invoke/0sand-management/applications", "{}").statusCode()).isEqualTo(404);
        assertThat(platform.get("/web/0sand-management/x").statusCode()).isEqualTo(404);
        assertThat(Platform.json(platform.get(LIST + "?system=true", "Sand-Direct", "true")).path("applications")).hasSize(1);
        assertThat(platform.send("DELETE", LIST + "/0sand-management", null, "Sand-Direct", "true").statusCode()).isEqualTo(409);
    }

    @Test
    void thePlatformsOwnApplicationIsLookedAtAndNotChanged() throws Exception {
        String own = LIST + "/0sand-management";
        assertThat(platform.get(own + "/secrets?system=true", "Sand-Direct", "true").statusCode()).isEqualTo(200);
        assertThat(platform.send("DELETE", own + "/secrets/TOKEN?system=true", null, "Sand-Direct", "true").statusCode()).isEqualTo(404);
        assertThat(Platform.json(platform.send("DELETE", own + "/secrets/TOKEN?system=true", null, "Sand-Direct", "true")).path("type")
                .asText()).endsWith("unknown-application");
    }
}
