package dev.sand.hostagent.journal;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Rule;
import dev.sand.hostagent.process.Change;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * Hosts with cloud processes, whose clock, bus, store and functions are dice: functions write, send, receive and invoke, some fail, and
 * workers are killed under them; the bus is late or refuses, images are late or fail, state overflows and mailboxes are full in some
 * worlds, some are strict; processes are killed; a host dies, and begins anew with what its journal and the store have. Of two hosts
 * each has half of the slots; slots go from one to the other, and processes are moved by hand.
 */
final class ProcessWorld {
    static final AppKey APP = new AppKey("shop", 1);
    static final long MS = 1_000_000;
    static final int SLOTS = CoreConfiguration.DEFAULT.slots();
    static final int PROCESSES = 3;
    /** At the end. */
    private static final int ROUNDS = 4;
    /** Behind all that goes wrong. */
    private static final int CALM_MS = 12_000;
    private static final int READ_MS = 1_000;

    private record Due(long atNs, long order, Runnable what) {}

    final Random dice;
    final Set<Rule> rules;
    final WorldApplication application;
    final WorldStore store = new WorldStore();
    final WorldValues values = new WorldValues();
    final WorldRecords records = new WorldRecords();
    final WorldReads reads = new WorldReads();
    final WorldHistory history = new WorldHistory();
    final WorldCallers callers = new WorldCallers(this);
    final WorldCommands commands = new WorldCommands(this);
    final List<Action.Journal> journal = new ArrayList<>();
    final Map<String, Long> busUntilNs = new HashMap<>();
    final WorldHost[] owners = new WorldHost[SLOTS];
    /** Values that came back from an image. */
    int loaded;
    /** Large messages that an earlier owner's journal had, and that came into a host's memory. */
    int brought;
    /** Answers go out before the journal has what they tell of: to be found. */
    boolean answersEarly;
    /** How often a process went by hand, and was killed; and a mailbox had no room, and messages made an invocation. */
    int migrations;
    /** Of those, to which somebody sent all the time. */
    int steadyMigrations;
    /** By process, who sends to it all the time. */
    final Map<String, WorldFunction> steady = new HashMap<>();
    /** Functions invoke in other processes. Those are not moved by hand: what a move may double or refuse of that is no fault. */
    final boolean invoking;
    final boolean holdsMessages;
    /** Whether what was received meanwhile is in the record of that end alone. */
    final boolean allKnowPassed;
    int killed;
    /** Messages that were received before the journal had them, and are in the record of who received them alone. */
    int passed;
    /** Requests that a journal had without their inputs, and not the ends for which those were left out. */
    int nothings;
    /** Reads of what came with the event. */
    int told;
    /** Results asked for behind what invokes. */
    int early;
    int refused;
    int fired;
    /** Workers that are killed yet, right after a function of theirs has received something: fewer than a function may be run. */
    int killsOfWorkers;
    private final List<WorldHost> hosts = new ArrayList<>();
    private final PriorityQueue<Due> schedule = new PriorityQueue<>(Comparator.comparingLong(Due::atNs).thenComparingLong(Due::order));
    long nowNs = 1_000 * MS;
    long orders;
    int epoch;
    private int ids;
    boolean ending;
    private boolean alone;

    /** @param rules those that hold: what goes wrong without one is to be found */
    ProcessWorld(long seed, Set<Rule> rules, int count) {
        this.dice = new Random(seed);
        this.rules = rules;
        this.application = new WorldApplication(dice);
        this.killsOfWorkers = dice.nextInt(3);
        this.holdsMessages = dice.nextInt(3) > 0;
        this.allKnowPassed = dice.nextInt(4) > 0;
        this.invoking = count == 1 || dice.nextBoolean();
        for (int i = 0; i < count; i++) {
            hosts.add(new WorldHost(this, "host" + i));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            owners[slot] = hosts.get(slot % count);
        }
    }

    boolean isOne() {
        return hosts.size() == 1;
    }

    void run() {
        hosts.forEach(WorldHost::begin);
        often(40, this::invoke);
        often(dice.nextInt(4), () -> anyHost().crash());
        often(dice.nextInt(8), commands::image);
        often(dice.nextInt(4) - 1, commands::kill);
        often(isOne() || invoking ? 0 : dice.nextInt(6), commands::migrate);
        often(isOne() ? 0 : dice.nextInt(4), this::giveSlot);
        if (!isOne() && !invoking && !application.isTight() && dice.nextBoolean()) {
            often(2, this::sendSteadily);
            often(6, commands::migrateUnderMessages);
        }
        play(nowNs + CALM_MS * MS);
        if (application.isTight()) {
            readers();
        }
        play(nowNs + (120_000 - CALM_MS) * MS);
        ending = true;
        alone = true;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < PROCESSES; i++) {
                look("p" + i, "last" + round + "." + i, () -> { });
            }
            play(nowNs + 60_000 * MS);
        }
    }

    private void often(int times, Runnable what) {
        for (int i = times; i > 0; i--) {
            later(dice.nextInt(2_000), what);
        }
    }

    // --- time

    void later(long ms, Runnable what) {
        at(nowNs + ms * MS + dice.nextInt(1_000_000), what);
    }

    void at(long atNs, Runnable what) {
        schedule.add(new Due(atNs, orders++, what));
    }

    private void play(long untilNs) {
        while (true) {
            WorldHost first = hosts.stream().min(Comparator.comparingLong(host -> host.core.nextDeadlineNs())).orElseThrow();
            long next = schedule.isEmpty() ? Long.MAX_VALUE : schedule.peek().atNs();
            if (Math.min(first.core.nextDeadlineNs(), next) > untilNs) {
                break;
            }
            if (first.core.nextDeadlineNs() <= next) {
                nowNs = Math.max(nowNs, first.core.nextDeadlineNs());
                first.on(new Input.Tick());
            } else {
                Due due = schedule.poll();
                nowNs = Math.max(nowNs, due.atNs());
                due.what().run();
            }
        }
        nowNs = untilNs;
    }

    // --- faults

    /** The slot where a process lives, or did, goes to the other host. */
    private void giveSlot() {
        String process = "p" + dice.nextInt(PROCESSES);
        int slot = dice.nextBoolean() ? Slots.of(process, SLOTS) : livesIn(process);
        WorldHost from = owners[slot];
        WorldHost to = other(from);
        owners[slot] = to;
        from.lose(slot);
        epoch++;
        to.take(slot, epoch);
    }

    WorldHost anyHost() {
        return hosts.get(dice.nextInt(hosts.size()));
    }

    WorldHost other(WorldHost host) {
        return hosts.stream().filter(each -> each != host).findFirst().orElseThrow();
    }

    /** One without an image is at home. */
    int livesIn(String process) {
        ProcessPlace place = store.image(process) == null ? null : store.place(process);
        return place == null ? Slots.of(process, SLOTS) : place.slot();
    }

    /** Messages that no journal and no image has are lost with the one host, and come anew, behind what comes before them then. */
    void lost() {
        Set<String> durable = new HashSet<>(store.bodies());
        for (int slot = 0; slot < SLOTS; slot++) {
            WorldHost.reading(this, slot).processes().left(APP.application(), id -> false).forEach(left -> left.changes().forEach(change -> {
                long imaged = store.image(left.process()) == null ? 0 : store.image(left.process()).number();
                boolean whole = left.changes().getFirst().number() <= imaged + 1;
                if (whole && change.change() instanceof Change.Arrived arrived) {
                    durable.add(WorldValues.text(arrived.payload()));
                }
            }));
        }
        history.arrived.retainAll(durable);
    }

    // --- callers

    private void invoke() {
        invoke(dice.nextInt(4) == 0 ? "atomic" : "f");
    }

    private void invoke(String function) {
        String process = "p" + dice.nextInt(PROCESSES);
        String name = "i" + ids++;
        history.asked.add(name);
        callers.invoke(process, function, name, dice.nextInt(4) == 0, result -> callers.told(process, name, result));
    }

    private void sendSteadily() {
        invoke("steady");
    }

    boolean isSteady(String process) {
        return steady.containsKey(process) && steady.get(process).goesOn();
    }

    /** Somebody takes what is in mailboxes that are full: for their room what was sent, who sent it, and the next of a killed one's id wait. */
    private void readers() {
        ending = true;
        for (int i = 0; i < PROCESSES; i++) {
            read("p" + i, nowNs + 100_000 * MS);
        }
    }

    private void read(String process, long untilNs) {
        if (nowNs < untilNs) {
            look(process, "read" + orders + "." + process, () -> later(READ_MS, () -> read(process, untilNs)));
        }
    }

    /** Somebody takes all that is there. Others of a round may have the room that it needs, for a while. */
    private void look(String process, String name, Runnable then) {
        callers.invoke(process, "last", name, false, result -> {
            if (result.status() != Status.SUCCEEDED) {
                later(500, () -> look(process, name, then));
            } else {
                history.looked(name, alone);
                then.run();
            }
        });
    }

    // --- values

    static Failure away() {
        return Failure.platform(Errors.UNAVAILABLE, "it is away", true);
    }

    static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }
}
