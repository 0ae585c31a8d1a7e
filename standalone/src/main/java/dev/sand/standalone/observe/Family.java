package dev.sand.standalone.observe;

import dev.sand.event.DurationBuckets;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One metric with all its label values, being put together for one scrape. */
final class Family {
    private enum Kind { COUNTER, GAUGE, HISTOGRAM }

    private static final double NS = 1e-9;
    private static final double[] BOUNDS = IntStream.rangeClosed(0, DurationBuckets.BOUNDS)
            .mapToDouble(bucket -> bucket == DurationBuckets.BOUNDS ? Double.POSITIVE_INFINITY
                    : DurationBuckets.boundNs(bucket) * NS).toArray();

    private final Kind kind;
    private final String name;
    private final String help;
    private final List<CounterDataPointSnapshot> counters = new ArrayList<>();
    private final List<GaugeDataPointSnapshot> gauges = new ArrayList<>();
    private final List<HistogramDataPointSnapshot> histograms = new ArrayList<>();

    private Family(Kind kind, String name, String help) {
        this.kind = kind;
        this.name = name;
        this.help = help;
    }

    /** @param name without {@code _total}, which the format appends */
    static Family counter(String name, String help) {
        return new Family(Kind.COUNTER, name, help);
    }

    static Family gauge(String name, String help) {
        return new Family(Kind.GAUGE, name, help);
    }

    /** Durations, told in seconds. */
    static Family histogram(String name, String help) {
        return new Family(Kind.HISTOGRAM, name, help);
    }

    /** @param labels names and values in turn */
    Family add(double value, String... labels) {
        if (kind == Kind.COUNTER) {
            counters.add(CounterDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
        } else {
            gauges.add(GaugeDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
        }
        return this;
    }

    Family add(long[] counts, long sumNs, String... labels) {
        histograms.add(HistogramDataPointSnapshot.builder().classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, counts))
                .sum(sumNs * NS).labels(Labels.of(labels)).build());
        return this;
    }

    MetricSnapshot snapshot() {
        return switch (kind) {
            case COUNTER -> {
                CounterSnapshot.Builder builder = CounterSnapshot.builder().name(name).help(help);
                counters.forEach(builder::dataPoint);
                yield builder.build();
            }
            case GAUGE -> {
                GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
                gauges.forEach(builder::dataPoint);
                yield builder.build();
            }
            case HISTOGRAM -> {
                HistogramSnapshot.Builder builder = HistogramSnapshot.builder().name(name).help(help);
                histograms.forEach(builder::dataPoint);
                yield builder.build();
            }
        };
    }
}
