package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.PROCESSES;
import static dev.sand.hostagent.journal.ProcessWorld.json;
import static dev.sand.hostagent.journal.ProcessWorld.text;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.journal.WorldHistory.Kind;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A function that runs in a {@link ProcessWorld}: it does a few things, one after the other, and ends. */
class WorldFunction {
    /** A function that a message made makes others, and those none. */
    private static final int DEPTH = 2;
    /** Sent by one that does nothing else: to one process, all the time. */
    private static final int STEADY = 60;
    private static final int STEADY_MS = 12;
    /** Behind a large message, at most: who is to receive it may end meanwhile. */
    private static final int PAUSE_MS = 300;

    final ProcessWorld world;
    final String process;
    final WorldHost host;
    private final Action.HandOver over;
    private final String name;
    private final List<StateWrite> writes = new ArrayList<>();
    /** What it does is the same whenever it is run: its repetitions are known by their numbers. */
    private final Random script;
    private final boolean fails;
    private int left;
    private int sends;
    private boolean hasSentLarge;

    WorldFunction(ProcessWorld world, WorldHost host, Action.HandOver over) {
        this.world = world;
        this.host = host;
        this.over = over;
        this.name = text(over.payload());
        this.process = over.process().contains("/") ? over.process().substring(0, over.process().indexOf('/')) : over.process();
        this.script = new Random(name.hashCode());
        this.fails = script.nextInt(5) == 0;
        this.left = isSteady() ? STEADY : 1 + script.nextInt(4);
        world.reads.began(name, world.nowNs);
        world.history.beganNs.putIfAbsent(name, world.nowNs);
        world.history.names.put(over.eventId().substring(0, over.eventId().indexOf('/')), name);
        world.fired += over.process().contains("/") ? 1 : 0;
    }

    String name() {
        return name;
    }

    private boolean isSteady() {
        return over.grain().equals("steady");
    }

    /** It sends yet. */
    boolean goesOn() {
        return left > 0 && host.isThere(over.instance());
    }

    void step() {
        if (left-- == 0) {
            end();
            return;
        }
        if (isSteady()) {
            world.steady.put("p" + Math.floorMod(name.hashCode(), PROCESSES), this);
            send(Kind.PLAIN, "p" + Math.floorMod(name.hashCode(), PROCESSES));
            return;
        }
        boolean mayMake = name.chars().filter(c -> c == '#').count() < DEPTH;
        switch (script.nextInt(mayMake ? 7 : 5)) {
            case 0, 1 -> send(Kind.PLAIN);
            case 2, 3 -> call(new ProcessCall.Receive(null, script.nextInt(3) == 0 ? null : "k", 0), answer -> {
                if (answer instanceof Answer.Received message) {
                    writes.add(write("r/" + host.text(message.payload())));
                    if (world.killsOfWorkers > 0 && world.dice.nextInt(4) == 0) {
                        world.killsOfWorkers--;
                        host.after(0, () -> host.killWorkerOf(over.instance()));
                    }
                }
                next();
            });
            case 4 -> {
                read("o/" + script.nextInt(WorldReads.KEYS));
                call(new ProcessCall.Get("a/i" + script.nextInt(40)), answer -> next());
            }
            case 5 -> send(Kind.FIRES);
            default -> send(world.invoking ? Kind.INVOKED : Kind.PLAIN);
        }
    }

    private void send(Kind kind) {
        send(kind, "p" + script.nextInt(PROCESSES));
    }

    /** Of some messages another one, past which others read. */
    private String key() {
        return sends % 4 == 1 ? "j" : "k";
    }

    private void send(Kind kind, String to) {
        String function = script.nextInt(3) == 0 ? "atomic" : "f";
        String body = name + "#" + sends;
        long sentNs = kind == Kind.INVOKED ? world.history.invokedNs.computeIfAbsent(body, first -> world.nowNs) : world.nowNs;
        boolean isAtomic = over.grain().equals("atomic") && kind != Kind.INVOKED;
        ProcessCall call = kind == Kind.INVOKED ? new ProcessCall.Invoke(sends, to, function, json(body), isAwaited(body))
                : new ProcessCall.Send(sends, to, kind == Kind.PLAIN ? key() : "invoke:" + function + ":k",
                        kind == Kind.PLAIN ? host.kept(body) : json(body),
                        world.application.sendWaitMs());
        sends++;
        call(call, answer -> {
            if (answer instanceof Answer.Invoked invoked && invoked.outcome() != null) {
                resulted(body, invoked.outcome());
            }
            if (answer instanceof Answer.Done || answer instanceof Answer.Invoked) {
                world.history.sent(new WorldHistory.Sent(kind, process, to, body, isAtomic, sentNs));
                hasSentLarge = kind == Kind.PLAIN && WorldValues.isLarge(body);
                next();
            } else {
                world.refused++;
                fail(); // what comes behind it is not to overtake it when this is run again
            }
        });
    }

    private static boolean isAwaited(String body) {
        return body.hashCode() % 2 == 0;
    }

    /** With the answer to what invokes: an end, of one that was awaited. */
    private void resulted(String body, Answer.Outcome outcome) {
        world.early++;
        boolean isNothing = outcome.equals(new Answer.Outcome(null, null, null));
        if (!isAwaited(body) || isNothing || Errors.MOVED.equals(outcome.error())) {
            world.history.wrongValues.put(body, "was told though it was not awaited, or did not end: " + outcome);
        }
    }

    /** A key that others write over. */
    void read(String key) {
        long sinceNs = world.nowNs;
        for (StateWrite told : over.state()) {
            if (told.key().equals(key)) {
                told(key, told.value(), sinceNs);
                world.told++;
                return;
            }
        }
        call(new ProcessCall.Get(key), answer -> {
            if (answer instanceof Answer.Value(Payload value)) {
                world.reads.read(process, key, value, sinceNs);
            }
        });
    }

    /** One that has lost its process has it still, and no effect. */
    private void told(String key, Payload value, long sinceNs) {
        if (world.owners[world.callers.route(process)] == host) {
            world.reads.read(process, key, value, sinceNs);
        }
    }

    private static StateWrite write(String key) {
        return new StateWrite(key, json(key));
    }

    private void next() {
        host.after(isSteady() ? STEADY_MS : world.dice.nextInt(hasSentLarge ? PAUSE_MS : 10), this::step);
        hasSentLarge = false;
    }

    void call(ProcessCall call, Consumer<Answer> then) {
        if (!host.isThere(over.instance())) {
            return;
        }
        host.on(new Input.CallProcess(APP, over.instance(), over.eventId(), over.attempt(), call, then::accept));
    }

    private void end() {
        if (!host.isThere(over.instance())) {
            return;
        }
        if (fails) {
            fail();
            return;
        }
        String request = Slots.request(over.eventId().substring(0, over.eventId().indexOf('/')));
        writes.add(write("a/" + name));
        writes.add(write("b/" + name));
        writes.add(write("x/" + name + "/" + request.substring(request.length() - 6)));
        String everybodys = "o/" + Math.floorMod(name.hashCode(), WorldReads.KEYS);
        world.reads.writes(name, process, everybodys);
        writes.add(new StateWrite(everybodys, json(name)));
        finish(writes);
    }

    void finish(List<StateWrite> with) {
        host.on(new Input.FinishInProcess(new Input.Finish(APP, over.instance(), over.eventId(), over.attempt(), json("0"), List.of(),
                world.nowNs, world.nowNs), with));
        exit();
    }

    private void fail() {
        world.history.failed.add(name);
        host.on(new Input.Fail(APP, over.instance(), over.eventId(), over.attempt(), Failure.caller("Boom", "no"), world.nowNs, world.nowNs));
        exit();
    }

    private void exit() {
        host.after(1, () -> host.exited(over.instance(), 0));
    }
}
