package dev.sand.hostagent.shard;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.datalayer.TableStore;
import dev.sand.datalayer.TimedLocks;
import dev.sand.event.Payload;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.TableItem;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TableResult;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What grains ask of tables, locks and objects: from the wire's structures to the data layer and back. Blocks; off the shards. */
final class GrainTables {
    /** Read or written in one call; a frame has room for it. */
    private static final int RANGE_BYTES = 512 * 1024;
    private static final int MOST_LISTED = 1000;

    private final TableStore tables;
    private final TimedLocks locks;
    private final ObjectStore objects;
    private final SharedData data;

    GrainTables(SharedData data) {
        this.data = data;
        this.tables = data.tables();
        this.locks = data.locks();
        this.objects = data.objects();
    }

    /** @throws StoreException as the data layer's */
    TableReply call(String application, TableRequest request) {
        var first = request.getOperationsSize() == 1 ? request.getOperations().getFirst() : null;
        String partition = request.getPartition();
        TableResult alone = first == null ? null : switch (first.getOperation()) {
            case "scan" -> scan(application, partition, first);
            case "acquire" -> {
                TimedLocks.Grant grant = locks.acquire(application, partition, first.getKey(), first.getNumber(), first.getField());
                yield new TableResult(grant.retryAfterMs()).setNumber(grant.token());
            }
            case "renew" -> {
                locks.renew(application, partition, first.getKey(), first.getNumber(), milliseconds(first));
                yield new TableResult(0);
            }
            case "release" -> new TableResult(0).setNumber(locks.release(application, partition, first.getKey(), first.getNumber()) ? 1 : 0);
            default -> null;
        };
        if (alone != null) {
            return new TableReply(List.of(alone));
        }
        List<TableOperation> operations = request.getOperations().stream().map(GrainTables::operation).toList();
        return new TableReply(tables.transact(application, partition, operations).stream().map(GrainTables::result).toList());
    }

    private TableResult scan(String application, String partition, dev.sand.event.thrift.TableOperation operation) {
        TableStore.Page page = tables.scan(application, partition, operation.getKey(), operation.getField(), (int) Math.min(Integer.MAX_VALUE, operation.getNumber()));
        return new TableResult(0).setNumber(page.more() ? 1 : 0).setItems(page.items().stream()
                .map(item -> new TableItem(item.key(), item.version(), Messages.payload(item.value()))).toList());
    }

    private static long milliseconds(dev.sand.event.thrift.TableOperation operation) {
        try {
            Payload holding = value(operation.getValue(), "renew");
            return holding.bytes() == null ? 0 : Long.parseLong(new String(holding.bytes(), StandardCharsets.UTF_8));
        } catch (NumberFormatException e) {
            throw new StoreException(Kind.BAD_VALUE, "renew takes the holding time in milliseconds", 0, e);
        }
    }

    private static TableOperation operation(dev.sand.event.thrift.TableOperation wire) {
        Payload value = wire.isSetValue() ? Messages.payload(wire.getValue()) : null;
        return new TableOperation(What.of(wire.getOperation()), wire.getKey(), value, wire.isSetNumber() ? wire.getNumber() : null, wire.getField());
    }

    private static TableResult result(TableOperation.Result result) {
        TableResult wire = new TableResult(result.version());
        if (result.value() != null) {
            wire.setValue(Messages.payload(result.value()));
        }
        return result.number() == null ? wire : wire.setNumber(result.number());
    }

    /** @throws StoreException as the data layer's */
    ObjectReply call(String application, ObjectRequest request) {
        String key = request.getKey();
        long expected = request.isSetIfVersion() ? request.getIfVersion() : GlobalStore.ANY;
        return switch (request.getOperation()) {
            case "put" -> new ObjectReply(data.putObject(application, key, value(request.getValue(), "put"), expected));
            case "read" -> objects.read(application, key, request.getOffset(), range(request.getSize()), expected)
                    .map(range -> reply(range.info()).setBytes(range.bytes())).orElse(new ObjectReply(0));
            case "write" -> {
                byte[] bytes = request.isSetBytes() ? request.getBytes() : new byte[0];
                range(bytes.length);
                String type = request.isSetContentType() ? request.getContentType() : Payload.OCTETS;
                yield new ObjectReply(objects.write(application, key, type, request.getOffset(), bytes, expected));
            }
            case "resize" -> new ObjectReply(objects.resize(application, key, request.getSize(), expected));
            case "info" -> objects.info(application, key).map(GrainTables::reply).orElse(new ObjectReply(0));
            case "delete" -> new ObjectReply(objects.delete(application, key, expected) ? 1 : 0);
            case "list" -> new ObjectReply(0).setKeys(objects.keys(application, key, request.getAfter(), (int) Math.clamp(request.getSize(), 1, MOST_LISTED)));
            default -> throw new StoreException(Kind.BAD_VALUE, "objects have no operation \"" + request.getOperation() + "\"", 0, null);
        };
    }

    private static Payload value(dev.sand.event.thrift.Payload wire, String operation) {
        if (wire == null) {
            throw new StoreException(Kind.BAD_VALUE, operation + " needs a value", 0, null);
        }
        return Messages.payload(wire);
    }

    private static int range(long bytes) {
        if (bytes < 0 || bytes > RANGE_BYTES) {
            throw new StoreException(Kind.BAD_VALUE, "one call reads or writes at most " + RANGE_BYTES + " bytes of an object, not " + bytes, 0, null);
        }
        return (int) bytes;
    }

    private static ObjectReply reply(ObjectStore.Info info) {
        ObjectReply reply = new ObjectReply(info.version()).setSize(info.size()).setContentType(info.contentType());
        return info.sha256() == null ? reply : reply.setSha256(info.sha256());
    }
}
