package dev.sand.frontend.invoke;

import dev.sand.event.InvocationResult.Hop;
import java.util.List;

/** The standard Server-Timing header: where the request's time went, summed over its hops, in milliseconds. */
public final class ServerTiming {
    private ServerTiming() {}

    /** Queue, dispatch, run and bus time of one hop or many, in nanoseconds; 0 where a hop never got that far. */
    public record Breakdown(long queueNs, long dispatchNs, long runNs, long busNs) {
        public static Breakdown of(Hop hop) {
            return new Breakdown(between(hop.queuedNs(), hop.handedNs()), between(hop.handedNs(), hop.startedNs()),
                    between(hop.startedNs(), hop.endedNs()), between(hop.endedNs(), hop.returnedNs()));
        }

        private static long between(long fromNs, long toNs) {
            return fromNs == 0 || toNs == 0 ? 0 : Math.max(0, toNs - fromNs);
        }
    }

    static String of(List<Hop> hops) {
        long queue = 0;
        long dispatch = 0;
        long run = 0;
        long bus = 0;
        for (Hop hop : hops) {
            Breakdown one = Breakdown.of(hop);
            queue += one.queueNs;
            dispatch += one.dispatchNs;
            run += one.runNs;
            bus += one.busNs;
        }
        StringBuilder out = new StringBuilder(80);
        append(out.append("queue;dur="), queue);
        append(out.append(", dispatch;dur="), dispatch);
        append(out.append(", run;dur="), run);
        append(out.append(", bus;dur="), bus);
        return out.toString();
    }

    private static void append(StringBuilder out, long ns) {
        long us = (ns + 500) / 1000;
        out.append(us / 1000).append('.');
        long rest = us % 1000;
        if (rest < 100) {
            out.append('0');
        }
        if (rest < 10) {
            out.append('0');
        }
        out.append(rest);
    }
}
