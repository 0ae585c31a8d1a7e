package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.TableOperation.Result;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sand.datalayer.StoreKind#tested")
class TableStoreTest {
    @Parameter
    StoreKind kind;

    private GlobalStore store;
    private TableStore tables;

    @BeforeEach
    void open() {
        store = kind.open();
        tables = new TableStore(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aValueIsWrittenOnConditionOfItsVersion() {
        assertThat(one(What.GET, "k", null, null).version()).isZero();
        long first = one(What.PUT, "k", "{\"a\":1}", 0L).version();
        assertThat(conflict(() -> one(What.PUT, "k", "2", 0L))).isEqualTo(first);
        long second = one(What.PUT, "k", "2", first).version();
        assertThat(second).isGreaterThan(first);
        assertThat(conflict(() -> one(What.DELETE, "k", null, first))).isEqualTo(second);
        assertThat(text(one(What.GET, "k", null, null))).isEqualTo("2");
        assertThat(one(What.DELETE, "k", null, second).number()).isEqualTo(1);
        assertThat(one(What.DELETE, "k", null, null).number()).isZero();
        assertThat(one(What.PUT, "k", "3", null).version()).as("no version comes twice").isGreaterThan(second + 1);
    }

    @Test
    void aTransactionIsDoneWholeOrNotAtAll() {
        one(What.PUT, "from", "10", null);
        long version = one(What.GET, "from", null, null).version();
        List<Result> results = tables.transact("app", "p", List.of(operation(What.CHECK, "from", null, version),
                operation(What.ADD, "from", null, -4L), operation(What.ADD, "to", null, 4L), operation(What.GET, "to", null, null),
                operation(What.APPEND, "log", "[\"moved\"]", null)));
        assertThat(results).extracting(Result::number).containsExactly(null, 6L, 4L, null, 1L);
        assertThat(text(results.get(3))).as("reads what came before it").isEqualTo("4");
        assertThat(conflict(() -> tables.transact("app", "p", List.of(operation(What.ADD, "to", null, 1L),
                operation(What.CHECK, "from", null, version))))).isEqualTo(results.get(1).version());
        refused(() -> tables.transact("app", "p", List.of(operation(What.ADD, "to", null, 1L), operation(What.APPEND, "from", "[1]", null))),
                "append of \"from\" is for a list");
        assertThat(text(one(What.GET, "to", null, null))).isEqualTo("4");
        assertThat(conflict(() -> tables.transact("app", "p", List.of(operation(What.CHECK, "none", null, 3L))))).isZero();
    }

    @Test
    void aListGrowsShrinksAndIsCut() {
        assertThat(one(What.APPEND, "l", "[1, \"two\"]", null).number()).isEqualTo(2);
        assertThat(one(What.PREPEND, "l", "[0.1, {\"b\":1,\"a\":null}]", null).number()).isEqualTo(4);
        assertThat(text(one(What.GET, "l", null, null))).isEqualTo("[0.1,{\"b\":1,\"a\":null},1,\"two\"]");
        assertThat(one(What.REMOVE, "l", "{\"a\":null,\"b\":1}", null).number()).as("whatever the order of its fields").isEqualTo(1);
        assertThat(text(one(What.POP_LAST, "l", null, null))).isEqualTo("[\"two\"]");
        assertThat(text(one(What.POP_FIRST, "l", null, 10L))).isEqualTo("[0.1,1]");
        assertThat(text(one(What.POP_FIRST, "l", null, null))).isEqualTo("[]");
        assertThat(text(one(What.POP_FIRST, "never", null, null))).isEqualTo("[]");
        assertThat(one(What.GET, "never", null, null).version()).as("popping makes no list").isZero();
        one(What.APPEND, "l", "[1,2,3,4,5,6]", null);
        assertThat(one(What.KEEP_LAST, "l", null, 4L).number()).isEqualTo(4);
        assertThat(one(What.KEEP_FIRST, "l", null, 2L).number()).isEqualTo(2);
        assertThat(text(one(What.GET, "l", null, null))).isEqualTo("[3,4]");
    }

    @Test
    void mapsAndSetsChangeInPlace() {
        assertThat(tables.transact("app", "p", List.of(new TableOperation(What.SET_FIELD, "m", Payload.json(bytes("[1]")), null, "x"),
                new TableOperation(What.SET_FIELD, "m", Payload.json(bytes("2")), null, "y"),
                new TableOperation(What.REMOVE_FIELD, "m", null, null, "x"),
                new TableOperation(What.REMOVE_FIELD, "m", null, null, "z")))).extracting(Result::number).containsExactly(1L, 2L, 1L, 0L);
        assertThat(text(one(What.GET, "m", null, null))).isEqualTo("{\"y\":2}");
        assertThat(one(What.ADD_MEMBERS, "s", "[\"a\",\"b\",\"a\"]", null).number()).isEqualTo(2);
        assertThat(one(What.ADD_MEMBERS, "s", "[\"b\",\"c\"]", null).number()).isEqualTo(1);
        assertThat(one(What.REMOVE_MEMBERS, "s", "[\"a\",\"x\"]", null).number()).isEqualTo(1);
        assertThat(text(one(What.GET, "s", null, null))).isEqualTo("[\"b\",\"c\"]");
        refused(() -> one(What.SET_FIELD, "s", "1", null), "needs a field");
        refused(() -> tables.transact("app", "p", List.of(new TableOperation(What.SET_FIELD, "s", Payload.json(bytes("1")), null, "f"))), "for a map");
    }

    @Test
    void whatIsWrongOrTooLargeIsRefusedByName() {
        refused(() -> one(What.APPEND, "l", "[1", null), "append of \"l\" is for JSON");
        refused(() -> one(What.ADD, "n", null, null), "needs a number");
        refused(() -> one(What.PUT, "k", null, null), "needs a value");
        refused(() -> one(What.PUT, "k", "\"" + "x".repeat(70_000) + "\"", null), "65536");
        refused(() -> tables.transact("app", "p", List.of()), "1 to 100");
        refused(() -> What.of("explode"), "explode");
        for (What what : What.values()) {
            assertThat(What.of(what.wireName())).isEqualTo(what);
        }
        assertThat(What.CHECK_LOCK.wireName()).isEqualTo("checkLock");
    }

    @Test
    void partitionsAreApartAndGoWithTheirApplication() {
        put("app", "p", "k");
        put("app", "q", "k");
        put("app2", "p", "k");
        assertThat(tables.scan("app", "p", "", null, 10).items()).extracting(TableStore.Item::key).containsExactly("k");
        put("app", "p", "k2");
        assertThat(tables.scan("app", "p", "k", "k", 10).items()).extracting(TableStore.Item::key).containsExactly("k2");
        tables.deleteApplication("app");
        assertThat(tables.scan("app", "p", "", null, 10).items()).isEmpty();
        assertThat(tables.scan("app", "q", "", null, 10).items()).isEmpty();
        assertThat(tables.scan("app2", "p", "", null, 10).items()).hasSize(1);
    }

    @Test
    void aScanGivesAsMuchAsFitsAndSaysWhetherThereIsMore() {
        for (int i = 0; i < 12; i++) {
            one(What.PUT, "big" + (char) ('a' + i), "\"" + "x".repeat(60_000) + "\"", null);
        }
        TableStore.Page first = tables.scan("app", "p", "big", null, 1000);
        assertThat(first.items()).hasSize(9);
        assertThat(first.more()).isTrue();
        TableStore.Page rest = tables.scan("app", "p", "big", first.items().getLast().key(), 1000);
        assertThat(rest.items()).hasSize(3);
        assertThat(rest.more()).isFalse();
        assertThat(tables.scan("app", "p", "big", null, 2).more()).isTrue();
        refused(() -> tables.transact("app", "p", IntStream.range(0, 13).mapToObj(i -> operation(What.GET, "k" + i, null, null)).toList()),
                "at most 12 values");
    }

    @Test
    void countersAndListsLoseNothingUnderManyWriters() {
        TableStore other = new TableStore(store);
        List<CompletableFuture<List<Long>>> writing = IntStream.range(0, 4).mapToObj(i -> CompletableFuture.supplyAsync(() -> {
            List<Long> sums = new ArrayList<>();
            for (int n = 0; n < 10; n++) {
                sums.add((i % 2 == 0 ? tables : other).transact("app", "p", List.of(operation(What.ADD, "n", null, 1L),
                        operation(What.APPEND, "l", "[" + (i * 100 + n) + "]", null))).getFirst().number());
            }
            return sums;
        })).toList();
        List<Long> all = writing.stream().flatMap(each -> each.join().stream()).toList();
        assertThat(all).hasSize(40).doesNotHaveDuplicates();
        assertThat(text(one(What.GET, "n", null, null))).isEqualTo("40");
        assertThat(one(What.APPEND, "l", "[]", null).number()).isEqualTo(40);
    }

    @Test
    void everyHistoryOfARegisterIsLinearizable() {
        TableStore other = new TableStore(store);
        for (int round = 0; round < 6; round++) {
            String key = "r" + round;
            LinearizableRegister history = new LinearizableRegister();
            List<CompletableFuture<Void>> clients = IntStream.range(0, 3).mapToObj(client -> CompletableFuture.runAsync(() -> {
                Random random = new Random(client);
                TableStore mine = client == 0 ? other : tables;
                for (int n = 0; n < 4; n++) {
                    String value = "" + (client * 10 + n);
                    switch (random.nextInt(3)) {
                        case 0 -> history.write(value, () -> mine.transact("app", "p", List.of(operation(What.PUT, key, value, null))));
                        case 1 -> history.read(() -> text(mine.transact("app", "p", List.of(operation(What.GET, key, null, null))).getFirst()));
                        default -> history.swap(value, () -> {
                            Result seen = mine.transact("app", "p", List.of(operation(What.GET, key, null, null))).getFirst();
                            return text(seen);
                        }, expected -> {
                            Result seen = mine.transact("app", "p", List.of(operation(What.GET, key, null, null))).getFirst();
                            if (!Objects.equals(text(seen), expected)) {
                                return false;
                            }
                            try {
                                mine.transact("app", "p", List.of(operation(What.PUT, key, value, seen.version())));
                                return true;
                            } catch (StoreException e) {
                                return false;
                            }
                        });
                    }
                }
            })).toList();
            clients.forEach(CompletableFuture::join);
            assertThat(history.isLinearizable()).as("history %s", history).isTrue();
        }
    }

    private Result one(What what, String key, String json, Long number) {
        return tables.transact("app", "p", List.of(operation(what, key, json, number))).getFirst();
    }

    private void put(String application, String partition, String key) {
        tables.transact(application, partition, List.of(operation(What.PUT, key, "1", null)));
    }

    private static TableOperation operation(What what, String key, String json, Long number) {
        return new TableOperation(what, key, json == null ? null : Payload.json(bytes(json)), number, null);
    }

    private static String text(Result result) {
        return result.value() == null ? null : new String(result.value().bytes(), StandardCharsets.UTF_8);
    }

    private static long conflict(ThrowingCallable call) {
        StoreException failure = catchThrowableOfType(StoreException.class, call);
        assertThat(failure.kind()).isEqualTo(Kind.CONFLICT);
        return failure.actualVersion();
    }

    private static void refused(ThrowingCallable call, String word) {
        StoreException failure = catchThrowableOfType(StoreException.class, call);
        assertThat(failure.kind()).isEqualTo(Kind.BAD_VALUE);
        assertThat(failure).hasMessageContaining(word);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
