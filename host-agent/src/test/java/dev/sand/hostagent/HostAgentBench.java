package dev.sand.hostagent;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/**
 * The host agent without HTTP, with the real runtime in process sandboxes: invoke to respond for a grain that does nothing,
 * and from the end of one grain to the start of the next, by the timestamps inside the instances.
 */
public final class HostAgentBench {
    /** Between requests one at a time: a fork takes about a millisecond, and here the hand-over is measured. */
    private static final long PAUSE_NS = 4_000_000;
    private static final String NOOP = "def handle(event, context):\n    return event\n";

    private HostAgentBench() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3000;
        try (TestPlatform platform = new TestPlatform()) {
            ApplicationVersion version = platform.deploy("bench", Map.of("noop", NOOP, "first", NOOP, "second", NOOP), Map.of("chain", """
                    {"StartAt": "First", "States": {
                      "First": {"Type": "Task", "Resource": "first", "Next": "Second"},
                      "Second": {"Type": "Task", "Resource": "second", "End": true}}}
                    """), spec -> spec);
            ApplicationVersion shared = platform.deploy("shared", Map.of("noop", NOOP), Map.of(), HostAgentBench::shared);
            // The machine code that a long-running platform has.
            throughput(platform, shared, "warm-up: noop, isolation worker", 30_000, 8);
            throughput(platform, version, "warm-up: noop, a process a request", 1_000, 4);
            measure(platform, version, "noop", "noop, a process a request", rounds);
            measure(platform, shared, "noop", "noop, isolation worker", rounds);
            measure(platform, version, "chain", "two grains", rounds);
            throughput(platform, version, "noop, a process a request", rounds, 16);
            throughput(platform, shared, "noop, isolation worker", rounds * 5, 16);
            System.out.println(platform.agent.counts());
        }
    }

    private static GrainSpec shared(GrainSpec spec) {
        return new GrainSpec(spec.name(), spec.entry(), GrainSpec.Isolation.WORKER, spec.preload(), spec.timeoutMs(),
                spec.concurrency(), spec.memoryBytes(), spec.queueDepth(), spec.queueBytes(), spec.minIdle(), spec.maxIdle(),
                spec.maxRequests(), spec.environment(), spec.secrets());
    }

    private static void measure(TestPlatform platform, ApplicationVersion version, String target, String what, int rounds)
            throws Exception {
        long[] total = new long[rounds];
        long[] interaction = new long[rounds];
        Hop[] hops = new Hop[rounds];
        for (int i = 0; i < rounds; i++) {
            long began = System.nanoTime();
            InvocationResult result = platform.invoke(version, target, "{\"n\":1}");
            total[i] = System.nanoTime() - began;
            TestPlatform.text(result);
            List<Hop> path = result.hops();
            hops[i] = path.getLast();
            LockSupport.parkNanos(PAUSE_NS);
            interaction[i] = path.size() > 1 ? path.get(1).startedNs() - path.get(0).endedNs() : 0;
        }
        print(what + ": invoke to respond", total);
        print("    queue", each(hops, hop -> hop.handedNs() - hop.queuedNs()));
        print("    dispatch", each(hops, hop -> hop.startedNs() - hop.handedNs()));
        print("    run", each(hops, hop -> hop.endedNs() - hop.startedNs()));
        print("    bus", each(hops, hop -> hop.returnedNs() - hop.endedNs()));
        if (target.equals("chain")) {
            print("    interaction: end of first to start of second", interaction);
        }
    }

    private static void throughput(TestPlatform platform, ApplicationVersion version, String what, int requests, int atOnce)
            throws Exception {
        long began = System.nanoTime();
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < atOnce; caller++) {
            callers.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < requests / atOnce; i++) {
                    CompletableFuture<InvocationResult> result = platform.start(version, "noop", "{\"n\":1}", 30_000);
                    TestPlatform.text(result.join());
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        System.out.printf("%s: %.0f requests a second, %d at once%n", what, requests * 1e9 / (System.nanoTime() - began), atOnce);
    }

    private static long[] each(Hop[] hops, ToLongFunction<Hop> part) {
        return Arrays.stream(hops).mapToLong(part).toArray();
    }

    private static void print(String what, long[] ns) {
        long[] sorted = ns.clone();
        Arrays.sort(sorted);
        System.out.printf("%-60s p50 %7.1f µs   p99 %8.1f µs%n", what, sorted[sorted.length / 2] / 1000.0,
                sorted[(int) (sorted.length * 0.99)] / 1000.0);
    }
}
