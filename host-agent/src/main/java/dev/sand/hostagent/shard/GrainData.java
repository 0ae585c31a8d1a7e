package dev.sand.hostagent.shard;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.EnqueueRequest;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.globalbus.BusException;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.triggers.GrainQueues;
import dev.sand.localbus.BusReply;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** The calls about data and queues of one application's grains: what memory has is answered in the read that asked, the rest off the shard. */
final class GrainData {
    private final SharedData data;
    private final Work work;
    private final WritesUnderWay writes;
    private final GrainTables tables;
    private final GrainQueues queues;
    private final SegmentServer segments;

    /** @param queues or null: there are none here */
    GrainData(SharedData data, Work work, WritesUnderWay writes, GrainQueues queues, SegmentServer segments) {
        this.data = data;
        this.tables = new GrainTables(data);
        this.work = work;
        this.writes = writes;
        this.queues = queues;
        this.segments = segments;
    }

    /** Answered when the message is in the global bus. */
    void enqueue(String application, EnqueueRequest request, BusReply<String> reply) {
        if (queues == null) {
            reply.refuse(Errors.BAD_REQUEST, "there are no queues here");
            return;
        }
        boolean taken = writes.tryRun(work, application, () -> {
            try {
                Payload payload = Messages.payload(request.getPayload());
                if (payload.size() > QueueSpec.MESSAGE_BYTES) {
                    reply.refuse(Errors.TOO_LARGE, "a message of " + payload.size() + " bytes is over the limit of "
                            + QueueSpec.MESSAGE_BYTES + "; put the value into shared data and send its key");
                    return null;
                }
                Payload whole = payload.bytes() != null ? payload
                        : new Payload(payload.contentType(), segments.read(application, payload.reference()), null);
                long remainingMs = request.isSetRemainingMs() ? request.getRemainingMs() : Long.MAX_VALUE; // older runtimes do not say
                return queues.send(application, request.getEventId(), request.getNumber(), request.getQueue(), request.getGroup(), whole,
                        remainingMs).whenComplete((id, failure) -> {
                            if (failure == null) {
                                reply.answer(id);
                            } else {
                                refuse(reply, failure);
                            }
                        });
            } catch (IllegalArgumentException e) {
                reply.refuse(Errors.BAD_REQUEST, e.getMessage());
            } catch (StoreException e) {
                reply.refuse(error(e.kind()), e.getMessage());
            }
            return null;
        });
        if (!taken) {
            reply.refuse(Errors.UNAVAILABLE, "the host agent has too many data calls under way");
        }
    }

    private static void refuse(BusReply<String> reply, Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        BusException.Kind kind = cause instanceof BusException refused ? refused.kind() : BusException.Kind.BROKEN;
        reply.refuse(kind == BusException.Kind.TOO_MANY ? Errors.OVERLOADED : kind == BusException.Kind.TOO_LARGE ? Errors.TOO_LARGE
                : Errors.UNAVAILABLE, cause.getMessage());
    }

    void table(String application, TableRequest request, BusReply<TableReply> reply) {
        off(application, reply, () -> tables.call(application, request));
    }

    void object(String application, ObjectRequest request, BusReply<ObjectReply> reply) {
        off(application, reply, () -> tables.call(application, request));
    }

    void get(String application, DataGetRequest request, BusReply<DataValue> reply) {
        Optional<SharedData.Value> known = data.cached(application, request.getKey());
        if (known.isPresent()) {
            reply.answer(value(known.get()));
        } else {
            off(application, reply, () -> value(data.get(application, request.getKey())));
        }
    }

    void put(String application, DataPutRequest request, BusReply<Long> reply) {
        long expected = request.isSetIfVersion() ? request.getIfVersion() : GlobalStore.ANY;
        off(application, reply, () -> data.put(application, request.getKey(), Messages.payload(request.getValue()), expected));
    }

    void delete(String application, DataDeleteRequest request, BusReply<Boolean> reply) {
        long expected = request.isSetIfVersion() ? request.getIfVersion() : GlobalStore.ANY;
        off(application, reply, () -> data.delete(application, request.getKey(), expected));
    }

    void list(String application, DataListRequest request, BusReply<DataListReply> reply) {
        off(application, reply, () -> {
            SharedData.Keys keys = data.list(application, request.getPrefix(), request.getAfter(), request.getLimit());
            return new DataListReply(keys.keys(), keys.more());
        });
    }

    void add(String application, DataAddRequest request, BusReply<Long> reply) {
        off(application, reply, () -> data.add(application, request.getKey(), request.getDelta()));
    }

    private <T> void off(String application, BusReply<T> reply, Supplier<T> call) {
        boolean taken = writes.tryRun(work, application, () -> {
            try {
                reply.answer(call.get());
            } catch (StoreException e) {
                reply.refuse(error(e.kind()), e.kind() == StoreException.Kind.CONFLICT
                        ? e.getMessage() + " (actual version " + e.actualVersion() + ")" : e.getMessage());
            } catch (IllegalArgumentException e) {
                reply.refuse(Errors.BAD_REQUEST, e.getMessage());
            } catch (RuntimeException e) {
                // A mistake of ours: told to whoever waits, then logged.
                reply.refuse(Errors.UNAVAILABLE, "the host agent failed at this call: " + e);
                throw e;
            }
            return null;
        });
        if (!taken) {
            reply.refuse(Errors.UNAVAILABLE, "the host agent has too many data calls under way");
        }
    }

    private static String error(StoreException.Kind kind) {
        return switch (kind) {
            case CONFLICT -> Errors.CONFLICT;
            // The value is not too large: there is no room for any, and there may be later.
            case FULL, AWAY, BROKEN -> Errors.UNAVAILABLE;
            case OVER_QUOTA -> Errors.OVERLOADED;
            case BAD_VALUE -> Errors.BAD_REQUEST;
        };
    }

    private static DataValue value(SharedData.Value value) {
        DataValue wire = new DataValue(value.version());
        return value.payload() == null ? wire : wire.setValue(Messages.payload(value.payload()));
    }
}
