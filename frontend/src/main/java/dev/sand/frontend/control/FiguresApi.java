package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationName;
import dev.sand.event.HostAgentPort;
import dev.sand.event.LatencyBuckets;
import dev.sand.event.RecentEnds;
import dev.sand.event.RecentEnds.Step;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Names;
import dev.sand.hostlink.HostLink;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * {@code GET /api/v1/figures}: how applications did lately, of all hosts together: those of who asks, and for the operator everybody's.
 * Nothing is kept here.
 */
public final class FiguresApi {
    /** One host that does not answer is named, and what the others tell is shown. */
    private static final long ANSWER_MS = HostLink.QUICK.toMillis() + 2_000;
    private static final int MOST_MINUTES = (int) (RecentEnds.STEPS * RecentEnds.STEP_MS / 60_000);
    private static final double[] SHARES = {0.5, 0.95, 0.99};
    private static final String[] QUANTILES = {"p50Ms", "p95Ms", "p99Ms"};
    private final Registry registry;
    private final HostAgentPort host;
    private final LongSupplier clockMs;

    public FiguresApi(Registry registry, HostAgentPort host, LongSupplier clockMs) {
        this.registry = registry;
        this.host = host;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("figures", this::figures);
    }

    private static final class Sum {
        private long ended;
        private long failed;
        private final long[] counts = new long[LatencyBuckets.COUNT];

        void add(Step step) {
            ended += step.ended();
            failed += step.failed();
            for (int i = 0; i < step.counts().length; i++) {
                // A newer platform may have more buckets: all of them are longer than ours.
                counts[Math.min(step.firstBucket() + i, counts.length - 1)] += step.counts()[i];
            }
        }

        ObjectNode shown(ObjectNode to) {
            to.put("ended", ended).put("failed", failed);
            for (int i = 0; i < SHARES.length; i++) {
                long ns = LatencyBuckets.quantileNs(counts, SHARES[i]);
                if (ns >= 0) {
                    to.put(QUANTILES[i], ns / 1e6);
                }
            }
            return to;
        }
    }

    private void figures(Exchange exchange) {
        int minutes = exchange.query("minutes", 15, 1, MOST_MINUTES);
        // So many as a small chart can show: sixty at most.
        long stepMs = Math.max(RecentEnds.STEP_MS, Math.ceilDiv(minutes, 10) * RecentEnds.STEP_MS);
        long nowMs = clockMs.getAsLong();
        long fromMs = nowMs - minutes * 60_000L;
        fromMs -= fromMs % stepMs;
        List<RecentEnds> hosts = ask(fromMs);
        long sinceMs = Math.max(fromMs, hosts.stream().filter(each -> each.problem() == null).mapToLong(RecentEnds::sinceMs).min().orElse(nowMs));
        ObjectNode answer = Json.object().put("fromMs", fromMs).put("sinceMs", Math.min(sinceMs, nowMs)).put("untilMs", nowMs)
                .put("stepMs", stepMs);
        ArrayNode told = answer.putArray("hosts");
        boolean isOperator = exchange.isEverywhere();
        // Hosts are the operator's to see. That one is silent, and figures are less than the truth, is everybody's.
        hosts.stream().filter(each -> isOperator || each.problem() != null).forEach(each -> told.addObject()
                .put("host", isOperator ? each.host() : "a host")
                .put("problem", isOperator ? each.problem() : "it does not tell its figures"));
        boolean withSystem = isOperator && exchange.flag(ApplicationsApi.SYSTEM);
        answer.set("applications", applications(hosts, stepMs, name -> (withSystem || !Names.isSystem(name))
                && (isOperator || ApplicationName.tenant(name).equals(exchange.tenant()))));
        exchange.json(200, answer);
    }

    private ArrayNode applications(List<RecentEnds> hosts, long stepMs, Predicate<String> isShown) {
        TreeMap<String, Sum> sums = new TreeMap<>();
        TreeMap<String, TreeMap<Long, Sum>> steps = new TreeMap<>();
        for (RecentEnds each : hosts) {
            for (Step step : each.steps()) {
                sums.computeIfAbsent(step.application(), _ -> new Sum()).add(step);
                steps.computeIfAbsent(step.application(), _ -> new TreeMap<>())
                        .computeIfAbsent(step.startMs() - step.startMs() % stepMs, _ -> new Sum()).add(step);
            }
        }
        ArrayNode shown = Json.array();
        for (String application : registry.applications()) {
            if (sums.containsKey(application) && isShown.test(application)) {
                ObjectNode one = sums.get(application).shown(shown.addObject().put("application", application));
                ArrayNode list = one.putArray("steps");
                steps.get(application).forEach((startMs, sum) -> sum.shown(list.addObject().put("startMs", startMs)));
            }
        }
        return shown;
    }

    private List<RecentEnds> ask(long sinceMs) {
        try {
            return host.recentEnds(sinceMs).get(ANSWER_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw Problem.platform(503, "unavailable", "Not available now", "The host agent does not tell its figures: " + e, true)
                    .asException();
        }
    }
}
