package dev.sand.hostagent.journal;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.workflow.Execution.Signal;
import dev.sand.datalayer.MemoryStore;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** A journal over buses that take everything, nothing, or late. */
abstract class BusJournalFixture {
    static final BusJournal.Options OPTIONS = new BusJournal.Options(2, 1 << 20, 20_000, Duration.ofMillis(1));
    static final BusJournal.Options LINGERING = new BusJournal.Options(2, 1 << 20, 20_000, Duration.ofDays(1));

    final FakeSegments segments = new FakeSegments();
    final MemoryBus bus = new MemoryBus();
    final MemoryStore store = new MemoryStore();
    final ObjectCopies copies = new ObjectCopies(new GlobalObjects(store), segments);
    final ExecutorService keeper = Executors.newSingleThreadExecutor();
    long epoch;
    BusJournal journal = journal(bus, OPTIONS);

    BusJournal journal(GlobalBus on, BusJournal.Options options) {
        epoch++;
        BusJournal made = new BusJournal(on, copies, "h" + epoch, options);
        long own = epoch;
        made.onUnclaimed(slot -> keeper.execute(() -> made.take(slot, own, () -> true)));
        return made;
    }

    /** What a new owner of all slots finds. */
    static List<Unfinished> recover(BusJournal from, long epoch) {
        List<Unfinished> all = new ArrayList<>();
        for (int slot = 0; slot < 2; slot++) {
            all.addAll(from.take(slot, epoch, () -> true).executions());
        }
        all.sort(Comparator.comparing(each -> each.request().executionId()));
        return all;
    }

    List<Unfinished> recover() {
        return recover(journal, epoch);
    }

    void give(BusJournal to, String application, String id, long sequence, Backup backup,
                      JournalAdapter.AppendListener listener) {
        to.append(new JournalAdapter.Entry(application, id, Slots.of(id, 2), epoch, sequence, backup,
                listener == null ? Await.NO : Await.YES), listener);
    }

    @AfterEach
    void close() {
        journal.close();
        keeper.shutdownNow();
    }

    List<String> kinds(int partition) {
        return bus.read("journal.app", partition, 0, 100).stream().map(record -> JournalRecord.decode(record.value()))
                .filter(record -> !record.isClaim()).map(JournalRecord::kind).toList();
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    Optional<Failure> append(String application, String id, long sequence, Backup backup) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        give(journal, application, id, sequence, backup, failure -> answer.complete(Optional.ofNullable(failure)));
        return answer.join();
    }

    void restart() {
        journal.close();
        journal = journal(bus, OPTIONS);
    }

    int records() {
        return (int) Stream.of(0, 1).flatMap(partition -> bus.read("journal.app", partition, 0, 100).stream())
                .filter(record -> !JournalRecord.decode(record.value()).isClaim()).count();
    }

    static String inPartition(int partition, String name) {
        String id = name;
        while (Slots.of(id, 2) != partition) {
            id += "'";
        }
        return id;
    }

    static Backup accepted(String application, String id) {
        return new Backup.Accepted(request(application, id, json("0")));
    }

    static InvocationRequest request(String application, String id, Payload input) {
        return new InvocationRequest(id, application, 1, "g", input, 1000, true, null);
    }

    static Backup started() {
        return new Backup.Finished(new Signal.Started(json("0"), 3), List.of());
    }

    static Backup succeeded(String step, Payload output) {
        return new Backup.Finished(new Signal.TaskSucceeded(step, output, List.of(), 4), List.of());
    }

    static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    static GlobalBus.AppendListener ignore() {
        return new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {}

            @Override
            public void onFailed(BusException failure) {
                throw failure;
            }
        };
    }

    /** A bus whose answers a test gives. */
    static final class LateBus extends BusOver {
        record Held(String topic, int partition, byte[] value, AppendListener listener) {
            void append(GlobalBus to) {
                to.append(topic, partition, value, listener);
            }
        }

        final ConcurrentLinkedQueue<Held> held = new ConcurrentLinkedQueue<>();
        volatile boolean holds;

        LateBus(GlobalBus bus) {
            super(bus);
        }

        @Override
        public void append(String topic, int partition, byte[] value, AppendListener listener) {
            if (holds) {
                held.add(new Held(topic, partition, value, listener));
            } else {
                super.append(topic, partition, value, listener);
            }
        }
    }

    /** A bus whose disk is full while a test says so. */
    static final class FullBus extends BusOver {
        volatile boolean full;
        volatile int refused;

        FullBus(GlobalBus bus) {
            super(bus);
        }

        @Override
        public void append(String topic, int partition, byte[] value, AppendListener listener) {
            if (full) {
                refused++;
                listener.onFailed(new BusException(BusException.Kind.FULL, "no room", null));
            } else {
                super.append(topic, partition, value, listener);
            }
        }
    }
}
