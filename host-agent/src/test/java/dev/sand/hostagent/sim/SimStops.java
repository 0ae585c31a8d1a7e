package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients of the simulated cluster that want executions stopped: each asks the owner that its frontend knows, and again while that does not
 * know, or dies. What it is told then holds, whichever hosts die and whoever has the slot.
 */
final class SimStops {
    final class Stop {
        private final SimFrontends.Call call;
        private boolean told;
        private boolean byThis;
        private boolean wasAccepted;
        /** When its host said so. */
        private long toldNs;
        /** Of the record that there was then; null: there was none. */
        private Status endedAs;
        private String askedOf;
        private int asked;

        Stop(SimFrontends.Call call) {
            this.call = call;
        }

        private String id() {
            return call.request.executionId();
        }

        private void ask() {
            ClusterHost owner = cluster.frontends().owner(call);
            if (told) {
                return;
            }
            if (owner == null || !owner.isAlive()) {
                again(asked);
                return;
            }
            askedOf = owner.name();
            int number = ++asked;
            owner.link().in(() -> owner.on(new Input.Cancel(id(), null, "not wanted any more", new Answer(this, number))));
        }

        private void again(int number) {
            cluster.schedule().after(dice.aside(1, 30) * MS, () -> {
                if (number == asked) {
                    ask();
                }
            });
        }

        private void told(boolean endedByThis, long saidNs, boolean accepted) {
            told = true;
            byThis = endedByThis;
            wasAccepted = accepted;
            toldNs = saidNs;
            InvocationRecord record = cluster.store().ended(id());
            endedAs = record == null ? null : record.status();
            if (byThis && call.answer == Status.SUCCEEDED && isStrict()) {
                throw new Violation("execution " + id() + " was stopped, and its client had been told that it succeeded");
            }
        }

        private void notTold(Failure failure) {
            if (!failure.retryable()) {
                throw new Violation("who stopped " + id() + " was told for good that nobody knows: " + failure.cause());
            }
            again(asked);
        }

        private boolean isStrict() {
            return cluster.version(new AppKey(call.request.application(), call.request.version())).durability() == Durability.STRICT;
        }

        /** One that ended before it was accepted may be asked for anew: its frontend may not have heard of that end. */
        private boolean isAnew() {
            return !wasAccepted && call.deliveredNs >= toldNs;
        }

        private void check() {
            InvocationRecord record = cluster.store().ended(id());
            Status now = record == null ? null : record.status();
            if (isAnew()) {
                return;
            }
            if (byThis && (now != null && now != Status.CANCELLED || call.answer == Status.SUCCEEDED && isStrict())) {
                throw new Violation("execution " + id() + " was stopped, and ran on: its record says " + now + ", its client was told "
                        + call.answer);
            }
            if (endedAs != null && endedAs != now) {
                throw new Violation("who stopped " + id() + " was told that it had ended, as " + endedAs + ", and it has ended as " + now);
            }
        }
    }

    /** To one time that it was asked. */
    record Answer(Stop to, int number) implements Input.Listener<Boolean> {
        /** @param nowNs when the host says so. @return to be done when that comes, however late */
        Runnable of(Action.AnswerCancel answer, long nowNs) {
            boolean wasAccepted = to.call.accepted;
            return () -> {
                if (!to.told && answer.failure() == null) {
                    to.told(answer.byThis(), nowNs, wasAccepted);
                } else if (!to.told && number == to.asked) {
                    to.notTold(answer.failure());
                }
            };
        }

        @Override
        public void onDone(Boolean byThis) {
            throw new IllegalStateException("the simulated host answers over its link");
        }

        @Override
        public void onFailed(Failure failure) {
            throw new IllegalStateException("the simulated host answers over its link");
        }
    }

    private final ClusterSimulation cluster;
    private final Dice dice;
    private final List<Stop> stops = new ArrayList<>();

    SimStops(ClusterSimulation cluster, Dice dice) {
        this.cluster = cluster;
        this.dice = dice;
    }

    void stop(SimFrontends.Call call) {
        Stop stop = new Stop(call);
        stops.add(stop);
        stop.ask();
    }

    /** Connections to it break. */
    void onHostDied(String host) {
        for (Stop stop : stops) {
            if (!stop.told && host.equals(stop.askedOf)) {
                stop.again(stop.asked);
            }
        }
    }

    boolean allAnswered() {
        return stops.stream().allMatch(stop -> stop.told);
    }

    /** Of those that were told that the execution ended by them. */
    long stopped() {
        return stops.stream().filter(stop -> stop.byThis).count();
    }

    void checkEnd() {
        stops.forEach(Stop::check);
    }
}
