package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;
import static dev.sand.hostagent.sim.Dice.US;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sandboxes, workers and instances of the simulated host, with all the ways in which they fail. */
final class SimHost {
    private final Schedule schedule;
    private final Dice dice;
    private final Driver driver;
    private final Handlers handlers;
    private final Map<String, SimProcess.Sandbox> sandboxes = new LinkedHashMap<>();
    private final Map<String, SimProcess.Worker> workers = new LinkedHashMap<>();
    private final Map<String, SimProcess.Instance> instances = new LinkedHashMap<>();
    /** By application: how often they have changed. */
    private final Map<String, Integer> secrets = new HashMap<>();
    private int pids = 100;
    private final Set<String> unread = new HashSet<>();
    /** By event: hand-overs that no handler saw. */
    private final Map<String, Integer> unseen = new HashMap<>();

    SimHost(Schedule schedule, Dice dice, Driver driver, Handlers.UserCode code) {
        this.schedule = schedule;
        this.dice = dice;
        this.driver = driver;
        this.handlers = new Handlers(schedule, dice, driver, this, code);
    }

    // --- sandboxes

    void start(Action.StartSandbox start) {
        SimProcess.Sandbox sandbox = new SimProcess.Sandbox(start.sandbox(), start.app(), start.version().sandbox().pids());
        sandboxes.put(sandbox.id, sandbox);
        long startNs = dice.between(2 * MS, 30 * MS);
        schedule.after(startNs, () -> {
            if (!sandbox.alive) {
                return;
            }
            if (dice.fault(5)) {
                sandbox.alive = false;
                driver.deliver(dice.hop(), new Input.SandboxFailed(sandbox.app, sandbox.id, "no engine", false));
                return;
            }
            sandbox.started = true;
            report(sandbox, new Input.SandboxStarted(sandbox.app, sandbox.id, dice.percent(50)));
            if (dice.fault(6)) {
                schedule.after(dice.between(0, 400 * MS), () -> end(sandbox, "the engine killed it"));
            }
        });
    }

    void stop(Action.StopSandbox stop) {
        SimProcess.Sandbox sandbox = sandboxes.get(stop.sandbox());
        if (sandbox == null || !sandbox.alive || sandbox.stopping || dice.fault(2)) {
            return;
        }
        sandbox.stopping = true;
        schedule.after(dice.between(MS, 100 * MS), () -> {
            if (sandbox.started) {
                end(sandbox, "stopped");
            } else if (sandbox.alive) {
                sandbox.alive = false;
                driver.deliver(dice.hop(), new Input.SandboxFailed(sandbox.app, sandbox.id, "stopped while it started", false));
            }
        });
    }

    private void end(SimProcess.Sandbox sandbox, String cause) {
        if (!sandbox.alive) {
            return;
        }
        sandbox.alive = false;
        for (SimProcess.Worker worker : sandbox.workers.values()) {
            worker.alive = false;
            new ArrayList<>(worker.instances).forEach(instance -> die(instance, 0, 9, null));
        }
        report(sandbox, new Input.SandboxEnded(sandbox.app, sandbox.id, cause));
    }

    private void report(SimProcess.Sandbox sandbox, Input input) {
        driver.deliverPerhapsTwice(sandbox.arrival(schedule.nowNs(), dice.hop()), input);
    }

    // --- workers

    void start(Action.StartWorker start) {
        SimProcess.Sandbox sandbox = sandboxes.get(start.sandbox());
        if (sandbox == null || !sandbox.alive) {
            return;
        }
        SimProcess.Worker worker = new SimProcess.Worker(start.worker(), sandbox, start.grain());
        worker.secrets = secretsOf(worker);
        sandbox.workers.put(worker.id, worker);
        workers.put(worker.id, worker);
        long importNs = dice.fault(2) ? dice.between(300 * MS, 900 * MS) : dice.between(MS, 20 * MS);
        schedule.after(importNs, () -> {
            if (!worker.alive) {
                return;
            }
            if (dice.fault(3)) {
                report(worker, new Input.WorkerFailed(sandbox.app, worker.id,
                        Failure.grain(Errors.IMPORT_FAILED, "no module named numpy", "Traceback")));
                exit(worker, "exit code 1");
            } else if (dice.fault(3)) {
                exit(worker, "signal 11");
            } else {
                report(worker, new Input.WorkerReady(sandbox.app, worker.id, pids++));
                if (dice.fault(8)) {
                    schedule.after(dice.between(0, 300 * MS), () -> exit(worker, "killed"));
                }
            }
        });
    }

    /** The application's secrets are others: its workers are told before anything else that they are asked for from here on. */
    void renewSecrets(String application) {
        secrets.merge(application, 1, Integer::sum);
        for (SimProcess.Worker worker : workers.values()) {
            worker.secrets = secretsOf(worker);
        }
    }

    private int secretsOf(SimProcess.Worker worker) {
        return worker.grain.secrets().isEmpty() ? 0 : secrets.getOrDefault(worker.sandbox.app.application(), 0);
    }

    void stop(Action.StopWorker stop) {
        SimProcess.Worker worker = workers.get(stop.worker());
        if (worker != null) {
            schedule.after(dice.between(MS, 5 * MS), () -> exit(worker, "stopped"));
        }
    }

    private void exit(SimProcess.Worker worker, String cause) {
        if (!worker.alive) {
            return;
        }
        worker.alive = false;
        new ArrayList<>(worker.instances).forEach(instance -> die(instance, 0, 9, null));
        if (worker.sandbox.alive) {
            report(worker.sandbox, new Input.WorkerExited(worker.sandbox.app, worker.id, cause));
        }
    }

    /** What an instance does takes its worker down: the kernel ran out of memory and chose badly. */
    void loseWorker(SimProcess.Instance instance) {
        if (instance.alive) {
            exit(instance.worker, "killed for memory");
        }
    }

    private void report(SimProcess.Worker worker, Input input) {
        driver.deliverPerhapsTwice(worker.arrival(schedule.nowNs(), dice.hop()), input);
    }

    // --- instances

    void spawn(Action.Spawn spawn) {
        SimProcess.Worker worker = workers.get(spawn.worker());
        if (worker == null || !worker.alive) {
            return;
        }
        int told = worker.secrets;
        for (String id : spawn.instances()) {
            worker.forksUntilNs = Math.max(worker.forksUntilNs, schedule.nowNs()) + dice.between(200 * US, MS);
            schedule.at(worker.forksUntilNs, () -> fork(worker, id, told));
        }
    }

    private void fork(SimProcess.Worker worker, String id, int told) {
        if (!worker.alive) {
            return;
        }
        if (dice.fault(4) || worker.sandbox.processes() >= worker.sandbox.pids) {
            report(worker, new Input.ForkFailed(worker.sandbox.app, id, "resource temporarily unavailable"));
            return;
        }
        SimProcess.Instance instance = new SimProcess.Instance(id, worker, pids++, told);
        worker.instances.add(instance);
        instances.put(id, instance);
        if (dice.fault(3)) {
            die(instance, 1, 0, "import failed in the child");
        } else if (!dice.fault(0.5)) {
            schedule.after(dice.between(200 * US, MS), () -> take(instance));
        }
    }

    void take(SimProcess.Instance instance) {
        if (!instance.alive) {
            return;
        }
        instance.waits = true;
        instance.eventId = null;
        Input.Take take = new Input.Take(instance.worker.sandbox.app, instance.id, instance.pid);
        long arrivalNs = instance.arrival(schedule.nowNs(), dice.hop());
        if (instance.worker.grain.isolation() == Isolation.REQUEST) {
            driver.deliverPerhapsTwice(arrivalNs, take);
        } else {
            driver.deliverAt(arrivalNs, take);
        }
        if (dice.fault(2)) {
            schedule.after(dice.between(0, 200 * MS), () -> die(instance, 0, 9, "killed while it waited"));
        }
    }

    void handOver(Action.HandOver over) {
        SimProcess.Instance instance = instances.get(over.instance());
        if (instance == null || !instance.alive) {
            unseen.merge(over.eventId(), 1, Integer::sum);
            if (dice.percent(50)) {
                driver.deliver(0, new Input.HandOverFailed(over.app(), over.instance(), over.eventId(), over.attempt()));
            }
            return;
        }
        if (!instance.waits) {
            throw new Violation("event " + over.eventId() + " was handed to instance " + instance.id + ", which does not wait");
        }
        if (instance.secrets != secretsOf(instance.worker)) {
            throw new Violation("event " + over.eventId() + " was handed to instance " + instance.id + ", which has the secrets of before");
        }
        instance.waits = false;
        instance.eventId = over.eventId();
        instance.attempt = over.attempt();
        instance.mustEndNs = schedule.nowNs() + over.remainingMs() * MS + Simulation.KILL_GRACE_NS;
        handlers.run(instance, over);
    }

    void dismiss(Action.Dismiss dismiss) {
        SimProcess.Instance instance = instances.get(dismiss.instance());
        if (instance != null) {
            schedule.after(dice.between(50 * US, MS), () -> die(instance, 0, 0, null));
        }
    }

    void kill(Action.Kill kill) {
        SimProcess.Instance instance = instances.get(kill.instance());
        SimProcess.Worker worker = workers.get(kill.instance());
        if (dice.fault(8)) {
            return;
        }
        schedule.after(dice.between(100 * US, 10 * MS), () -> {
            if (instance != null) {
                die(instance, 0, 9, null);
            } else if (worker != null) {
                exit(worker, "killed");
            }
        });
    }

    /** It ends with its event unread: the handler never starts. */
    void dieUnread(SimProcess.Instance instance) {
        instance.unread = true;
        unseen.merge(instance.eventId, 1, Integer::sum);
        unread.add(instance.id);
        die(instance, 0, 9, "before the handler");
    }

    int unseen(String eventId) {
        return unseen.getOrDefault(eventId, 0);
    }

    /** The end of a process: its socket closes, its worker reaps it; the two reports come in any order. */
    void die(SimProcess.Instance instance, int exitCode, int signal, String note) {
        if (!instance.alive) {
            return;
        }
        instance.alive = false;
        instance.waits = false;
        instance.worker.instances.remove(instance);
        var app = instance.worker.sandbox.app;
        Input closed = new Input.InstanceClosed(app, instance.id, instance.unread);
        driver.deliverPerhapsTwice(instance.arrival(schedule.nowNs(), dice.hop()), closed);
        if (instance.worker.alive) {
            // Its last words wait until its connection is closed.
            instance.worker.arrival(instance.lastArrivalNs, 1);
            report(instance.worker, new Input.InstanceExited(app, instance.id, exitCode, signal, 900, 20 << 20, note));
        }
    }

    // --- the whole

    /** The host agent is gone, and everything that it had started with it. */
    void crash() {
        sandboxes.values().forEach(sandbox -> end(sandbox, "host agent gone"));
        sandboxes.clear();
        workers.clear();
        instances.clear();
    }

    void check() {
        for (SimProcess.Instance instance : instances.values()) {
            if (instance.alive && instance.eventId != null && schedule.nowNs() > instance.mustEndNs) {
                throw new Violation("instance " + instance.id + " still runs " + instance.eventId + " "
                        + (schedule.nowNs() - instance.mustEndNs) / MS + " ms after its deadline and the grace");
            }
        }
        instances.values().removeIf(instance -> !instance.alive && dice.percent(1));
    }

    /** A failure says that this instance crashed: then its handler must have begun. */
    void checkCrash(String cause) {
        for (String id : unread) {
            if (cause.startsWith("instance " + id + " ")) {
                throw new Violation("an event that instance " + id + " never read failed: " + cause);
            }
        }
    }

    /** Attempts that run now. */
    int running() {
        int count = 0;
        for (SimProcess.Instance instance : instances.values()) {
            count += instance.alive && instance.eventId != null ? 1 : 0;
        }
        return count;
    }

    String leftover() {
        long live = sandboxes.values().stream().filter(s -> s.alive).count() + workers.values().stream().filter(w -> w.alive).count()
                + instances.values().stream().filter(i -> i.alive).count();
        return live == 0 ? null : live + " processes";
    }
}
