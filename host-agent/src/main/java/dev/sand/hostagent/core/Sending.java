package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;

/**
 * Events of executions here that are in other hosts' hands, or on their way there through the global bus. What the bus does not
 * take, or has not confirmed for a while, runs here if it may; and while the bus is silent, what may run here is not sent at all
 * ({@link BusReach}). When nothing has come over it for longer, not even other hosts' cards, no result can: then what another host
 * has runs here too, relaxed. So an execution goes on without the bus wherever this host alone can take it on. What is taken back
 * is another attempt: should the first run too, what comes of it counts no more. What may not run here waits for the bus, until
 * its deadline.
 */
final class Sending {
    private final CoreContext context;
    private final Placing placing;
    private final PlacementPolicy policy;
    private final BusReach reach;
    private int away;

    Sending(CoreContext context, Placing placing, PlacementPolicy policy) {
        this.context = context;
        this.placing = placing;
        this.policy = policy;
        this.reach = new BusReach(context.configuration.sendPatienceNs());
    }

    int awayCount() {
        return away;
    }

    boolean isFull() {
        return away >= context.configuration.maxAway();
    }

    /** For an event that could as well run here. */
    boolean takesOne() {
        return !isFull() && (reach.takesOne(context.nowNs) || !context.has(Rule.HOME_WHILE_BUS_IS_SILENT));
    }

    void send(Event event, String host) {
        RunningExecution execution = ((Steps) event.owner).execution();
        event.away(host, context);
        away++;
        policy.began(host, context.nowNs);
        context.counters.sentAway++;
        long deadlineNs = Math.min(event.stepDeadlineNs, execution.deadlineNs());
        long remainingMs = Math.max(1, (deadlineNs - context.nowNs + 999_999) / 1_000_000);
        context.emit(new Action.SendAway(host, new RemoteEvent(event.grain.application().key(), execution.id(), event.id,
                event.grainName, event.attempt, remainingMs, event.payload, event.owner.traceparent(), execution.slot(),
                execution.epoch())));
    }

    /** It is away no more. */
    void forget(Event event) {
        away--;
        policy.ended(event.host, context.nowNs);
    }

    void onSentAway(Input.SentAway sent) {
        Failure failure = sent.failure();
        if (failure == null) {
            reach.confirmed();
        }
        Event event = away(sent.executionId(), sent.eventId(), sent.attempt(), sent);
        if (event != null && failure == null) {
            event.placed(context);
        } else if (event != null) {
            context.counters.sendFailures++;
            comesHome(event, failure);
        }
    }

    /** The bus has not confirmed it for a while, or it has been with its host for one. */
    void onOverdue(Event event) {
        CoreConfiguration configuration = context.configuration;
        boolean mayComeHome = placing.mayRunHere(event.grain) && context.has(Rule.HOME_WHILE_BUS_IS_SILENT);
        long silentNs = context.nowNs - placing.heardNs();
        if (event.isUnconfirmed()) {
            if (mayComeHome) {
                takeBack(event, "the global bus has not confirmed it");
            } else {
                event.overdueIn(configuration.sendPatienceNs(), context);
            }
        } else if (mayComeHome && silentNs >= configuration.returnPatienceNs() && !((Steps) event.owner).execution().isStrict()) {
            takeBack(event, "nothing comes over the global bus");
        } else {
            long leftNs = configuration.returnPatienceNs() - silentNs;
            event.overdueIn(leftNs > 0 ? leftNs : configuration.returnPatienceNs(), context);
        }
    }

    private void takeBack(Event event, String why) {
        context.counters.takenBack++;
        comesHome(event, Failure.platform(Errors.UNAVAILABLE, why, true));
    }

    /** @param failure retryable: it is the bus that does not take it now; else only not for that host */
    private void comesHome(Event event, Failure failure) {
        boolean isSilent = failure.retryable() && failure.error().equals(Errors.UNAVAILABLE);
        if (isSilent) {
            reach.silent(context.nowNs);
        }
        placing.forget(event);
        event.nextAttempt(context); // it may be there all the same
        if (placing.mayRunHere(event.grain)) {
            event.grain.readmit(event);
        } else {
            placing.tryLater(event, isSilent ? failure.cause() : null);
        }
    }

    /** The event that is away in that attempt, or null: the input was dropped. */
    Event away(String executionId, String eventId, int attempt, Input input) {
        RunningExecution execution = context.executions.get(executionId);
        Event event = execution == null ? null : context.executions.openEvent(eventId);
        if (event != null && event.isAway() && (event.attempt == attempt || !context.has(Rule.STALE_RETURN_DROPPED))) {
            return event;
        }
        context.drop("attempt " + attempt + " of " + eventId + " is not away", input);
        return null;
    }
}
