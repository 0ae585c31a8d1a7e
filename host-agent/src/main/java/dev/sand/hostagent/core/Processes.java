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
import dev.sand.hostagent.process.CloudProcess.Effects;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
    private final Map<String, Map<String, ProcessHome>> homes = new LinkedHashMap<>();

    Processes(CoreContext context) {
        this.context = context;
        this.calls = new ProcessCalls(context, this);
    }

    DeferredSends deferred() {
        return deferred;
    }

    ProcessCalls calls() {
        return calls;
    }

    /** Null: there is none of that id here. */
    ProcessHome find(String application, String id) {
        return homes.getOrDefault(application, Map.of()).get(id);
    }

    /** Why the application may have no more of them here; null: it may. */
    private Failure full(String application) {
        int actual = homes.getOrDefault(application, Map.of()).size();
        return actual < MOST ? null : new Failure(Errors.OVERLOADED, "application " + application + " has a limit of " + MOST
                + " processes on a host, and this one would be one more; kill some that are not needed", Failure.Source.PLATFORM, true,
                null, Map.of("limit", MOST, "actual", actual + 1));
    }

    private ProcessHome make(ApplicationVersion version, ProcessSpec spec, String id) {
        ProcessHome made = new ProcessHome(context, version, spec, id, context.epochMs());
        homes.computeIfAbsent(version.application(), added -> new LinkedHashMap<>()).put(id, made);
        changed(version.application());
        return made;
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
        ProcessHome home = find(command.application(), command.process());
        switch (command.kind()) {
            case CREATE -> create(input, home);
            case DESCRIBE, KILL -> {
                if (home == null) {
                    refuse(input, Failure.caller(Errors.NOT_FOUND, "application " + command.application() + " has no process "
                            + command.process()));
                } else if (command.kind() == ProcessCommand.Kind.DESCRIBE) {
                    done(input, home);
                } else {
                    kill(command.application(), home, "process " + command.process() + " was killed");
                    done(input, home);
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
                    done(input, make(application.version(), application.version().processSpec().with(command.concurrency(), command.memoryBytes()),
                            command.process()));
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

    private void done(Input.Command input, ProcessHome home) {
        context.emit(new Action.AnswerCommand(input.listener(), home.view(), null));
    }

    private void refuse(Input.Command input, Failure failure) {
        context.emit(new Action.AnswerCommand(input.listener(), null, failure));
    }

    private void kill(String application, ProcessHome home, String cause) {
        home.close(cause);
        remove(application, home);
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
                kill(delete.application(), home, delete.cause());
            }
        }
    }

    /** They are another host's. */
    void lost(int slot) {
        for (String application : List.copyOf(homes.keySet())) {
            for (ProcessHome home : List.copyOf(homes.get(application).values())) {
                if (context.slots.of(home.id()) == slot) {
                    home.close(null);
                    remove(application, home);
                }
            }
        }
    }

    // --- the functions that run in them

    /** The execution is admitted: it runs when its process has room for it. */
    void enter(RunningExecution execution, Application application) {
        String id = execution.request().processId();
        ProcessHome home = find(application.key().application(), id);
        Failure full = home != null ? null : full(application.key().application());
        if (full != null) {
            execution.ending().refused(full);
            return;
        }
        (home != null ? home : make(application.version(), application.version().processSpec(), id)).enter(execution, application.version());
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

    /** The attempt ended well: what it did takes effect. */
    void finished(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        if (home == null) {
            free(event.grain.application().key().application(), StateWrite.values(withEnd));
            return;
        }
        Effects effects = home.process().finish(attempt(event), withEnd);
        home.finished(attempt(event), effects, context.nowNs - event.handedNs);
        deferred.send(attempt(event));
    }

    /** It runs no more: if it has not ended well, nothing of it counts. */
    void attemptEnded(Event event) {
        ProcessHome home = home(event);
        if (home != null) {
            home.abandon(attempt(event));
        }
        deferred.drop(attempt(event), event.grain.application().key().application());
    }
}
