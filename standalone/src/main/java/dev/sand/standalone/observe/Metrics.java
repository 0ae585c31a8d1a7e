package dev.sand.standalone.observe;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * The page that {@code /metrics} answers: what the parts of this process have counted, read when somebody asks, and the
 * basics of the JVM. No part knows of it: nothing is registered, timed or labelled where requests are served.
 */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    public Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
    }

    /** One part of the process: a page of it for each scrape. */
    public <T> Metrics add(Callable<T> source, Function<T, List<Family>> families) {
        registry.getPrometheusRegistry().register((MultiCollector) () -> {
            try {
                return new MetricSnapshots(families.apply(source.call()).stream().map(Family::snapshot).toList());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new MetricSnapshots();
            } catch (Exception e) {
                // A part that is stopping, or does not answer in time, leaves the others on the page.
                return new MetricSnapshots();
            }
        });
        return this;
    }

    /** In Prometheus's text format. */
    public String page() {
        return registry.scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
