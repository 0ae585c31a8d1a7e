package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.json;
import static dev.sand.hostagent.journal.ProcessWorld.name;
import static dev.sand.hostagent.journal.ProcessWorld.text;

import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A function that runs in a {@link ProcessWorld}: it does a few things, one after the other, and ends. Of which invocations it knows
 * that they have ended it tells in whatever it does: its writes, messages, inputs, its output and its failure, and what it changes
 * outside of processes.
 */
final class TellingFunction {
    static final String ERROR = "Boom";
    private static final int MOST_KNOWN = 4;
    private static final int MOST_GENERATIONS = 2;

    private final ProcessWorld world;
    private final Action.HandOver over;
    private final String name;
    private final String process;
    /** What it leaves in its process, and others know: this run of it. */
    private final String mark;
    private final List<StateWrite> writes = new ArrayList<>();
    /** Invocations that have ended: process, slash and mark. */
    private final Set<String> known = new LinkedHashSet<>();
    /** What it does is the same whenever it is run: its repetitions are known by their numbers. */
    private final Random script;
    private int left;
    private int numbers;

    TellingFunction(ProcessWorld world, Action.HandOver over) {
        this.world = world;
        this.over = over;
        this.name = name(over.payload());
        this.process = over.process();
        this.mark = name + "~" + world.life + "." + over.attempt();
        this.script = new Random(name.hashCode());
        this.script.nextInt();
        this.left = 1 + script.nextInt(4);
        learn(knows(text(over.payload())));
        world.invoked.put(name, new LinkedHashSet<>());
        world.beganNs.putIfAbsent(name, world.nowNs);
    }

    static boolean fails(String name) {
        return new Random(name.hashCode()).nextInt() % 5 == 0;
    }

    static boolean changesNothing(String name) {
        return !name.startsWith("last") && new Random(name.hashCode() + 1).nextInt() % 4 == 0;
    }

    /** What the text of a value tells. */
    static Set<String> knows(String text) {
        int bar = text.indexOf('|');
        return bar < 0 || bar == text.length() - 1 ? Set.of() : Set.of(text.substring(bar + 1).split(","));
    }

    private String with(String text) {
        return text + "|" + String.join(",", known);
    }

    private void learn(Set<String> more) {
        for (String each : more) {
            world.tellsInside(process, each);
            if (known.size() < MOST_KNOWN) {
                known.add(each);
            }
        }
    }

    void step() {
        if (over.grain().equals("last")) {
            world.finalKeys.put(process, new ArrayList<>());
            world.finalMessages.put(process, new ArrayList<>());
            call(new ProcessCall.Keys(null, 100_000), answer -> {
                List<String> keys = ((Answer.KeyList) answer).keys();
                world.finalKeys.get(process).addAll(keys);
                readAll(keys, 0);
            });
            return;
        }
        if (left-- == 0) {
            end();
            return;
        }
        switch (script.nextInt(8)) {
            case 0, 1 -> send("p" + script.nextInt(ProcessWorld.PROCESSES));
            case 2 -> receive();
            case 3 -> look();
            case 7 -> readOverwritten("o/" + script.nextInt(ProcessWorld.OVERWRITTEN), this::look);
            case 4 -> {
                changeOutside();
                look();
            }
            case 5 -> invoke("p" + script.nextInt(ProcessWorld.PROCESSES), script.nextBoolean());
            default -> invoke(process, script.nextInt(3) > 0);
        }
    }

    private void next() {
        world.after(world.dice.nextInt(10), this::step);
    }

    private void send(String to) {
        String body = name + "#" + numbers;
        call(new ProcessCall.Send(numbers++, to, "k", json(with(body)), 5_000), answer -> {
            if (answer instanceof Answer.Done && over.grain().equals("f")) {
                world.sent.putIfAbsent(body, new ProcessWorld.Message(process, to, body));
            }
            next();
        });
    }

    private void receive() {
        if (changesNothing(name)) {
            next();
            return;
        }
        call(new ProcessCall.Receive(null, "k", 0), answer -> {
            if (answer instanceof Answer.Received message) {
                writes.add(write("r/" + name(message.payload())));
                learn(knows(text(message.payload())));
            }
            next();
        });
    }

    /** The ends that it finds are those that it may know of; the latest are perhaps the unsure ones. */
    private void look() {
        call(new ProcessCall.Keys(null, 100_000), answer -> {
            if (!(answer instanceof Answer.KeyList(List<String> keys))) {
                return; // it was stopped
            }
            List<String> ended = keys.stream().filter(key -> key.startsWith("a/"))
                    .map(key -> process + "/" + key.substring(2)).toList();
            List<String> unsure = ended.stream().filter(world.latest::contains).toList();
            for (int i = 0; i < 2 && !ended.isEmpty(); i++) {
                List<String> from = unsure.isEmpty() ? ended : unsure;
                learn(Set.of(from.get(world.dice.nextInt(from.size()))));
            }
            if (keys.isEmpty() || world.dice.nextBoolean()) {
                next();
            } else {
                read(keys.get(world.dice.nextInt(keys.size())), this::next);
            }
        });
    }

    private void changeOutside() {
        Set<String> tells = Set.copyOf(known);
        Runnable change = () -> {
            world.told.addAll(tells);
            tells.forEach(world::tellsOutside);
        };
        if (!world.core.delays(APP, over.instance(), change)) {
            change.run();
        }
    }

    private void invoke(String to, boolean waits) {
        String child = name + "." + numbers;
        if (child.chars().filter(each -> each == '.').count() > MOST_GENERATIONS) {
            next();
            return;
        }
        world.processOf.put(child, to);
        call(new ProcessCall.Invoke(numbers++, to, "f", json(with(child))), answer -> {
            if (!(answer instanceof Answer.Invoked(String id))) {
                next();
                return;
            }
            world.invoked.get(name).add(child);
            if (!waits) {
                next();
                return;
            }
            call(new ProcessCall.Result(id, 500), result -> {
                if (result instanceof Answer.Outcome outcome && outcome.output() != null) {
                    learn(knows(text(outcome.output())));
                } else if (result instanceof Answer.Outcome outcome && ERROR.equals(outcome.error())) {
                    learn(knows(outcome.cause()));
                }
                next();
            });
        });
    }

    private void readAll(List<String> keys, int number) {
        if (number == keys.size()) {
            drain();
            return;
        }
        String key = keys.get(number);
        if (key.startsWith("o/")) {
            readOverwritten(key, () -> readAll(keys, number + 1));
        } else {
            read(key, () -> readAll(keys, number + 1));
        }
    }

    /** The value is who wrote it last. */
    private void readOverwritten(String key, Runnable then) {
        long sinceNs = world.nowNs;
        call(new ProcessCall.Get(key), answer -> {
            if (answer instanceof Answer.Value(Payload value)) {
                world.reads.add(new ProcessWorld.Read(process + " " + key, value == null ? null : text(value), sinceNs));
            }
            then.run();
        });
    }

    /** Each value is its key. */
    private void read(String key, Runnable then) {
        call(new ProcessCall.Get(key), answer -> {
            String found = answer instanceof Answer.Value(Payload value) && value != null ? text(value) : answer.toString();
            if (!found.equals(key) && over.grain().equals("last")) {
                world.wrongValues.put(process + " " + key, found);
            }
            then.run();
        });
    }

    private static StateWrite write(String key) {
        return new StateWrite(key, json(key));
    }

    private void drain() {
        call(new ProcessCall.Receive(null, "k", 0), answer -> {
            if (answer instanceof Answer.Received message) {
                world.finalMessages.get(process).add(name(message.payload()));
                world.told.addAll(knows(text(message.payload())));
                drain();
            } else {
                end();
            }
        });
    }

    private void call(ProcessCall call, Consumer<Answer> then) {
        world.on(new Input.CallProcess(APP, over.instance(), over.eventId(), over.attempt(), call, then::accept));
    }

    private void end() {
        if (fails(name) && !over.grain().equals("last")) {
            world.on(new Input.Fail(APP, over.instance(), over.eventId(), over.attempt(), Failure.caller(ERROR, with("no")), world.nowNs,
                    world.nowNs));
        } else if (changesNothing(name)) {
            world.on(finish());
        } else {
            writes.add(write("a/" + mark));
            writes.add(write("b/" + mark));
            if (!name.contains(".")) { // what a function invoked may run again, later
                String key = "o/" + Math.floorMod(name.hashCode(), ProcessWorld.OVERWRITTEN);
                world.overwrites.put(name, process + " " + key);
                writes.add(new StateWrite(key, json(name)));
            }
            known.forEach(each -> writes.add(write("s/" + each)));
            world.latest.addLast(process + "/" + mark);
            if (world.latest.size() > MOST_KNOWN) {
                world.latest.removeFirst();
            }
            world.on(new Input.FinishInProcess(finish(), writes));
        }
        world.after(1, () -> world.exited(over.instance(), 0));
    }

    private Input.Finish finish() {
        String output = changesNothing(name) || over.grain().equals("last") ? with("0") : "0|" + process + "/" + mark + (known.isEmpty() ? "" : "," + String.join(",", known));
        return new Input.Finish(APP, over.instance(), over.eventId(), over.attempt(), json(output), List.of(), world.nowNs, world.nowNs);
    }
}
