package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.MS;
import static dev.sand.hostagent.journal.ProcessWorld.SLOTS;
import static dev.sand.hostagent.journal.ProcessWorld.away;

import dev.sand.event.Failure;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Operators of a {@link ProcessWorld}: they look, want images, move processes and kill them. */
final class WorldCommands {
    private final ProcessWorld world;

    WorldCommands(ProcessWorld world) {
        this.world = world;
    }

    private String anyProcess() {
        return "p" + world.dice.nextInt(ProcessWorld.PROCESSES);
    }

    private static ProcessCommand command(String process, Kind kind) {
        return new ProcessCommand(APP.application(), APP.version(), process, kind);
    }

    /** Somebody wants an image, memory is short, or somebody looks. */
    void image() {
        Kind kind = world.dice.nextBoolean() ? Kind.SWAP_OUT : Kind.CHECKPOINT;
        String process = anyProcess();
        if (world.dice.nextInt(3) == 0) {
            world.anyHost().on(new Input.MemoryPressure());
        } else {
            ask(command(process, kind), (view, failure) -> { });
        }
    }

    void migrate() {
        migrate(anyProcess());
    }

    /** One to which somebody sends all the time, if there is one. */
    void migrateUnderMessages() {
        migrate(world.steady.keySet().stream().filter(world::isSteady).sorted().findFirst().orElseGet(this::anyProcess));
    }

    private void migrate(String process) {
        WorldHost to = world.other(world.owners[world.livesIn(process)]);
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            if (world.owners[slot] == to) {
                slots.add(slot);
            }
        }
        boolean steady = world.isSteady(process);
        ask(ProcessCommand.migrate(APP.application(), APP.version(), process, slots.get(world.dice.nextInt(slots.size()))),
                (view, failure) -> {
                    world.migrations += view == null ? 0 : 1;
                    world.steadyMigrations += view != null && (steady || world.isSteady(process)) ? 1 : 0;
                });
    }

    /** Whoever wants it dead asks until it is, or there is none of its name. */
    void kill() {
        String process = anyProcess();
        long askedNs = world.nowNs;
        int number = world.history.kills.size();
        world.history.kills.add(new WorldHistory.Kill(process, askedNs, Long.MAX_VALUE));
        ask(command(process, Kind.KILL), (view, failure) -> {
            if (failure == null || !failure.retryable()) {
                world.history.kills.set(number, new WorldHistory.Kill(process, askedNs, world.nowNs));
            }
            world.killed += view == null ? 0 : 1;
        });
    }

    void describe(String process, BiConsumer<ProcessView, Failure> then) {
        ask(command(process, Kind.DESCRIBE), then);
    }

    private void ask(ProcessCommand command, BiConsumer<ProcessView, Failure> then) {
        ask(command, then, world.nowNs + 8_000 * MS);
    }

    /** Of whoever has it; again, when that has died, or is not it, or not yet. */
    private void ask(ProcessCommand command, BiConsumer<ProcessView, Failure> then, long untilNs) {
        WorldHost owner = world.owners[world.livesIn(command.process())];
        boolean[] answered = {false};
        owner.on(new Input.Command(command, new Input.Listener<>() {
            @Override
            public void onDone(ProcessView view) {
                answered[0] = true;
                then.accept(view, null);
            }

            @Override
            public void onFailed(Failure failure) {
                answered[0] = true;
                if (failure.retryable()) {
                    again(command, then, untilNs, failure);
                } else {
                    then.accept(null, failure);
                }
            }
        }));
        owner.lookAfter(answered, () -> again(command, then, untilNs, away()));
    }

    private void again(ProcessCommand command, BiConsumer<ProcessView, Failure> then, long untilNs, Failure last) {
        if (world.nowNs < untilNs) {
            world.later(20, () -> ask(command, then, untilNs));
        } else {
            then.accept(null, last);
        }
    }
}
