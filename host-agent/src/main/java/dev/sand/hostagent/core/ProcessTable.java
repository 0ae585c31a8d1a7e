package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Where the processes of a shard's applications are: here, on their way here, or in the global data layer. */
final class ProcessTable {
    /** Of one application in the memory of one host, as in the emulator. */
    static final int MOST = 10_000;

    /** A process that is neither here nor not: whoever asks for it asks again then. */
    private static final class Changing {
        /** It is on its way here; null: it goes. */
        final Restoring restoring;
        /** That goes; null: it comes. */
        final ProcessHome going;
        /** Of whoever has it brought; null: nobody. */
        final BiConsumer<ProcessHome, Failure> step;
        final List<Runnable> waiting = new ArrayList<>(1);

        Changing(Restoring restoring, ProcessHome going, BiConsumer<ProcessHome, Failure> step) {
            this.restoring = restoring;
            this.going = going;
            this.step = step;
        }

        /** Its slot is another host's. */
        void lost() {
            if (restoring != null) {
                restoring.close();
                step.accept(null, null);
            } else {
                going.movedKilled();
            }
            waiting.forEach(Runnable::run);
        }
    }

    private final CoreContext context;
    private final Map<String, Map<String, ProcessHome>> homes = new LinkedHashMap<>();
    private final Map<String, Map<String, Changing>> changing = new LinkedHashMap<>();

    ProcessTable(CoreContext context) {
        this.context = context;
    }

    /** Null: there is none of that id in memory. */
    ProcessHome here(String application, String id) {
        return homes.getOrDefault(application, Map.of()).get(id);
    }

    Collection<ProcessHome> here(String application) {
        return homes.getOrDefault(application, Map.of()).values();
    }

    /** All that are here. */
    List<ProcessHome> all() {
        return homes.values().stream().flatMap(of -> of.values().stream()).toList();
    }

    /**
     * Brings a process here that is somewhere, and waits for one that is on its way.
     *
     * @param version of the application that asks for it; 0: that in which it was used last
     * @param step given the process; or null: there is none, or it cannot be brought, for the reason given
     */
    void find(String application, String id, int version, BiConsumer<ProcessHome, Failure> step) {
        ProcessHome home = here(application, id);
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        SlotTable.State slot = context.slots.state(context.slots.of(id));
        if (home != null) {
            step.accept(home, null);
        } else if (under != null) {
            under.waiting.add(() -> find(application, id, version, step));
        } else if (slot == SlotTable.State.RECOVERING) {
            context.later(() -> find(application, id, version, step)); // the journal may have it
        } else if (slot == SlotTable.State.ELSEWHERE) {
            step.accept(null, null);
        } else if (full(application) instanceof Failure full) {
            step.accept(null, full);
        } else {
            bring(new Input.RecoverProcess(application, id, 0, List.of(), List.of(), Map.of()), version, true, step);
        }
    }

    /** @param values false: it is brought without its state, to be killed */
    void bring(Input.RecoverProcess what, int version, boolean values, BiConsumer<ProcessHome, Failure> step) {
        Restoring restoring = new Restoring(context, what, version, values, (home, failure) -> {
            if (home != null) {
                put(home);
            }
            List<Runnable> waiting = settled(what.application(), what.process());
            step.accept(home, failure);
            waiting.forEach(Runnable::run);
            if (home != null) {
                home.resume();
            }
        });
        changing(what.application(), what.process(), new Changing(restoring, null, step));
        restoring.begin();
    }

    private void changing(String application, String id, Changing of) {
        changing.computeIfAbsent(application, added -> new LinkedHashMap<>()).put(id, of);
    }

    private List<Runnable> settled(String application, String id) {
        Map<String, Changing> of = changing.get(application);
        Changing done = of == null ? null : of.remove(id);
        return done == null ? List.of() : done.waiting;
    }

    /** Whether it is here, or on its way. */
    boolean isKnown(String application, String id) {
        return here(application, id) != null || changing.getOrDefault(application, Map.of()).containsKey(id);
    }

    /** What is left of it goes: another one of its name begins behind that. */
    void vanishes(ProcessHome home) {
        remove(home);
        changing(home.application(), home.id(), new Changing(null, home, null));
    }

    void hasVanished(ProcessHome home) {
        settled(home.application(), home.id()).forEach(Runnable::run);
    }

    void put(ProcessHome home) {
        homes.computeIfAbsent(home.application(), added -> new LinkedHashMap<>()).put(home.id(), home);
        context.processes.changed(home.application());
    }

    void remove(ProcessHome home) {
        Map<String, ProcessHome> of = homes.get(home.application());
        if (of != null && of.remove(home.id(), home)) {
            if (of.isEmpty()) {
                homes.remove(home.application());
            }
            context.processes.changed(home.application());
        }
    }

    /** Why the application may have no more of them here; null: it may. */
    Failure full(String application) {
        int actual = here(application).size();
        return actual < MOST ? null : new Failure(Errors.OVERLOADED, "application " + application + " has a limit of " + MOST
                + " processes in the memory of a host, and this one would be one more; kill some that are not needed, or swap them out",
                Failure.Source.PLATFORM, true, null, Map.of("limit", MOST, "actual", actual + 1));
    }

    /** They are another host's. */
    void lost(int slot) {
        for (ProcessHome home : all()) {
            if (context.slots.of(home.id()) == slot) {
                home.moved();
                remove(home);
            }
        }
        List<Changing> lost = new ArrayList<>();
        changing.values().forEach(of -> of.entrySet().removeIf(each -> context.slots.of(each.getKey()) == slot && lost.add(each.getValue())));
        lost.forEach(Changing::lost);
    }
}
