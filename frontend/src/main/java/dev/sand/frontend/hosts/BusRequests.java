package dev.sand.frontend.hosts;

import dev.sand.event.InvocationRequest;
import dev.sand.event.LogFields;
import dev.sand.event.RequestRecord;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Queues;
import dev.sand.globalbus.WaitingCounts;
import dev.sand.hostlink.HostLinks;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests that are accepted for later and go over the global bus, to whoever owns their slot next. On the links' event loop. */
final class BusRequests {
    private static final Logger LOG = LoggerFactory.getLogger(BusRequests.class);
    private final RemoteHosts.Parts parts;
    private final HostLinks links;
    private final WaitingCounts waiting;
    private final int most;

    /** @param most of an application that may wait for the owner of one slot */
    BusRequests(RemoteHosts.Parts parts, int most) {
        this.parts = parts;
        this.links = parts.links();
        this.waiting = new WaitingCounts(parts.bus());
        this.most = most;
    }

    /** @param then on the loop: null once the request is in the global bus, else why it is not */
    void append(InvocationRequest request, int slot, Consumer<BusException> then) {
        links.blocking().execute(() -> {
            String topic = Topics.requests(request.application());
            try {
                if (waiting.withOneMore(topic, slot, Queues.PATIENCE) > most) {
                    throw new BusException(BusException.Kind.TOO_MANY, "as many requests for " + request.application()
                            + " wait for an owner of slot " + slot + " as may, " + most, null);
                }
            } catch (BusException e) {
                links.execute(() -> then.accept(e));
                return;
            }
            parts.bus().append(topic, slot, RequestRecord.of(request).encode(), new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {
                    links.blocking().execute(() -> {
                        announce(request);
                        links.execute(() -> then.accept(null));
                    });
                }

                @Override
                public void onFailed(BusException failure) {
                    links.execute(() -> then.accept(failure));
                }
            });
        });
    }

    private void announce(InvocationRequest request) {
        try {
            parts.results().announce(request);
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                    .addKeyValue(LogFields.EXECUTION_ID, request.executionId())
                    .log("execution {} has no record until a host begins it: {}", request.executionId(), e.getMessage());
        }
    }
}
