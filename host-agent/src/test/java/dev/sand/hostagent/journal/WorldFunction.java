package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.PROCESSES;
import static dev.sand.hostagent.journal.ProcessWorld.json;
import static dev.sand.hostagent.journal.ProcessWorld.text;

import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A function that runs in a {@link ProcessWorld}: it does a few things, one after the other, and ends. */
final class WorldFunction {
    private final ProcessWorld world;
    private final WorldHost host;
    private final Action.HandOver over;
    private final String name;
    private final String process;
    private final List<StateWrite> writes = new ArrayList<>();
    /** What it does is the same whenever it is run: its repetitions are known by their numbers. */
    private final Random script;
    private final boolean fails;
    private int left;
    private int sends;

    WorldFunction(ProcessWorld world, WorldHost host, Action.HandOver over) {
        this.world = world;
        this.host = host;
        this.over = over;
        this.name = text(over.payload());
        this.process = over.process();
        this.script = new Random(name.hashCode());
        this.fails = script.nextInt(5) == 0;
        this.left = 1 + script.nextInt(4);
        world.reads.began(name, world.nowNs);
    }

    void step() {
        if (over.grain().equals("last")) {
            world.finalKeys.put(process, new ArrayList<>());
            world.finalMessages.put(process, new ArrayList<>());
            call(new ProcessCall.Keys(null, 100_000), answer -> {
                List<String> keys = ((Answer.KeyList) answer).keys();
                world.finalKeys.get(process).addAll(keys);
                look(keys, 0);
            });
            return;
        }
        if (left-- == 0) {
            end();
            return;
        }
        switch (script.nextInt(3)) {
            case 0 -> {
                String to = "p" + script.nextInt(PROCESSES);
                String body = name + "#" + sends;
                call(new ProcessCall.Send(sends++, to, "k", json(body), 5_000), answer -> {
                    if (answer instanceof Answer.Done && over.grain().equals("f")) {
                        world.sent.putIfAbsent(body, new ProcessWorld.Message(process, to, body));
                    }
                    if (answer instanceof Answer.Done) {
                        next();
                    } else {
                        fail(); // what comes behind it is not to overtake it when this is run again
                    }
                });
            }
            case 1 -> call(new ProcessCall.Receive(null, "k", 0), answer -> {
                if (answer instanceof Answer.Received message) {
                    writes.add(write("r/" + text(message.payload())));
                }
                next();
            });
            default -> {
                read("o/" + script.nextInt(WorldReads.KEYS));
                call(new ProcessCall.Get("a/i" + script.nextInt(40)), answer -> next());
            }
        }
    }

    /** A key that others write over. */
    private void read(String key) {
        long sinceNs = world.nowNs;
        call(new ProcessCall.Get(key), answer -> {
            if (answer instanceof Answer.Value(Payload value)) {
                world.reads.read(process, key, value, sinceNs);
            }
        });
    }

    private static StateWrite write(String key) {
        return new StateWrite(key, json(key));
    }

    private void look(List<String> keys, int number) {
        if (number == keys.size()) {
            drain();
            return;
        }
        String key = keys.get(number);
        if (key.startsWith("o/")) {
            read(key);
            look(keys, number + 1);
            return;
        }
        call(new ProcessCall.Get(key), answer -> {
            String found = answer instanceof Answer.Value(Payload value) && value != null ? text(value) : answer.toString();
            if (!found.equals(key)) {
                world.wrongValues.put(process + " " + key, found);
            }
            look(keys, number + 1);
        });
    }

    private void next() {
        host.after(world.dice.nextInt(10), this::step);
    }

    private void drain() {
        call(new ProcessCall.Receive(null, "k", 0), answer -> {
            if (answer instanceof Answer.Received message) {
                world.finalMessages.get(process).add(text(message.payload()));
                drain();
            } else {
                end();
            }
        });
    }

    private void call(ProcessCall call, Consumer<Answer> then) {
        host.on(new Input.CallProcess(APP, over.instance(), over.eventId(), over.attempt(), call, then::accept));
    }

    private void end() {
        if (fails && !over.grain().equals("last")) {
            fail();
        } else {
            writes.add(write("a/" + name));
            writes.add(write("b/" + name));
            String everybodys = "o/" + Math.floorMod(name.hashCode(), WorldReads.KEYS);
            world.reads.writes(name, process, everybodys);
            writes.add(new StateWrite(everybodys, json(name)));
            host.on(new Input.FinishInProcess(new Input.Finish(APP, over.instance(), over.eventId(), over.attempt(), json("0"), List.of(),
                    world.nowNs, world.nowNs), writes));
            exit();
        }
    }

    private void fail() {
        host.on(new Input.Fail(APP, over.instance(), over.eventId(), over.attempt(), Failure.caller("Boom", "no"), world.nowNs, world.nowNs));
        exit();
    }

    private void exit() {
        host.after(1, () -> host.exited(over.instance(), 0));
    }
}
