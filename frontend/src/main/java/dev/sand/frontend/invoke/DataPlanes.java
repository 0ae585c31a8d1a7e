package dev.sand.frontend.invoke;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Tracing;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data plane, wired: both ways in over one invoker, and the housekeeping of idempotency keys. */
public final class DataPlanes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataPlanes.class);
    /** The header that names the cloud process. */
    public static final String PROCESS = "Sand-Process";
    private static final long LOOK_MS = 10;
    private final Invoker invoker;
    private final InvokePlane invoke;
    private final WebPlane web;
    private final ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("idempotency-keys").factory());

    public DataPlanes(FrontendConfiguration configuration, HostAgentPort host, InvocationStore records, GlobalStore store,
                      Registry registry, Directory directory, int slots, Executor blocking, Tracing tracing, LongSupplier clockMs) {
        IdempotencyKeys keys = new IdempotencyKeys(store, configuration.idempotencyWindow().toMillis());
        invoker = new Invoker(host, records, keys, new ExecutionIds(slots), configuration.inFlight(), blocking, tracing, clockMs);
        invoke = new InvokePlane(invoker, directory, configuration);
        web = new WebPlane(invoker, directory, configuration);
        housekeeping.scheduleWithFixedDelay(() -> expire(keys, registry, clockMs.getAsLong()), 1, 60, TimeUnit.MINUTES);
    }

    private static void expire(IdempotencyKeys keys, Registry registry, long nowMs) {
        try {
            registry.applications().forEach(application -> keys.expire(application, nowMs));
        } catch (RuntimeException e) {
            // A schedule ends with the first exception: this one is told, and the next hour is tried again.
            LOG.warn("idempotency keys were not looked through: {}", e.toString());
        }
    }

    public Gate.DataPlane invoke() {
        return invoke;
    }

    /** The grain's live version, in a cloud process of the application. @param process null: a new one */
    public void invokeInProcess(HttpExchange exchange, String application, String grain, String process) {
        invoke.invoke(exchange, new Target(application, grain, null), process == null ? invoker.newProcess() : process, process == null);
    }

    public Gate.DataPlane web() {
        return web;
    }

    public int inFlight() {
        return invoker.inFlight();
    }

    public boolean isDraining() {
        return invoker.isDraining();
    }

    /** Refuses new requests, and waits until those in flight are answered or the time is up. */
    public void drain(Duration most) throws InterruptedException {
        invoker.drain();
        long untilNs = System.nanoTime() + most.toNanos();
        while (invoker.inFlight() > 0 && System.nanoTime() < untilNs) {
            Thread.sleep(LOOK_MS);
        }
    }

    @Override
    public void close() {
        housekeeping.shutdownNow();
        invoker.close();
    }
}
