package dev.sand.frontend.http;

import dev.sand.datalayer.AuditLog;
import dev.sand.datalayer.AuditLog.Entry;
import dev.sand.event.Ids;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes changes in the audit log, around what makes them. Blocks. */
final class Auditing {
    private static final Logger LOG = LoggerFactory.getLogger(Auditing.class);
    private static final String APPLICATION = "app";
    private static final int LONGEST = 200;
    private final AuditLog log;
    private final LongSupplier clockMs;

    Auditing(AuditLog log, LongSupplier clockMs) {
        this.log = log;
        this.clockMs = clockMs;
    }

    /** @throws dev.sand.datalayer.StoreException when it cannot be noted: then nothing is changed */
    Entry begin(Exchange exchange, Operations.Operation operation, String caller) {
        Map<String, String> details = details(exchange);
        String application = details.remove(APPLICATION);
        Entry entry = Entry.begun(Ids.next(clockMs.getAsLong(), ThreadLocalRandom.current()), caller, address(exchange), operation.id(),
                application, details);
        log.begin(entry);
        return entry;
    }

    void end(Exchange exchange, Entry entry) {
        Map<String, String> details = details(exchange);
        String application = details.remove(APPLICATION);
        Problem failure = exchange.failure();
        int status = failure == null ? exchange.response().getStatus() : failure.status();
        try {
            log.end(entry.ended(application, details, status, failure == null ? null : failure.name(), clockMs.getAsLong()));
        } catch (RuntimeException e) {
            LOG.warn("the outcome of {} is not in the audit log, under {}: {}", entry.operation(), entry.id(), e.toString());
        }
    }

    private static Map<String, String> details(Exchange exchange) {
        Map<String, String> details = new HashMap<>(exchange.named());
        details.replaceAll((name, value) -> value.length() > LONGEST ? value.substring(0, LONGEST) + "…" : value);
        return details;
    }

    private static String address(Exchange exchange) {
        return exchange.request().getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress() : null;
    }
}
