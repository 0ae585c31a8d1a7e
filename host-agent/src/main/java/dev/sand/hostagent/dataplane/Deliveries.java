package dev.sand.hostagent.dataplane;

import dev.sand.hostagent.shard.LentOutput;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Large results that a client was sent and has not said that it got. For as long as that can still come, nobody else keeps them.
 * On the connection's event loop.
 *
 * <pre> sent ─ got ─▶ delivered;  ─ silence, the connection ends ─▶ undelivered; either way only once the socket needs its memory no more </pre>
 */
final class Deliveries {
    private final Map<Long, Delivery> byRequest = new HashMap<>();

    private static final class Delivery {
        private final LentOutput output;
        private final long sinceNs;
        private boolean isWritten;
        private Boolean isDelivered;

        Delivery(LentOutput output, long sinceNs) {
            this.output = output;
            this.sinceNs = sinceNs;
        }

        void written() {
            isWritten = true;
            giveBack();
        }

        void end(boolean delivered) {
            isDelivered = delivered;
            giveBack();
        }

        private void giveBack() {
            if (isWritten && isDelivered != null) {
                if (isDelivered) {
                    output.delivered();
                } else {
                    output.undelivered();
                }
            }
        }
    }

    /** @return to be run once the socket has all of it, or never will have */
    Runnable add(long request, LentOutput output, long nowNs) {
        Delivery delivery = new Delivery(output, nowNs);
        byRequest.put(request, delivery);
        return delivery::written;
    }

    /** Whether it is not known yet what becomes of that one: its number is not free. */
    boolean has(long request) {
        return byRequest.containsKey(request);
    }

    /** The client has all of it. */
    void got(long request) {
        Delivery delivery = byRequest.remove(request);
        if (delivery != null) {
            delivery.end(true);
        }
    }

    /** Of those that were sent before, nothing more is expected. */
    void giveUp(long beforeNs) {
        for (Iterator<Delivery> each = byRequest.values().iterator(); each.hasNext();) {
            Delivery delivery = each.next();
            if (delivery.sinceNs - beforeNs < 0) {
                each.remove();
                delivery.end(false);
            }
        }
    }

    /** The connection has ended. */
    void close() {
        byRequest.values().forEach(delivery -> delivery.end(false));
        byRequest.clear();
    }
}
