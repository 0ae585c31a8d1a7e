package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.thrift.DataReference;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.Payload;
import dev.sand.event.thrift.TableOperation;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TableResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The wire's side of tables, locks and objects: what a grain may say, and what it is told. */
final class GrainTablesTest {
    private final GrainTables tables = new GrainTables(new SharedData(new MemoryStore(), LargeValues.NONE, SharedData.Options.DEFAULT));

    @Test
    void operationsGoThereAndResultsComeBack() {
        List<TableResult> results = call("p", operation("put", "k").setValue(json("\"a\"")).setNumber(0), operation("add", "n").setNumber(3),
                operation("get", "k"));
        assertThat(results).extracting(TableResult::getVersion).containsExactly(1L, 1L, 0L);
        assertThat(results.get(1).getNumber()).isEqualTo(3);
        assertThat(new String(results.get(2).getValue().getBytes(), StandardCharsets.UTF_8)).isEqualTo("\"a\"");
        TableResult page = call("p", operation("scan", "").setNumber(1)).getFirst();
        assertThat(page.getItems()).extracting(item -> item.getKey()).containsExactly("k");
        assertThat(page.getNumber()).as("there is more").isEqualTo(1);
        assertThat(tables.call("other", new TableRequest("p", List.of(operation("get", "k")))).getResults().getFirst().getVersion()).isZero();
    }

    @Test
    void aLockIsTakenRenewedAndGivenBack() {
        assertThat(call("p", operation("acquire", "l").setNumber(1000).setField("me")).getFirst().getNumber()).isEqualTo(1);
        TableResult held = call("p", operation("acquire", "l").setNumber(1000)).getFirst();
        assertThat(held.getNumber()).isZero();
        assertThat(held.getVersion()).as("milliseconds").isEqualTo(1100);
        call("p", operation("renew", "l").setNumber(1).setValue(json("2000")));
        call("p", operation("checkLock", "l").setNumber(1), operation("put", "k").setValue(json("1")));
        assertThat(call("p", operation("release", "l").setNumber(1)).getFirst().getNumber()).isEqualTo(1);
        assertThat(call("p", operation("release", "l").setNumber(1)).getFirst().getNumber()).isZero();
        assertThat(refused(() -> call("p", operation("checkLock", "l").setNumber(1), operation("put", "k").setValue(json("2")))))
                .isEqualTo(Kind.CONFLICT);
    }

    @Test
    void objectsAreWrittenAndReadInRanges() {
        tables.call("app", new ObjectRequest("write", "o").setOffset(2).setBytes(new byte[] {1, 2}).setContentType("image/png"));
        ObjectReply range = tables.call("app", new ObjectRequest("read", "o").setOffset(1).setSize(100));
        assertThat(range.getBytes()).containsExactly(0, 1, 2);
        assertThat(range.getContentType()).isEqualTo("image/png");
        assertThat(range.getSize()).isEqualTo(4);
        tables.call("app", new ObjectRequest("put", "o").setValue(json("[1]")).setIfVersion(range.getVersion()));
        assertThat(tables.call("app", new ObjectRequest("info", "o")).getSha256()).hasSize(64);
        assertThat(tables.call("app", new ObjectRequest("list", "").setSize(10)).getKeys()).containsExactly("o");
        assertThat(tables.call("app", new ObjectRequest("delete", "o")).getVersion()).isEqualTo(1);
        assertThat(tables.call("app", new ObjectRequest("info", "o")).getVersion()).isZero();
    }

    @Test
    void whatLacksSomethingIsRefusedAndNothingBreaks() {
        for (TableOperation wrong : List.of(operation("put", "k"), operation("renew", "l"), operation("acquire", "l"), operation("append", "k"),
                operation("nonsense", "k"), operation("setField", "m").setValue(json("1")),
                operation("put", "k").setValue(new Payload("x").setReference(new DataReference("o", 5))),
                operation("get", ""))) {
            assertThat(refused(() -> call("p", wrong))).as("%s", wrong).isEqualTo(Kind.BAD_VALUE);
        }
        for (ObjectRequest wrong : List.of(new ObjectRequest("put", "o"), new ObjectRequest("nonsense", "o"),
                new ObjectRequest("read", "o").setSize(-1), new ObjectRequest("read", "o").setSize(1 << 20),
                new ObjectRequest("write", "o").setOffset(-1).setBytes(new byte[1]), new ObjectRequest("resize", "o").setSize(5),
                new ObjectRequest("info", ""))) {
            assertThat(refused(() -> tables.call("app", wrong))).as("%s", wrong).isEqualTo(Kind.BAD_VALUE);
        }
    }

    private List<TableResult> call(String partition, TableOperation... operations) {
        return tables.call("app", new TableRequest(partition, List.of(operations))).getResults();
    }

    private static TableOperation operation(String name, String key) {
        return new TableOperation(name, key);
    }

    private static Payload json(String text) {
        return new Payload("application/json").setBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Kind refused(ThrowingCallable call) {
        return catchThrowableOfType(StoreException.class, call).kind();
    }
}
