package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PartialJournalTest {
    @Test
    void only_the_applications_named_are_left_out_and_who_waits_is_told() throws Exception {
        ObjectCopies copies = new ObjectCopies(new GlobalObjects(new MemoryStore()), new FakeSegments());
        BusJournal whole = new BusJournal(new MemoryBus(), copies, "h1", new BusJournal.Options(1, 1 << 20, 20_000, Duration.ofMillis(1)));
        try (PartialJournal journal = new PartialJournal(whole, Set.of("off"))) {
            journal.take(0, 1, () -> true);
            List<Failure> told = new ArrayList<>();
            journal.append(accepted("off", "e1"), told::add);
            assertThat(told).hasSize(1).containsOnlyNulls();
            CompletableFuture<Failure> appended = new CompletableFuture<>();
            whole.onUnclaimed(slot -> whole.take(slot, 1, () -> true));
            journal.append(accepted("on", "e2"), appended::complete);
            assertThat(appended.get(20, TimeUnit.SECONDS)).isNull();
            assertThat(journal.take(0, 2, () -> true).executions()).extracting(each -> each.request().executionId()).containsExactly("e2");
        }
    }

    private static JournalAdapter.Entry accepted(String application, String id) {
        InvocationRequest request = new InvocationRequest(id, application, 1, "main", Payload.nullJson(), 1_000, true, null);
        return new JournalAdapter.Entry(application, id, 0, 1, 0, new Backup.Accepted(request), Await.YES);
    }
}
