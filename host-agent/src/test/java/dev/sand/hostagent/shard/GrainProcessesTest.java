package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.segments.MemfdSegments;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values that a process's journal names come into this host's memory, for a message of its. */
class GrainProcessesTest {
    private static final String SHOP = "shop";
    private static final String JOURNAL = "@s@5.0";
    private static final byte[] VALUE = new byte[200_000];

    private final MemfdSegments segments = new MemfdSegments(new MemfdSegments.Options(1L << 20, 1L << 20, 2L << 20, 16));
    private boolean away;
    private final GlobalObjects objects = new GlobalObjects(new MemoryStore()) {
        @Override
        public void read(String application, String name, OutputStream to) throws IOException {
            if (away) {
                throw new StoreException(Kind.AWAY, "it is away", 0, null);
            }
            super.read(application, name, to);
        }
    };
    private final ObjectCopies copies = new ObjectCopies(objects, segments);
    private final Work work = new Work(1);
    private final GrainProcesses processes = new GrainProcesses(segments, copies, null, work);

    @AfterEach
    void close() {
        work.close();
        copies.close();
        segments.close();
    }

    private Payload named() {
        VALUE[7] = 7;
        return copies.toGlobal(SHOP, JOURNAL, "1.2.0", new Payload("image/png", VALUE, null));
    }

    private Input.ValueBrought brought(Payload named) {
        return processes.brought(new Action.BringValue(SHOP, named, (value, failure) -> { }));
    }

    @Test
    void oneIsTheReceiversOwnAndStaysWhenTheSendersJournalLetsItGo() {
        Payload value = brought(named()).value();
        objects.deleteExecution(SHOP, JOURNAL);
        assertThat(GlobalObjects.isGlobal(value)).isFalse();
        assertThat(value.contentType()).isEqualTo("image/png");
        assertThat(segments.read(SHOP, value.reference())).isEqualTo(VALUE);
    }

    @Test
    void itsMemoryIsFreeAgainWhenItsProcessHasItNoMore() {
        Payload named = named();
        for (int i = 0; i < 20; i++) { // of which four fit
            Input.ValueBrought brought = brought(named);
            assertThat(brought.failure()).isNull();
            processes.free(SHOP, List.of(brought.value()));
        }
    }

    @Test
    void oneThatIsGoneWillNotCome() {
        Payload named = named();
        objects.deleteExecution(SHOP, JOURNAL);
        assertThat(brought(named).failure()).satisfies(failure -> {
            assertThat(failure.retryable()).isFalse();
            assertThat(failure.cause()).contains("no object @s@5.0/1.2.0");
        });
    }

    @Test
    void oneThatIsAwayOrHasNoRoomMayComeYet() {
        Payload named = named();
        away = true;
        assertThat(brought(named).failure().retryable()).isTrue();
        away = false;
        for (int i = 0; i < 4; i++) {
            assertThat(brought(named).failure()).isNull();
        }
        assertThat(brought(named).failure()).as("the application has no room").satisfies(failure -> assertThat(failure.retryable()).isTrue());
        assertThat(copies.has(SHOP, "restored/1")).as("what failed leaves nothing behind").isFalse();
    }
}
