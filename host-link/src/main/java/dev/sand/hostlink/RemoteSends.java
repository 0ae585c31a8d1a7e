package dev.sand.hostlink;

import dev.sand.event.Codec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.thrift.network.Accepted;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.SendToProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Messages to cloud processes that come over a connection: taken, held for a moment, and durable. On its event loop. */
final class RemoteSends {
    private final ServerConnection connection;
    private final HostAgentPort host;
    /** By call: what has a message that is held written. */
    private final Map<Long, Runnable> held = new HashMap<>();

    RemoteSends(ServerConnection connection, HostAgentPort host) {
        this.connection = connection;
        this.host = host;
    }

    void begin(SendToProcess send) {
        long call = connection.begin(send.getCall());
        ProcessMessage message = Codec.decode(send.getMessage(), ProcessMessage.class);
        Failure refusal = connection.refusal(send.getPayload());
        if (refusal != null) {
            refuse(call, refusal);
            return;
        }
        HostAgentPort.Early early = Wire.early(send, hurry -> taken(call, send.isMayBeHeld(), hurry));
        connection.receive(call, send.getPayload(), bytes -> connection.outcome(call, host.send(message.with(
                new Payload(send.getPayload().getContentType(), bytes, null)), early).thenApply(done -> List.of())),
                why -> refuse(call, Failure.platform(Errors.OVERLOADED, why, true)));
    }

    private void refuse(long call, Failure failure) {
        connection.outcome(call, CompletableFuture.failedFuture(new HostAgentPort.ProcessException(failure)));
    }

    /** Any thread. @param mayBeHeld whether who sent it asks when somebody waits: a host of an earlier platform does not */
    private void taken(long call, boolean mayBeHeld, Runnable hurry) {
        boolean isHeld = hurry != null && mayBeHeld;
        if (hurry != null && !isHeld) {
            hurry.run();
        }
        connection.loop().execute(() -> {
            if (connection.isUnderWay(call)) {
                if (isHeld) {
                    held.put(call, hurry);
                }
                connection.send(Message.accepted(new Accepted(call, 0, 0).setHeld(isHeld)));
            }
        });
    }

    /** It may be durable by now. */
    void hurry(long call) {
        Runnable hurry = held.remove(call);
        if (hurry != null) {
            hurry.run();
        }
    }

    void forget(long call) {
        held.remove(call);
    }

    void clear() {
        held.clear();
    }
}
