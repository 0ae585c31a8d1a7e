package dev.sand.hostagent;

import static dev.sand.hostagent.ProcessHosts.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.Slots;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is moved by hand while a function of another one sends to it as fast as it can: it goes, with all that was sent, in order. */
@Tag("slow")
class MovedUnderMessagesTest {
    private static final String SENDER = "q";

    @Test
    void itGoesWithAllThatWasSentInOrder(@TempDir Path folder) throws Exception {
        try (ProcessHosts hosts = new ProcessHosts(folder)) {
            int senders = Slots.of(SENDER, Slots.DEFAULT);
            int slot = IntStream.range(0, Slots.DEFAULT).filter(each -> each != senders && each != ProcessHosts.home()).findFirst().orElseThrow();
            hosts.group.move(slot, "b");
            hosts.ask(hosts.a, "large", "7");
            hosts.hold();
            CompletableFuture<InvocationResult> sending = hosts.a.start(hosts.request("stream", "null", senders).inProcess(SENDER),
                    new CompletableFuture<>());
            await().atMost(ProcessHosts.PATIENCE).until(() -> hosts.command(hosts.a, Kind.DESCRIBE).get(60, TimeUnit.SECONDS).unread() > 10);
            assertThat(hosts.a.agent.process(ProcessCommand.migrate("app", 1, "p", slot)).get(90, TimeUnit.SECONDS).slot()).isEqualTo(slot);
            hosts.letGo();
            int sent = Integer.parseInt(TestPlatform.text(sending.get(90, TimeUnit.SECONDS)));
            String all = IntStream.range(0, sent).mapToObj(Integer::toString).collect(Collectors.joining(","));
            assertThat(hosts.ask(hosts.b, "all", "null", slot).replace(" ", "")).isEqualTo(told("", "", "", all, 7));
        }
    }
}
