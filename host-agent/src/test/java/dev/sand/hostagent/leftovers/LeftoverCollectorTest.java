package dev.sand.hostagent.leftovers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.BundleArchive.Folder;
import dev.sand.datalayer.ImageLeftovers;
import dev.sand.datalayer.LeftoverMarks;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.event.Ids;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.triggers.Ownership;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two looks, as far apart as it takes, over a global layer in which somebody has crashed. */
class LeftoverCollectorTest {
    private static final int SLOTS = 4;
    private static final byte[] VALUE = new byte[700_000];

    @TempDir
    Path folder;

    private final MemoryStore store = new MemoryStore();
    private final MemoryBus bus = new MemoryBus();
    private final Registry registry = new Registry(store);
    private final BundleArchive bundles = new BundleArchive(store);
    private final GlobalObjects objects = new GlobalObjects(store);
    private final Set<String> open = new HashSet<>();
    private final Set<Integer> owned = new HashSet<>(Set.of(0, 1, 2, 3));
    private final AtomicBoolean heard = new AtomicBoolean(true);
    private final JournalAdapter journal = (JournalAdapter) Proxy.newProxyInstance(JournalAdapter.class.getClassLoader(),
            new Class<?>[] {JournalAdapter.class}, (proxy, method, arguments) ->
                    owned.contains(arguments[1]) && !open.contains(arguments[2]));
    private final Ownership ownership = new Ownership() {
        @Override
        public int slots() {
            return SLOTS;
        }

        @Override
        public long epoch(int slot) {
            return owned.contains(slot) ? 1 : 0;
        }

        @Override
        public boolean mayAct() {
            return heard.get();
        }
    };
    private long nowMs = 1_700_000_000_000L;

    @BeforeEach
    void deploy() throws IOException {
        Files.writeString(folder.resolve("handler.py"), "");
        publish("shop", "named");
    }

    @AfterEach
    void close() {
        bus.close();
    }

    private void publish(String application, String bundle) throws IOException {
        bundles.put(Folder.BUNDLE, bundle, folder);
        registry.publish(application, number -> new ApplicationVersion((short) 1, application, number, bundle, null,
                SandboxSpec.DEFAULT, Map.of("g", GrainSpec.withDefaults("g")), Map.of(), List.of(), Map.of(),
                ApplicationVersion.Durability.RELAXED, 0));
    }

    /** Of a host of its own: what is marked is in the store. */
    private void look() {
        Map<String, Leftovers> kinds = new LeftoverParts(store, bus, registry, bundles,
                new ObjectStore(store, "object", ObjectStore.MOST_BYTES), journal, ownership, () -> nowMs).kinds();
        try (LeftoverCollector collector = new LeftoverCollector(kinds, new LeftoverMarks(store), ownership, () -> nowMs)) {
            collector.look();
        }
    }

    private void lookLater(Duration by) {
        nowMs += by.toMillis();
        look();
    }

    private String copied(String application, int drawn) throws IOException {
        String id = Ids.next(nowMs, new Random(drawn));
        String name = GlobalObjects.name(id, "input");
        objects.put(application, GlobalObjects.describe(name, VALUE.length, out -> out.write(VALUE)), out -> out.write(VALUE));
        return id;
    }

    @Test
    void anInputWhoseHostDiedBeforeItsRequestWasAcceptedGoes() throws IOException {
        String left = copied("shop", 1);
        String running = copied("shop", 2);
        open.add(running);
        look();
        lookLater(LeftoverMarks.AGE.minusHours(1));
        assertThat(objects.executions("shop")).containsExactlyInAnyOrder(left, running);
        lookLater(Duration.ofHours(1));
        assertThat(objects.executions("shop")).containsExactly(running);
        open.clear(); // it has ended, and its host died before its values were gone: the age counts from here
        lookLater(Duration.ofHours(1));
        assertThat(objects.executions("shop")).containsExactly(running);
        lookLater(LeftoverMarks.AGE);
        assertThat(objects.executions("shop")).isEmpty();
    }

    @Test
    void onlyTheOwnerOfItsSlotDeletesAndOnlyWhileItIsSure() throws IOException {
        String left = copied("shop", 1);
        owned.remove(Slots.of(left, SLOTS));
        look();
        lookLater(LeftoverMarks.AGE);
        owned.add(Slots.of(left, SLOTS));
        lookLater(LeftoverMarks.AGE);
        assertThat(objects.executions("shop")).as("seen for the first time by an owner").containsExactly(left);
        heard.set(false);
        lookLater(LeftoverMarks.AGE);
        assertThat(objects.executions("shop")).containsExactly(left);
        heard.set(true);
        look();
        assertThat(objects.executions("shop")).isEmpty();
    }

    @Test
    void whatIsCopiedAgainWhileItIsDeletedStays() throws IOException {
        String id = copied("shop", 1);
        objects.deleteUnknown("shop", id, () -> {
            try {
                copied("shop", 1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return true;
        });
        assertThat(objects.matches("shop", GlobalObjects.describe(GlobalObjects.name(id, "input"), VALUE.length,
                out -> out.write(VALUE)))).isTrue();
    }

    @Test
    void bundlesThatNoVersionNamesGoAndOneThatIsDeployedAgainStays() throws IOException {
        bundles.put(Folder.BUNDLE, "old", folder);
        bundles.put(Folder.DEPENDENCIES, "old", folder);
        bundles.put(Folder.BUNDLE, "again", folder);
        look();
        publish("shop", "again");
        lookLater(LeftoverMarks.AGE);
        assertThat(bundles.addresses(Folder.BUNDLE)).containsExactlyInAnyOrder("named", "again");
        assertThat(bundles.addresses(Folder.DEPENDENCIES)).isEmpty();
    }

    @Test
    void whatADeletedProcessLeavesGoesAndImagesStay() throws IOException {
        ProcessImages images = new ProcessImages(store, () -> nowMs);
        images.write("shop", "swapped", 1, 1, true, VALUE, List.of()).orElseThrow();
        images.write("shop", "deleted", 1, 1, true, VALUE, List.of()).orElseThrow();
        images.delete("shop", "deleted", 1);
        assertThat(new ImageLeftovers(store).of("shop")).containsOnlyKeys("deleted");
        look();
        lookLater(LeftoverMarks.AGE.minusHours(1));
        assertThat(images.write("shop", "deleted", 0, 1, true, VALUE, List.of())).as("by an owner that is late").isEmpty();
        lookLater(Duration.ofHours(1));
        assertThat(new ImageLeftovers(store).of("shop")).isEmpty();
        assertThat(images.find("shop", "swapped")).isPresent();
    }

    @Test
    void topicsAndValuesOfADeletedApplicationGoAndThoseOfOneThatIsDeployedAgainStay() throws IOException {
        publish("gone", "named");
        publish("again", "named");
        for (String application : List.of("shop", "gone", "again")) {
            bus.createTopic(Topics.journal(application), SLOTS);
        }
        bus.createTopic("queue.gone.orders", SLOTS);
        bus.createTopic("somebody.else", SLOTS);
        copied("gone", 1);
        new ProcessImages(store, () -> nowMs).write("gone", "p", 1, 1, true, VALUE, List.of()).orElseThrow();
        registry.deleteApplication("gone");
        registry.deleteApplication("again");
        look();
        publish("again", "named");
        registry.deleteApplication("again");
        lookLater(LeftoverMarks.AGE);
        assertThat(bus.topics()).containsExactlyInAnyOrder("journal.shop", "journal.again", "somebody.else");
        assertThat(objects.executions("gone")).isEmpty();
        assertThat(new ProcessImages(store, () -> nowMs).find("gone", "p")).isEmpty();
    }
}
