package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The cloud processes of a shard's applications that are here (PraaS 4.1): found by id, made, killed; and how the functions that run
 * in them begin and end. What a running function asks of its process is {@link ProcessCalls}'.
 */
final class Processes {
    /** Of one application on one host, as in the emulator. */
    static final int MOST = 10_000;
    private final CoreContext context;
    private final ProcessCalls calls;
    private final DeferredSends deferred = new DeferredSends(this);
    private final SendsUnderWay sends = new SendsUnderWay();
    private final Map<String, Map<String, ProcessHome>> homes = new LinkedHashMap<>();
    /** By application and process. */
    private final Map<String, Map<String, Restoring>> coming = new LinkedHashMap<>();
    private long lastMadeMs;

    Processes(CoreContext context) {
        this.context = context;
        this.calls = new ProcessCalls(context, this);
    }

    DeferredSends deferred() {
        return deferred;
    }

    SendsUnderWay sends() {
        return sends;
    }

    ProcessCalls calls() {
        return calls;
    }

    /** Null: there is none of that id here. */
    ProcessHome find(String application, String id) {
        return homes.getOrDefault(application, Map.of()).get(id);
    }

    /**
     * Once it is known whether there is one.
     *
     * @param step given what there is, or null: none that is here
     */
    void find(String application, String id, Consumer<ProcessHome> step) {
        Restoring restoring = coming.getOrDefault(application, Map.of()).get(id);
        if (restoring != null) {
            restoring.await(step);
        } else if (find(application, id) == null && context.slots.state(context.slots.of(id)) == SlotTable.State.RECOVERING) {
            context.later(() -> find(application, id, step));
        } else {
            step.accept(find(application, id));
        }
    }

    /** Why the application may have no more of them here; null: it may. */
    private Failure full(String application) {
        int actual = homes.getOrDefault(application, Map.of()).size();
        return actual < MOST ? null : new Failure(Errors.OVERLOADED, "application " + application + " has a limit of " + MOST
                + " processes on a host, and this one would be one more; kill some that are not needed", Failure.Source.PLATFORM, true,
                null, Map.of("limit", MOST, "actual", actual + 1));
    }

    private ProcessHome make(ApplicationVersion version, int concurrency, long memoryBytes, String id, Runnable then) {
        lastMadeMs = Math.max(lastMadeMs + 1, context.epochMs());
        ProcessSpec spec = version.processSpec().with(concurrency, memoryBytes);
        ProcessHome made = new ProcessHome(context, version, spec, new CloudProcess(id, spec),
                new ProcessJournal(context, version.application(), id, lastMadeMs, 0, List.of()), lastMadeMs);
        made.journal().write(made.process().changed(), new Change.Made(version.version(), concurrency, memoryBytes), then);
        put(made);
        return made;
    }

    private void put(ProcessHome home) {
        homes.computeIfAbsent(home.application(), added -> new LinkedHashMap<>()).put(home.id(), home);
        changed(home.application());
    }

    private void remove(String application, ProcessHome home) {
        Map<String, ProcessHome> of = homes.get(application);
        of.remove(home.id());
        if (of.isEmpty()) {
            homes.remove(application);
        }
        changed(application);
    }

    /** By process, as users are told. */
    Map<String, String> statuses(String application) {
        Map<String, String> statuses = new TreeMap<>();
        homes.getOrDefault(application, Map.of()).forEach((id, home) -> statuses.put(id, home.process().status().shown()));
        return statuses;
    }

    void changed(String application) {
        calls.onListChanged(application);
    }

    /** Values that no process has any more. */
    void free(String application, List<Payload> values) {
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).reference() != null) {
                context.emit(new Action.Free(application, values));
                return;
            }
        }
    }

    // --- commands

    void on(Input.Command input) {
        ProcessCommand command = input.command();
        int slot = context.slots.of(command.process());
        if (context.slots.state(slot) != SlotTable.State.OURS) {
            boolean elsewhere = context.slots.state(slot) == SlotTable.State.ELSEWHERE;
            refuse(input, Failure.platform(elsewhere ? Errors.MOVED : Errors.UNAVAILABLE, "process " + command.process() + " is in slot "
                    + slot + (elsewhere ? ", which is another host's" : ", whose journals are being read"), true));
            return;
        }
        find(command.application(), command.process(), home -> on(input, command, home));
    }

    private void on(Input.Command input, ProcessCommand command, ProcessHome home) {
        switch (command.kind()) {
            case CREATE -> create(input, home);
            case DESCRIBE, KILL -> {
                if (home == null) {
                    refuse(input, Failure.caller(Errors.NOT_FOUND, "application " + command.application() + " has no process "
                            + command.process()));
                } else if (command.kind() == ProcessCommand.Kind.DESCRIBE) {
                    done(input, home);
                } else {
                    home.kill("process " + command.process() + " was killed", () -> done(input, home));
                    remove(command.application(), home);
                }
            }
        }
    }

    private void create(Input.Command input, ProcessHome home) {
        ProcessCommand command = input.command();
        if (home != null) {
            refuse(input, Failure.caller(Errors.CONFLICT, "process " + command.process() + " of application " + command.application()
                    + " is " + home.process().status().shown()));
            return;
        }
        Application application = context.application(new AppKey(command.application(), command.version()));
        application.onTenant(new Tenant() {
            @Override
            public void onApplicationReady() {
                application.onTenantGone(this);
                if (find(command.application(), command.process()) instanceof ProcessHome other) {
                    create(input, other);
                } else if (full(command.application()) instanceof Failure full) {
                    refuse(input, full);
                } else {
                    makeFor(input, application.version());
                }
            }

            @Override
            public void onApplicationMissing(Failure failure) {
                application.onTenantGone(this);
                refuse(input, failure);
            }

            @Override
            public boolean waitsForRegistry() {
                return false;
            }
        });
    }

    /** Answered when it is durable. */
    private void makeFor(Input.Command input, ApplicationVersion version) {
        ProcessCommand command = input.command();
        make(version, command.concurrency(), command.memoryBytes(), command.process(),
                () -> done(input, find(command.application(), command.process())));
    }

    private void done(Input.Command input, ProcessHome home) {
        context.emit(new Action.AnswerCommand(input.listener(), home.view(), null));
    }

    private void refuse(Input.Command input, Failure failure) {
        context.emit(new Action.AnswerCommand(input.listener(), null, failure));
    }

    void on(Input.ListProcesses input) {
        List<ProcessView> views = new ArrayList<>();
        homes.getOrDefault(input.application(), Map.of()).values().forEach(home -> views.add(home.view()));
        input.listener().accept(views);
    }

    /** The application is deleted: what a later one of its name has stays. */
    void delete(Input.Delete delete) {
        for (ProcessHome home : List.copyOf(homes.getOrDefault(delete.application(), Map.of()).values())) {
            if (home.version().version() <= delete.upTo()) {
                home.delete(delete.cause());
                remove(delete.application(), home);
            }
        }
    }

    // --- slots

    /** From the journal of an earlier owner, or of this host before it was started again. */
    void recover(Input.RecoverProcess recover) {
        String application = recover.application();
        int slot = context.slots.of(recover.process());
        if (context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
            context.drop("slot " + slot + " of process " + recover.process() + " is not this host's", recover);
            return;
        }
        ProcessChange last = recover.changes().getLast();
        if (last.change() instanceof Change.Killed) {
            new ProcessJournal(context, application, recover.process(), recover.createdMs(), last.base(), recover.bases()).end(last.number());
            return;
        }
        lastMadeMs = Math.max(lastMadeMs, recover.createdMs());
        recover.unsent().forEach((executionId, messages) -> deferred.deliverAgain(context, application, executionId, messages));
        Restoring restoring = new Restoring(context, recover, home -> {
            coming.get(application).remove(recover.process());
            if (home != null) {
                put(home);
            }
        });
        coming.computeIfAbsent(application, added -> new LinkedHashMap<>()).put(recover.process(), restoring);
        restoring.begin();
    }

    /** They are another host's. */
    void lost(int slot) {
        for (String application : List.copyOf(homes.keySet())) {
            for (ProcessHome home : List.copyOf(homes.get(application).values())) {
                if (context.slots.of(home.id()) == slot) {
                    home.moved();
                    remove(application, home);
                }
            }
        }
        coming.values().forEach(of -> of.values().removeIf(restoring -> {
            boolean lost = context.slots.of(restoring.process()) == slot;
            if (lost) {
                restoring.close();
            }
            return lost;
        }));
    }

    // --- the functions that run in them

    /** The execution is admitted: it runs when its process has room for it. */
    void enter(RunningExecution execution, Application application) {
        String id = execution.request().processId();
        Restoring restoring = coming.getOrDefault(application.key().application(), Map.of()).get(id);
        if (restoring != null) {
            restoring.await(here -> {
                if (!execution.isEnded()) {
                    enter(execution, application);
                }
            });
            return;
        }
        ProcessHome home = find(application.key().application(), id);
        Failure full = home != null ? null : full(application.key().application());
        if (full != null) {
            execution.ending().refused(full);
            return;
        }
        (home != null ? home : make(application.version(), 0, 0, id, () -> { })).enter(execution, application.version());
    }

    /** It has ended, whether it ran or not. */
    void left(RunningExecution execution) {
        ProcessHome home = find(execution.request().application(), execution.request().processId());
        if (home != null) {
            home.left(execution);
        }
    }

    private ProcessHome home(Event event) {
        return find(event.grain.application().key().application(), id(event));
    }

    /** Of the process that it runs in. */
    static String id(Event event) {
        int slash = event.owner.process().indexOf('/');
        return slash < 0 ? event.owner.process() : event.owner.process().substring(0, slash);
    }

    static Attempt attempt(Event event) {
        return new Attempt(event.id, event.attempt);
    }

    /** Why what the attempt wrote cannot be taken; null: it can. */
    Failure refusal(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        Refusal refusal = home == null ? null : home.process().refusal(attempt(event), withEnd);
        return refusal == null ? null : Failure.limit(Errors.TOO_LARGE, "process " + home.id() + " has a limit of " + refusal.allowed()
                + " bytes of state, and " + event.id + " would make it " + refusal.actual(), Failure.Source.GRAIN, refusal.allowed(),
                refusal.actual());
    }

    /** The attempt ended well. @return what it did, which takes effect once it is durable; null: nothing */
    ProcessHome.Ending finished(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        Attempt attempt = attempt(event);
        if (home == null) {
            free(event.grain.application().key().application(), StateWrite.values(withEnd));
            return null;
        }
        return home.finished(home.process().finish(attempt, withEnd), deferred.take(attempt), attempt, context.nowNs - event.handedNs);
    }

    /** It runs no more: if it has not ended well, nothing of it counts. */
    void attemptEnded(Event event) {
        ProcessHome home = home(event);
        if (home != null) {
            home.abandon(attempt(event));
        }
        deferred.drop(deferred.take(attempt(event)), event.grain.application().key().application());
    }
}
