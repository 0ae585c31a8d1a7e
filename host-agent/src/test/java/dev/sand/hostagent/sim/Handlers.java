package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;
import static dev.sand.hostagent.sim.Dice.US;

import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.workflow.Execution.Published;
import java.util.ArrayList;
import java.util.List;

/** What the users' code does in the simulation: mostly its work, sometimes everything else. */
final class Handlers {
    private final Schedule schedule;
    private final Dice dice;
    private final Driver driver;
    private final SimHost host;
    private final UserCode code;

    Handlers(Schedule schedule, Dice dice, Driver driver, SimHost host, UserCode code) {
        this.schedule = schedule;
        this.dice = dice;
        this.driver = driver;
        this.host = host;
        this.code = code;
    }

    /** Whoever sees what an attempt returned knows later which attempt it was. */
    interface UserCode {
        /** An attempt begins. @return what it will return if all goes well */
        String begins(Action.HandOver over);
    }

    /** What an attempt returns on a host alone. */
    static String token(String eventId, int attempt) {
        return eventId + "@" + attempt;
    }

    void run(SimProcess.Instance instance, Action.HandOver over) {
        if (over.attempt() > 1 && dice.fault(20)) {
            lateResult(over);
        }
        String token = code.begins(over);
        if (dice.fault(2)) {
            host.dieUnread(instance);
            return;
        }
        long runNs = dice.fault(2) ? 100_000 * MS : dice.percent(10) ? dice.between(MS, 300 * MS) : dice.between(10 * US, 4 * MS);
        List<Published> published = publications(instance, over, runNs, token);
        if (isPoison(over.eventId()) || dice.fault(3)) {
            schedule.after(runNs * 3 / 4, () -> host.loseWorker(instance));
        }
        if (dice.fault(4)) {
            int signal = dice.percent(30) ? 9 : 11;
            schedule.after(dice.between(0, Math.min(runNs, 100 * MS)), () -> host.die(instance, 0, signal,
                    signal == 9 ? "out of memory" : null));
            return;
        }
        schedule.after(runNs, () -> end(instance, over, published, token));
    }

    /** Whatever runs it takes its worker with it, every time. */
    private static boolean isPoison(String eventId) {
        return (eventId.hashCode() & 63) == 7;
    }

    /** Some go at once and some with the result; all count only if this attempt finishes. */
    private List<Published> publications(SimProcess.Instance instance, Action.HandOver over, long runNs, String token) {
        List<Published> withFinish = new ArrayList<>();
        if (over.eventId().contains(">") || !dice.percent(25)) {
            return withFinish;
        }
        int count = 1 + dice.below(2);
        for (int i = 0; i < count; i++) {
            Published published = new Published(dice.percent(3) ? "nobody" : "g0",
                    Script.payload(token));
            if (dice.percent(60)) {
                schedule.after(runNs / 2, () -> {
                    if (instance.alive) {
                        Input input = new Input.Publish(over.app(), instance.id, over.eventId(), over.attempt(), published);
                        driver.deliverAt(instance.arrival(schedule.nowNs(), 20 * US), input);
                    }
                });
            } else {
                withFinish.add(published);
            }
        }
        return withFinish;
    }

    private void end(SimProcess.Instance instance, Action.HandOver over, List<Published> published, String token) {
        if (!instance.alive) {
            return;
        }
        long now = schedule.nowNs();
        Input result;
        if (dice.percent(4)) {
            result = new Input.Fail(over.app(), instance.id, over.eventId(), over.attempt(),
                    Failure.grain("ValueError", "no such item", "Traceback"), now, now);
        } else {
            int size = dice.fault(1) ? 70_000 : 0;
            Payload output = Script.payload(token + " ".repeat(size));
            result = new Input.Finish(over.app(), instance.id, over.eventId(), over.attempt(), output, published, now, now);
        }
        driver.deliverPerhapsTwice(instance.arrival(now, dice.hop()), result);
        if (instance.worker.grain.isolation() == Isolation.WORKER && !dice.fault(3)) {
            instance.waits = true;
            host.take(instance);
        } else if (dice.fault(1)) {
            instance.eventId = null; // lingers without a reason, and is killed for it
        } else {
            schedule.after(dice.between(10 * US, 2 * MS), () -> host.die(instance, 0, 0, null));
        }
    }

    /** An earlier attempt's result that comes when the next attempt already runs. */
    private void lateResult(Action.HandOver over) {
        long now = schedule.nowNs();
        driver.deliver(dice.between(0, 3 * MS), new Input.Finish(over.app(), over.instance(), over.eventId(), over.attempt() - 1,
                Script.payload(token(over.eventId(), over.attempt() - 1)), List.of(), now, now));
    }
}
