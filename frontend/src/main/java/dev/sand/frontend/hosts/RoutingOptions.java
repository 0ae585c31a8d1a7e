package dev.sand.frontend.hosts;

import java.time.Duration;

/**
 * How patient a frontend is with hosts.
 *
 * @param overBus an accepted-later request whose slot has had no reachable owner for so long goes over the global bus
 * @param unaccepted an accepted-later request that no host has accepted for so long goes over the global bus beside
 * @param accept longest time for which a request that is accepted for later waits to be, by a host or the global bus; a host that
 *     has one which cannot go over the bus is waited for until the deadline
 * @param backOff first pause before a request is sent again; doubled each time
 * @param slowestBackOff its longest
 * @param grace what a host may be late with its answer: it is the one that ends executions at their deadline
 * @param cancel longest time for which an execution's owner is looked for to cancel it
 * @param patience how long a host that cannot take a request just now is asked again
 * @param build longest time for which a host is looked for that can build
 * @param mostOverBus requests of an application that may wait in the global bus for the owner of one slot
 * @param busFirst requests that are accepted for later go over the global bus at once, whoever can be reached: for the bench
 */
public record RoutingOptions(Duration overBus, Duration unaccepted, Duration accept, Duration backOff, Duration slowestBackOff, Duration grace, Duration cancel,
                             Duration build, Duration patience, int mostOverBus, boolean busFirst) {
    public static final RoutingOptions DEFAULT = new RoutingOptions(Duration.ofMillis(1_000), Duration.ofSeconds(5), Duration.ofSeconds(30),
            Duration.ofMillis(20), Duration.ofMillis(500), Duration.ofSeconds(3), Duration.ofSeconds(8), Duration.ofSeconds(10), Duration.ofSeconds(2),
            10_000, false);

    public RoutingOptions withOverBus(Duration value) {
        return new RoutingOptions(value, unaccepted, accept, backOff, slowestBackOff, grace, cancel, build, patience, mostOverBus, busFirst);
    }

    public RoutingOptions withUnaccepted(Duration value) {
        return new RoutingOptions(overBus, value, accept, backOff, slowestBackOff, grace, cancel, build, patience, mostOverBus, busFirst);
    }

    public RoutingOptions withAccept(Duration value) {
        return new RoutingOptions(overBus, unaccepted, value, backOff, slowestBackOff, grace, cancel, build, patience, mostOverBus, busFirst);
    }

    public RoutingOptions withGrace(Duration value) {
        return new RoutingOptions(overBus, unaccepted, accept, backOff, slowestBackOff, value, cancel, build, patience, mostOverBus, busFirst);
    }

    public RoutingOptions withBuild(Duration value) {
        return new RoutingOptions(overBus, unaccepted, accept, backOff, slowestBackOff, grace, cancel, value, patience, mostOverBus, busFirst);
    }

    public RoutingOptions withMostOverBus(int value) {
        return new RoutingOptions(overBus, unaccepted, accept, backOff, slowestBackOff, grace, cancel, build, patience, value, busFirst);
    }

    public RoutingOptions withBusFirst() {
        return new RoutingOptions(overBus, unaccepted, accept, backOff, slowestBackOff, grace, cancel, build, patience, mostOverBus, true);
    }
}
