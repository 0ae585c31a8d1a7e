package dev.sand.hostagent.shard;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.localbus.BusReply;
import java.util.Optional;
import java.util.function.Supplier;

/** The data calls of one application's grains: what memory has is answered in the read that asked, the rest off the shard. */
final class GrainData {
    private final SharedData data;
    private final Work work;

    GrainData(SharedData data, Work work) {
        this.data = data;
        this.work = work;
    }

    void get(String application, DataGetRequest request, BusReply<DataValue> reply) {
        Optional<SharedData.Value> known = data.cached(application, request.getKey());
        if (known.isPresent()) {
            reply.answer(value(known.get()));
        } else {
            off(reply, () -> value(data.get(application, request.getKey())));
        }
    }

    void put(String application, DataPutRequest request, BusReply<Long> reply) {
        long expected = request.isSetIfVersion() ? request.getIfVersion() : GlobalStore.ANY;
        off(reply, () -> data.put(application, request.getKey(), Messages.payload(request.getValue()), expected));
    }

    void delete(String application, DataDeleteRequest request, BusReply<Boolean> reply) {
        long expected = request.isSetIfVersion() ? request.getIfVersion() : GlobalStore.ANY;
        off(reply, () -> data.delete(application, request.getKey(), expected));
    }

    void list(String application, DataListRequest request, BusReply<DataListReply> reply) {
        off(reply, () -> {
            SharedData.Keys keys = data.list(application, request.getPrefix(), request.getAfter(), request.getLimit());
            return new DataListReply(keys.keys(), keys.more());
        });
    }

    void add(String application, DataAddRequest request, BusReply<Long> reply) {
        off(reply, () -> data.add(application, request.getKey(), request.getDelta()));
    }

    private <T> void off(BusReply<T> reply, Supplier<T> call) {
        boolean taken = work.tryRun(() -> {
            try {
                reply.answer(call.get());
            } catch (StoreException e) {
                reply.refuse(error(e.kind()), e.kind() == StoreException.Kind.CONFLICT
                        ? e.getMessage() + " (actual version " + e.actualVersion() + ")" : e.getMessage());
            } catch (IllegalArgumentException e) {
                reply.refuse(Errors.BAD_REQUEST, e.getMessage());
            }
        });
        if (!taken) {
            reply.refuse(Errors.UNAVAILABLE, "the host agent has too many data calls under way");
        }
    }

    private static String error(StoreException.Kind kind) {
        return switch (kind) {
            case CONFLICT -> Errors.CONFLICT;
            case FULL -> Errors.TOO_LARGE;
            case AWAY, BROKEN -> Errors.UNAVAILABLE;
            case BAD_VALUE -> Errors.BAD_REQUEST;
        };
    }

    private static DataValue value(SharedData.Value value) {
        DataValue wire = new DataValue(value.version());
        return value.payload() == null ? wire : wire.setValue(Messages.payload(value.payload()));
    }
}
