package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessPlace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Where the processes of a shard's applications are: here, on their way here, or in the global data layer. */
final class ProcessTable {
    /** Of one application in the memory of one host, as in the emulator. */
    static final int MOST = 10_000;
    /** Commands that wait for one process which is on its way. */
    static final int MOST_COMMANDS = 1_000;

    /** KILLED: for good, though something of it is left. */
    private enum Way { COMES, GOES, KILLED }

    /** A process that is neither here nor not: whoever asks for it asks again then. */
    private static final class Changing {
        /** Where it lives, or did. */
        final int slot;
        /** Done when that is another host's. */
        final Runnable onLost;
        /** Null: it comes, or is what an earlier owner has left. */
        ProcessHome going;
        final List<Runnable> waiting = new ArrayList<>(1);
        /** Of those that wait. */
        int commands;
        Way way;

        Changing(int slot, Way way, Runnable onLost) {
            this.slot = slot;
            this.way = way;
            this.onLost = onLost;
        }

        void lost() {
            onLost.run();
            waiting.forEach(Runnable::run);
        }
    }

    /**
     * @param values false: it is brought without its state, to be killed
     * @param makes there is to be one, and this is behind all that is left of one that was killed
     * @param commands whoever asks is not waited for elsewhere: there may be too many
     */
    private record How(boolean values, boolean makes, boolean commands) {}

    private final CoreContext context;
    private final ProcessPlaces places;
    private final Unreadable unreadable = new Unreadable();
    private final Map<String, Map<String, ProcessHome>> homes = new LinkedHashMap<>();
    /** Those of which the journal of another slot has told, which is looked into once they have come or gone. */
    private final Map<String, Integer> awaited = new LinkedHashMap<>();
    private final Map<String, Map<String, Changing>> changing = new LinkedHashMap<>();

    /** By slot, of the processes that its journal told of, the last change that counts. */
    private final Map<Integer, Map<String, Long>> last = new HashMap<>(0);

    ProcessTable(CoreContext context) {
        this.context = context;
        this.places = new ProcessPlaces(context);
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
     * Brings a process here that is somewhere, and waits for one that is on its way. One that was killed is no more, whatever is left of it.
     *
     * @param version of the application that asks for it; 0: that in which it was used last
     * @param step given the process; or null: there is none, or it is another host's, or cannot be brought, for the reason given
     */
    void find(String application, String id, int version, BiConsumer<ProcessHome, Failure> step) {
        find(application, id, version, new How(true, false, false), step);
    }

    private void find(String application, String id, int version, How how, BiConsumer<ProcessHome, Failure> step) {
        ProcessHome home = here(application, id);
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        int in = slotOf(application, id);
        SlotTable.State slot = context.slots.state(in);
        if (home != null) {
            step.accept(home, null);
        } else if (under != null && under.way == Way.KILLED && !how.makes) {
            step.accept(null, null);
        } else if (under != null && how.commands && under.commands == MOST_COMMANDS) {
            step.accept(null, tooMany(application, id));
        } else if (under != null) {
            under.commands += how.commands ? 1 : 0;
            under.waiting.add(() -> find(application, id, version, how, step));
        } else if (slot == SlotTable.State.RECOVERING || isAwaited(application, id)) {
            context.later(() -> find(application, id, version, how, step)); // the journal may have it
        } else if (slot == SlotTable.State.ELSEWHERE) {
            step.accept(null, null);
        } else if (how.values && full(application) instanceof Failure full) {
            step.accept(null, full);
        } else {
            Input.RecoverProcess told = unreadable.told(application, id, in);
            bring(told, version, how.values, (found, failure) -> {
                if (found == null && failure == null && (slotOf(application, id) != in || !told.changes().isEmpty())) {
                    find(application, id, version, how, step); // it lives elsewhere, or its image has all that was told
                } else {
                    step.accept(found, failure);
                }
            });
        }
    }

    /**
     * As {@link #find}, for who was sent here: it is looked up where it lives, when that is not this host as far as is known.
     *
     * @param step given the process; or null: there is none, or it cannot be brought, or is another host's, for the reason given
     */
    void findHere(String application, String id, int version, BiConsumer<ProcessHome, Failure> step) {
        findHere(application, id, version, new How(true, false, false), step);
    }

    /** As above, for the control plane. @param values false: it is brought without its state, to be killed */
    void findFor(ProcessCommand command, boolean values, BiConsumer<ProcessHome, Failure> step) {
        findHere(command.application(), command.process(), command.version(),
                new How(values, command.kind() == ProcessCommand.Kind.CREATE, true), step);
    }

    /** As above, for who makes one when there is none: that is behind all that is left of one that was killed. */
    void findToEnter(String application, String id, int version, BiConsumer<ProcessHome, Failure> step) {
        findHere(application, id, version, new How(true, true, false), step);
    }

    private void findHere(String application, String id, int version, How how, BiConsumer<ProcessHome, Failure> step) {
        BiConsumer<ProcessHome, Failure> found = (home, failure) -> {
            boolean elsewhere = home == null && failure == null && isElsewhere(application, id);
            step.accept(home, elsewhere ? Refusals.movedProcess(id, slotOf(application, id)) : failure);
        };
        if (isKnown(application, id) || !isElsewhere(application, id)) {
            find(application, id, version, how, found);
            return;
        }
        context.emit(new Action.FindImage(application, id, (view, place, failure) -> {
            if (failure != null) {
                step.accept(null, failure);
            } else {
                heard(application, id, view != null, place);
                find(application, id, version, how, found);
            }
        }));
    }

    private boolean isElsewhere(String application, String id) {
        return context.slots.state(slotOf(application, id)) == SlotTable.State.ELSEWHERE;
    }

    /** @param number of the last change that its image and the journal have */
    void brought(Input.RecoverProcess what, long number) {
        last.computeIfAbsent(what.slot(), added -> new HashMap<>()).put(which(what.application(), what.process(), what.createdMs()), number);
    }

    private static String which(String application, String process, long createdMs) {
        return application + '/' + process + '@' + createdMs;
    }

    /** Whether a change of a process counts, that an earlier owner of the slot has made. */
    boolean counts(int slot, String application, String process, long createdMs, long number) {
        return number <= last.getOrDefault(slot, Map.of()).getOrDefault(which(application, process, createdMs), Input.Changed.VOID - 1);
    }

    ProcessPlaces places() {
        return places;
    }

    Unreadable unreadable() {
        return unreadable;
    }

    /** What was read of an image, unless the process came here since: then that was later. */
    void heard(String application, String id, boolean image, ProcessPlace place) {
        if (!isKnown(application, id)) {
            places.read(application, id, image, place);
        }
    }

    /** Where the process lives, as far as this host has heard. */
    int slotOf(String application, String id) {
        ProcessHome home = here(application, id);
        Changing under = home != null || changing.isEmpty() ? null : changing.getOrDefault(application, Map.of()).get(id);
        return home != null ? home.slot() : under != null ? under.slot : places.of(application, id).slot();
    }

    /** @param values false: it is brought without its state, to be killed */
    void bring(Input.RecoverProcess what, int version, boolean values, BiConsumer<ProcessHome, Failure> step) {
        Restoring restoring = new Restoring(context, what, version, values, (home, failure) -> {
            if (home != null) {
                put(home);
            }
            List<Runnable> waiting = settled(what.application(), what.process());
            if (failure == null) {
                unreadable.read(what);
            }
            step.accept(home, failure);
            waiting.forEach(Runnable::run);
            if (home != null) {
                home.resume();
            }
        });
        changing(what.application(), what.process(), new Changing(what.slot(), Way.COMES, () -> {
            restoring.close();
            step.accept(null, null);
        }));
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

    /** What is left of it goes: another one of its name begins behind that, or it is another slot's. */
    void vanishes(ProcessHome home) {
        remove(home);
        Changing goes = new Changing(home.slot(), Way.GOES, home.exit()::lost);
        goes.going = home;
        changing(home.application(), home.id(), goes);
    }

    /** One that goes from here. Null: there is none of that id. */
    ProcessHome going(String application, String id) {
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        return under == null ? null : under.going;
    }

    /** It goes, as an earlier owner has begun; nobody finds it before that is done. */
    void vanishes(String application, String id, int slot) {
        changing(application, id, new Changing(slot, Way.GOES, () -> { }));
    }

    /** That it is killed is durable: one that {@link #vanishes} comes back no more, and who asks for it need not wait. */
    void killed(String application, String id) {
        Changing killed = changing.get(application).get(id);
        killed.way = Way.KILLED;
        List<Runnable> waited = List.copyOf(killed.waiting);
        killed.waiting.clear();
        waited.forEach(Runnable::run);
    }

    boolean isKilled(String application, String id) {
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        return under != null && under.way == Way.KILLED;
    }

    /** Whether it is on its way from here, or killed. */
    boolean isGoing(String application, String id) {
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        return under != null && under.way != Way.COMES;
    }

    void hasVanished(String application, String id) {
        settled(application, id).forEach(Runnable::run);
    }

    /** Does the step when the process is neither on its way here nor from here, and before anyone else finds it. */
    void whenSettled(String application, String id, Runnable step) {
        String key = application + '/' + id;
        awaited.merge(key, 1, Integer::sum);
        settle(application, id, () -> {
            awaited.merge(key, -1, Integer::sum);
            awaited.remove(key, 0);
            step.run();
        });
    }

    private void settle(String application, String id, Runnable step) {
        Changing under = changing.getOrDefault(application, Map.of()).get(id);
        if (under == null) {
            step.run();
        } else {
            under.waiting.add(() -> settle(application, id, step));
        }
    }

    private boolean isAwaited(String application, String id) {
        return !awaited.isEmpty() && awaited.containsKey(application + '/' + id);
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

    private static Failure tooMany(String application, String id) {
        return new Failure(Errors.OVERLOADED, "process " + id + " of application " + application + " is on its way, and a limit of "
                + MOST_COMMANDS + " commands wait for it already; try again later", Failure.Source.PLATFORM, true, null,
                Map.of("limit", MOST_COMMANDS, "actual", MOST_COMMANDS + 1));
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
        last.remove(slot);
        for (ProcessHome home : all()) {
            if (home.slot() == slot) {
                home.exit().moved();
                remove(home);
            }
        }
        List<Changing> lost = new ArrayList<>();
        changing.values().forEach(of -> of.values().removeIf(each -> each.slot == slot && lost.add(each)));
        lost.forEach(Changing::lost);
        unreadable.lost(slot);
    }
}
