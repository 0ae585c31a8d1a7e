package dev.sand.standalone.observe;

import dev.sand.datalayer.MeasuredStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.DurationCounts;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.MeasuredBus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** How the global bus and the global data layer do, as this process sees them. */
public final class BackendMetrics {
    private BackendMetrics() {}

    /**
     * From the first moment on, also while both are waited for. Each may block a moment.
     *
     * @param ready as {@code /readyz} says
     */
    public static void addTo(Metrics metrics, BooleanSupplier ready, BooleanSupplier bus, BooleanSupplier store) {
        metrics.add(() -> true, _ -> List.of(
                gauge("sand_ready", "Whether this process is ready, as /readyz says.", ready),
                gauge("sand_bus_reachable", "Whether the global bus answers.", bus),
                gauge("sand_store_reachable", "Whether the global data layer answers.", store)));
    }

    public static void addTo(Metrics metrics, MeasuredBus bus, MeasuredStore store) {
        metrics.add(bus::figures, BackendMetrics::families);
        metrics.add(store::figures, BackendMetrics::families);
    }

    private static Family gauge(String name, String help, BooleanSupplier value) {
        return Family.gauge(name, help).add(value.getAsBoolean() ? 1 : 0);
    }

    static List<Family> families(MeasuredBus.Figures figures) {
        Family errors = Family.counter("sand_bus_errors", "What the global bus did not do, by call and reason.");
        figures.failures().forEach((call, reasons) -> reasons.forEach((reason, count) -> {
            if (reason != BusException.Kind.CONFLICT) { // of membership alone, which has counts of its own
                errors.add(count, "call", label(call), "reason", label(reason));
            }
        }));
        DurationCounts.Reading appends = figures.appends();
        return List.of(errors, Family.histogram("sand_bus_append_seconds", "From giving a record to the global bus until it is durable.")
                .add(appends.counts(), appends.sumNs()));
    }

    static List<Family> families(MeasuredStore.Figures figures) {
        Family calls = Family.histogram("sand_store_call_seconds", "Calls of the global data layer that were answered.");
        figures.calls().forEach((call, reading) -> calls.add(reading.counts(), reading.sumNs(), "call", label(call)));
        Family errors = Family.counter("sand_store_errors", "What the global data layer did not do, by call and reason.");
        for (Map.Entry<MeasuredStore.Call, Map<StoreException.Kind, Long>> one : figures.failures().entrySet()) {
            one.getValue().forEach((reason, count) -> errors.add(count, "call", label(one.getKey()), "reason", label(reason)));
        }
        return List.of(calls, errors);
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
