package dev.sand.hostagent.shard;

import dev.sand.event.Errors;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.hostagent.control.Capabilities;
import dev.sand.hostagent.control.ControlCalls;
import dev.sand.localbus.BusReply;
import java.util.HashMap;
import java.util.Map;

/** Which execution each instance of a sandbox handles, where its application may control the platform. Shard thread only. */
final class GrainControl {
    private final String application;
    private final Capabilities.Application capability;
    private final ControlCalls calls;
    private final Map<String, EventMessage> handled = new HashMap<>(0);

    /** @param capability null, as nearly all have: nothing is noted, and every call is refused */
    GrainControl(String application, Capabilities.Application capability, ControlCalls calls) {
        this.application = application;
        this.capability = capability;
        this.calls = calls;
    }

    void handedOver(String instance, EventMessage event) {
        if (capability != null) {
            handled.put(instance, event);
        }
    }

    /** It has ended what it handled, or itself. */
    void gone(String instance) {
        if (capability != null) {
            handled.remove(instance);
        }
    }

    void call(String instance, ControlRequest request, BusReply<ControlReply> reply) {
        EventMessage event = handled.get(instance);
        if (capability == null) {
            calls.refuse(application, reply);
        } else if (event == null) {
            reply.refuse(Errors.DENIED, "the instance handles nothing (any more)");
        } else {
            calls.call(new ControlCalls.Grain(application, event.getGrain(), event.getExecutionId(), capability), request, reply);
        }
    }
}
