package dev.sand.frontend.http;

import dev.sand.datalayer.AuditLog;
import dev.sand.datalayer.AuditLog.Entry;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.event.ApplicationName;
import dev.sand.event.Ids;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes changes in the audit log, around what makes them. Blocks. */
public final class Auditing {
    private static final Logger LOG = LoggerFactory.getLogger(Auditing.class);
    private static final String APPLICATION = "app";
    /** What lies beside the path since it may have slashes. */
    private static final String KEY = "key";
    private static final int LONGEST = 200;
    private final AuditLog log;
    private final LongSupplier clockMs;
    private final AtomicLong lastMs = new AtomicLong();

    public Auditing(AuditLog log, LongSupplier clockMs) {
        this.log = log;
        this.clockMs = clockMs;
    }

    /** @throws dev.sand.datalayer.StoreException when it cannot be noted: then nothing is changed */
    public Entry begin(Exchange exchange, Operations.Operation operation, String caller) {
        Entry entry = begun(exchange, operation, caller);
        log.begin(entry);
        return entry;
    }

    /** As begin, for whoever writes its {@link #row} himself before anything is changed. */
    public Entry begun(Exchange exchange, Operations.Operation operation, String caller) {
        String key = exchange.query(KEY);
        if (key != null) { // Of what, though it never gets to its end.
            exchange.name(KEY, key);
        }
        Map<String, String> details = details(exchange);
        String application = details.remove(APPLICATION);
        return Entry.begun(nextId(), tenant(exchange), caller, exchange.address(), operation.id(), application, details);
    }

    public void end(Exchange exchange, Entry entry) {
        try {
            log.end(ended(exchange, entry));
        } catch (RuntimeException e) {
            notWritten(entry, e);
        }
    }

    /** As end, for whoever writes its row himself, and says so to {@link #hasEnded}, or that he could not to {@link #notWritten}. */
    public Entry ended(Exchange exchange, Entry entry) {
        Map<String, String> details = details(exchange);
        String application = details.remove(APPLICATION);
        Problem failure = exchange.failure();
        int status = failure == null ? exchange.status() : failure.status();
        return entry.ended(application, details, status, failure == null ? null : failure.name(), endedMs(entry));
    }

    public Write row(Entry entry) {
        return log.row(entry);
    }

    public void hasEnded(Entry entry) {
        log.hasEnded(entry);
    }

    public void notWritten(Entry entry, RuntimeException why) {
        LOG.warn("the outcome of {} is not in the audit log, under {}: {}", entry.operation(), entry.id(), why.toString());
    }

    /** Of whose things it is. What only the path says, and nobody has looked at yet, is believed of the operator alone. */
    private static String tenant(Exchange exchange) {
        String application = exchange.path(APPLICATION);
        if (application != null) {
            return ApplicationName.tenant(application);
        }
        String named = exchange.path("tenant");
        return named != null && exchange.isEverywhere() ? named : exchange.tenant();
    }

    /** A grain asked for what it may not: nothing was changed. @throws dev.sand.datalayer.StoreException when it cannot be noted */
    public void denied(String tenant, String operation, String caller, String address, String grain, String why, int status) {
        Entry entry = Entry.begun(nextId(), tenant, caller, address, operation, null,
                Map.of("grain", grain, "why", shortened(why)));
        log.begin(entry);
        log.end(entry.ended(null, entry.details(), status, "denied", endedMs(entry)));
    }

    /** Entries of one frontend are in the order in which they began, those of one millisecond too. */
    private String nextId() {
        return Ids.next(lastMs.accumulateAndGet(clockMs.getAsLong(), (last, now) -> Math.max(last + 1, now)), ThreadLocalRandom.current());
    }

    private long endedMs(Entry entry) {
        return Math.max(entry.atMs(), clockMs.getAsLong());
    }

    private static String shortened(String value) {
        if (value.length() <= LONGEST) {
            return value;
        }
        // Half of a character outside the basic plane could not be encoded.
        boolean within = Character.isSurrogatePair(value.charAt(LONGEST - 1), value.charAt(LONGEST));
        return value.substring(0, within ? LONGEST - 1 : LONGEST) + "…";
    }

    private static Map<String, String> details(Exchange exchange) {
        Map<String, String> details = new HashMap<>(exchange.named());
        details.replaceAll((name, value) -> shortened(value));
        return details;
    }
}
