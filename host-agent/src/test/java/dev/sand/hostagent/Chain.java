package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;

/** An application of three grains in a row, for tests that end hosts: each notes that it ran, and waits while it is held. */
final class Chain {
    static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String WORKFLOW = """
            {"StartAt": "First", "States": {
              "First": {"Type": "Task", "Resource": "first", "Next": "Second"},
              "Second": {"Type": "Task", "Resource": "second", "Next": "Third"},
              "Third": {"Type": "Task", "Resource": "third", "End": true}}}
            """;
    private static final String GRAIN = """
            import os, time
            def handle(event, context):
                os.umask(0)  # the other host's grains run as yet another user
                with open("%1$s/" + context.execution_id + ".%2$s", "a") as file:
                    file.write("x")
                while os.path.exists("%1$s/hold.%2$s"):
                    time.sleep(0.01)
                return {"n": event["n"] * 10 + %3$d}
            """;

    private Chain() {}

    /** Main makes n * 1000 + 123 of n. A file hold.second in the folder holds the second grain. */
    static ApplicationVersion deploy(Path notes, ApplicationVersion.Durability durability, TestPlatform... hosts) throws IOException {
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx")); // grains run as another user
        Map<String, String> grains = Map.of("first", GRAIN.formatted(notes, "first", 1),
                "second", GRAIN.formatted(notes, "second", 2), "third", GRAIN.formatted(notes, "third", 3));
        ApplicationVersion version = null;
        for (TestPlatform each : hosts) {
            version = each.change(each.deploy("chain", grains, Map.of("main", WORKFLOW), spec -> spec), durability, Map.of());
        }
        return version;
    }

    static void ended(TestPlatform on, String id) {
        await().atMost(PATIENCE).until(() -> on.invocations.get("chain", id)
                .filter(record -> record.status() != Status.RUNNING).isPresent());
        InvocationRecord record = on.invocations.get("chain", id).orElseThrow();
        assertThat(record.status()).as("%s", record.failure()).isEqualTo(Status.SUCCEEDED);
    }
}
