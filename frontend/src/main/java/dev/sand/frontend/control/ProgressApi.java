package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.InvocationStore;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.frontend.http.EventStream;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Router;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * {@code …/invocations/{id}/events}: an event each attempt of a grain that ends ({@code hop}), and one for the execution's
 * end ({@code end}). An id names the attempt, so that a client that comes back with Last-Event-ID goes on behind it.
 */
public final class ProgressApi {
    private static final long ALIVE_MS = 5_000;
    private static final long RECORD_MS = 3_000;
    private static final long LOOK_AGAIN_MS = 20;
    private static final Object END = new Object();
    private final InvocationsApi invocations;
    private final InvocationStore records;
    private final HostAgentPort host;

    public ProgressApi(InvocationsApi invocations, InvocationStore records, HostAgentPort host) {
        this.invocations = invocations;
        this.records = records;
        this.host = host;
    }

    public void addTo(Router router) {
        router.onHttp("invocationEvents", this::events);
    }

    private void events(HttpExchange exchange) throws Exception {
        InvocationRecord found = invocations.find(exchange);
        BlockingQueue<Object> progress = new LinkedBlockingQueue<>();
        var listener = new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(Hop hop) {
                progress.add(hop);
            }

            @Override
            public void onEnd() {
                progress.add(END);
            }
        };
        // Watched before the stream is opened, so that nothing falls between the record and the watch.
        try (AutoCloseable watch = host.watch(found.executionId(), listener); EventStream stream = EventStream.open(exchange)) {
            String last = exchange.header("Last-Event-ID");
            Set<String> sent = new HashSet<>();
            while (true) {
                Object next = progress.poll(ALIVE_MS, TimeUnit.MILLISECONDS);
                if (next == END) {
                    break;
                }
                if (next instanceof Hop hop) {
                    send(stream, hop, sent, last);
                } else {
                    stream.alive();
                }
            }
            end(found, stream, sent, last);
        }
    }

    private void end(InvocationRecord found, EventStream stream, Set<String> sent, String last) throws Exception {
        InvocationRecord record = ended(found);
        List<Hop> hops = record.hops() == null ? List.of() : record.hops();
        int seen = -1;
        for (int i = 0; i < hops.size(); i++) {
            seen = id(hops.get(i)).equals(last) ? i : seen;
        }
        for (Hop hop : hops.subList(seen + 1, hops.size())) {
            send(stream, hop, sent, last);
        }
        ObjectNode end = InvocationsApi.show(record);
        stream.send("end", "end", end);
    }

    /** The record is written behind the end: wait for it, but not for ever. */
    private InvocationRecord ended(InvocationRecord found) throws InterruptedException {
        for (long waitedMs = 0; waitedMs < RECORD_MS; waitedMs += LOOK_AGAIN_MS) {
            var record = records.get(found.application(), found.executionId());
            if (record.isPresent() && record.get().status() != Status.RUNNING) {
                return record.get();
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
        return found;
    }

    private static void send(EventStream stream, Hop hop, Set<String> sent, String last) throws IOException {
        String id = id(hop);
        if (!id.equals(last) && sent.add(id)) {
            stream.send("hop", id, Timeline.hop(hop, 0));
        }
    }

    private static String id(Hop hop) {
        return hop.eventId() + "@" + hop.attempt();
    }
}
