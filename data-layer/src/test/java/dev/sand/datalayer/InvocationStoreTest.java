package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.datalayer.InvocationStore.Page;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class InvocationStoreTest extends InvocationStoreFixture {
    @Test
    void anAnnouncedExecutionHasARecordAtOnceAndNeverInPlaceOfAnother() {
        InvocationRecord ended = record("app", 1, Status.SUCCEEDED, "g");
        CompletableFuture<StoreException> stored = new CompletableFuture<>();
        invocations.record(ended, stored::complete);
        assertThat(stored.join()).isNull();
        invocations.announce(record("app", 1, Status.RUNNING, "g"));
        assertThat(invocations.get("app", ended.executionId()).orElseThrow().status()).isEqualTo(Status.SUCCEEDED);
        InvocationRecord accepted = record("app", 2, Status.RUNNING, "g");
        invocations.announce(accepted);
        assertThat(invocations.get("app", accepted.executionId()).orElseThrow().status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void aRecordIsSeenAtOnceAndStoredSoon() {
        reopen(FOREVER, 100, 1000);
        InvocationRecord record = record("app", 1, Status.SUCCEEDED, "g");
        invocations.record(record, null);
        assertThat(invocations.get("app", record.executionId())).contains(record);
        assertThat(invocations.get("other", record.executionId())).isEmpty();
        assertThat(invocations.backlog()).isEqualTo(1);
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).as("listing waits for what was given")
                .usingRecursiveFieldByFieldElementComparator().containsExactly(record);
        assertThat(invocations.backlog()).isZero();
    }

    /** Who is woken for it is woken once for many. */
    @Test
    void whoAwaitsARecordHearsWhenAllThatWereStoredWithItAreTold() {
        store.held = true;
        invocations.record(record("app", 9, Status.SUCCEEDED, "g"), null);
        await().until(() -> store.waiting == 1);
        List<String> told = new CopyOnWriteArrayList<>();
        for (int number = 1; number <= 3; number++) {
            String name = "" + number;
            invocations.record(record("app", number, Status.SUCCEEDED, "g"), new InvocationStore.StoredListener() {
                @Override
                public void onStored(StoreException failure) {
                    told.add(name);
                }

                @Override
                public void onAllTold() {
                    told.add("all");
                }
            });
        }
        store.open.countDown();
        await().until(() -> told.size() == 6);
        assertThat(told).containsExactly("1", "2", "3", "all", "all", "all");
    }

    /** Who answers on the strength of it asks for what is stored: it is there when the platform is killed, too. */
    @Test
    void whatWaitsToBeStoredIsNotStored() {
        store.held = true;
        invocations.record(record("app", 1, Status.RUNNING, "g"), null);
        await().until(() -> store.waiting == 1);
        assertThat(invocations.get("app", id(1))).isPresent();
        assertThat(invocations.stored("app", id(1))).isEmpty();
        store.open.countDown();
        await().until(() -> invocations.stored("app", id(1)).isPresent());
    }

    @Test
    void anEndThatAnEarlierOwnerRecordsAfterTheNewOneAskedComesTooLate() {
        InvocationRecord runs = record("app", 1, Status.RUNNING, "g");
        InvocationRecord late = record("app", 1, Status.SUCCEEDED, "g");
        assertThat(invocations.endedOrFenced(runs, 2)).isFalse();
        invocations.record(late, 1, null);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.get("app", runs.executionId()).orElseThrow().status()).isEqualTo(Status.RUNNING);
        invocations.record(late, 2, null);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.endedOrFenced(runs, 3)).as("ended under the second").isTrue();
        assertThat(invocations.get("app", runs.executionId()).orElseThrow().status()).isEqualTo(Status.SUCCEEDED);
    }

    /** A host that stood still comes back to a slot that another had meanwhile: what it has not stored yet is void. */
    @Test
    void anEndThatWaitsSinceAnEarlierEpochIsNone() {
        InvocationRecord runs = record("app", 1, Status.RUNNING, "g");
        try (InvocationStore other = new InvocationStore(store, InvocationStore.Options.DEFAULT)) {
            reopen(FOREVER, 100, 1000);
            invocations.record(record("app", 1, Status.SUCCEEDED, "g"), 1, null);
            assertThat(other.endedOrFenced(runs, 2)).isFalse();
            assertThat(invocations.endedOrFenced(runs, 3)).as("it will be refused").isFalse();
        }
        invocations.record(record("app", 1, Status.FAILED, "g"), 3, null);
        assertThat(invocations.endedOrFenced(runs, 3)).as("its own, which waits").isTrue();
    }

    /** The end comes between the look and the fence: the owner must see it. */
    @Test
    void anEndThatIsRecordedWhileTheNewOwnerAsksIsSeen() {
        InvocationRecord runs = record("app", 1, Status.RUNNING, "g");
        InvocationRecord ended = record("app", 1, Status.FAILED, "g");
        store.afterGet.set(() -> {
            invocations.record(ended, 1, null);
            await().until(() -> invocations.backlog() == 0);
        });
        assertThat(invocations.endedOrFenced(runs, 2)).isTrue();
    }

    @Test
    void anAwaitedRecordIsWrittenNowAndToldOf() {
        reopen(FOREVER, 100, 1000);
        CompletableFuture<StoreException> stored = new CompletableFuture<>();
        invocations.record(record("app", 1, Status.RUNNING, "g"), null);
        invocations.record(record("app", 2, Status.SUCCEEDED, "g"), stored::complete);
        assertThat(stored.join()).isNull();
        assertThat(store.keys("invocations", "app", "", null, 10)).hasSize(2);
    }

    @Test
    void aLaterRecordReplacesTheEarlierOne() {
        reopen(FOREVER, 100, 1000);
        invocations.record(record("app", 1, Status.RUNNING, "g"), null);
        invocations.record(record("app", 1, Status.FAILED, "g"), null);
        assertThat(invocations.get("app", id(1)).orElseThrow().status()).isEqualTo(Status.FAILED);
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).extracting(InvocationRecord::status)
                .containsExactly(Status.FAILED);
        invocations.record(record("app", 1, Status.SUCCEEDED, "g"), null);
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).extracting(InvocationRecord::status)
                .containsExactly(Status.SUCCEEDED);
    }

    @Test
    void aRecordOfALowerEpochNeverReplacesOneOfAHigher() {
        reopen(FOREVER, 100, 1000);
        invocations.record(record("app", 1, Status.SUCCEEDED, "g"), 7, null);
        invocations.record(record("app", 1, Status.FAILED, "g"), 6, null);
        assertThat(invocations.get("app", id(1)).orElseThrow().status()).as("while it waits").isEqualTo(Status.SUCCEEDED);
        assertThat(invocations.list("app", Filter.ALL, null, 1).records().getFirst().status()).isEqualTo(Status.SUCCEEDED);
        CompletableFuture<StoreException> late = new CompletableFuture<>();
        invocations.record(record("app", 1, Status.RUNNING, "g"), 6, late::complete);
        assertThat(late.join()).isNull();
        assertThat(invocations.list("app", Filter.ALL, null, 1).records().getFirst().status()).as("when it is stored")
                .isEqualTo(Status.SUCCEEDED);
        invocations.record(record("app", 1, Status.CANCELLED, "g"), 8, null);
        assertThat(invocations.list("app", Filter.ALL, null, 1).records().getFirst().status()).isEqualTo(Status.CANCELLED);
    }

    @Test
    void aListIsNewestFirstFilteredAndPaged() {
        for (int i = 0; i < 300; i++) {
            invocations.record(record("app", i, i % 3 == 0 ? Status.FAILED : Status.SUCCEEDED, i % 2 == 0 ? "even" : "odd"), null);
            if (i % 50 == 0) {
                await().until(() -> invocations.backlog() == 0);
            }
        }
        invocations.record(record("other", 1000, Status.FAILED, "even"), null);
        List<String> seen = new ArrayList<>();
        String before = null;
        do {
            Page page = invocations.list("app", new Filter(Status.FAILED, "even"), before, 7);
            page.records().forEach(record -> seen.add(record.executionId()));
            before = page.next();
        } while (before != null);
        List<String> expected = new ArrayList<>();
        for (int i = 294; i >= 0; i -= 6) {
            expected.add(id(i));
        }
        assertThat(seen).containsExactlyElementsOf(expected);
    }

    @Test
    void onlyTheNewestOfAnApplicationAreKept() {
        reopen(Duration.ofMillis(1), 100, 20);
        for (int i = 0; i < 100; i++) {
            invocations.record(record("app", i, Status.SUCCEEDED, "g"), null);
        }
        invocations.list("app", Filter.ALL, null, 1);
        List<InvocationRecord> kept = invocations.list("app", Filter.ALL, null, 1000).records();
        assertThat(kept).hasSizeBetween(20, 22);
        assertThat(kept.getFirst().executionId()).isEqualTo(id(99));
    }

    @Test
    void aFullBacklogRefusesAndSaysSo() {
        store.held = true;
        reopen(Duration.ofMillis(1), 3, 1000);
        List<StoreException> refused = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            invocations.record(record("app", i, Status.RUNNING, "g"), failure -> {
                if (failure != null) {
                    refused.add(failure);
                }
            });
        }
        assertThat(refused).hasSize(2).allMatch(failure -> failure.kind() == StoreException.Kind.FULL);
        assertThat(invocations.backlog()).isEqualTo(3);
    }

    @Test
    void whatAFullDiskRefusedIsWrittenOnceThereIsRoom() {
        store.full.set(true);
        CompletableFuture<StoreException> told = new CompletableFuture<>();
        invocations.record(record("app", 1, Status.RUNNING, "g"), told::complete);
        assertThat(told.join().kind()).isEqualTo(StoreException.Kind.FULL);
        assertThat(invocations.get("app", id(1))).isPresent();
        store.full.set(false);
        await().until(() -> invocations.backlog() == 0);
        assertThat(store.keys("invocations", "app", "", null, 10)).containsExactly(id(1));
    }

    @Test
    void anEndThatIsRedrivenIsNone() {
        InvocationRecord ended = record("app", 1, Status.FAILED, "g");
        InvocationRecord redriven = new InvocationRecord((short) 1, ended.executionId(), "app", 1, "g", Status.RUNNING, ended.input(), null,
                null, 1, 0, 0, 0, List.of(), 1, null);
        invocations.record(ended, 1, null);
        await().until(() -> invocations.backlog() == 0); // what is redriven is known to have ended
        assertThat(invocations.endedOrFenced(redriven, 2)).isFalse();
        assertThat(invocations.endedOrFenced(ended, 2)).isTrue();
        invocations.record(redriven, 2, null);
        await().until(() -> invocations.backlog() == 0);
        assertThat(invocations.get("app", ended.executionId()).orElseThrow().redrives()).isEqualTo(1);
        assertThat(invocations.endedOrFenced(redriven, 3)).isFalse();
    }

    @Test
    void closeStoresWhatWasGiven() {
        reopen(FOREVER, 100, 1000);
        invocations.record(record("app", 1, Status.SUCCEEDED, "g"), null);
        invocations.close();
        assertThat(store.keys("invocations", "app", "", null, 10)).containsExactly(id(1));
    }

    @Test
    void recordsKeptInPartsAreListedAsOne() {
        invocations.close();
        invocations = open(FOREVER, 1000, 400, new ScopeParts(4));
        List<String> newestFirst = new ArrayList<>();
        for (int number = 1; number <= 300; number++) {
            invocations.record(record("app", number, number % 3 == 0 ? Status.FAILED : Status.SUCCEEDED, "g"), null);
            newestFirst.addFirst(id(number));
        }
        assertThat(invocations.get("app", id(7))).isPresent();
        List<String> listed = new ArrayList<>();
        String before = null;
        do {
            InvocationStore.Page page = invocations.list("app", Filter.ALL, before, 70);
            page.records().forEach(each -> listed.add(each.executionId()));
            before = page.next();
        } while (before != null);
        assertThat(listed).isEqualTo(newestFirst);
        assertThat(invocations.list("app", new Filter(Status.FAILED, null), id(100), 50).records()).hasSize(33)
                .first().extracting(InvocationRecord::executionId).isEqualTo(id(99));
        assertThat(invocations.get("app", id(7))).as("stored").isPresent();
        assertThat(new ScopeParts(4).all("app")).allSatisfy(part -> assertThat(store.keys("invocations", part, "", null, 300)).hasSizeBetween(40, 110));
        invocations.deleteApplication("app");
        assertThat(invocations.list("app", Filter.ALL, null, 10).records()).isEmpty();
    }
}
