package dev.sand.hostagent.journal;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.SandboxSpec;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Hosts with cloud processes, whose clock, bus, store and functions are dice: functions write, send and receive, some fail; the bus is
 * late or refuses, images are late or fail, state overflows in some worlds; a host dies, and begins anew with what its journal and the store have. Of two hosts each has
 * half of the slots; slots go from one to the other, and processes are moved by hand.
 */
final class ProcessWorld {
    static final AppKey APP = new AppKey("shop", 1);
    static final long MS = 1_000_000;
    static final int SLOTS = CoreConfiguration.DEFAULT.slots();
    static final int PROCESSES = 3;
    /** Of a few values, and of all of them. */
    private static final List<Long> MEMORIES = List.of(40L, 100L, 256L << 20);

    private record Due(long atNs, long order, Runnable what) {}

    /** A message that was sent, in the order in which mailboxes took them. */
    record Message(String source, String destination, String body) {}

    final Random dice;
    final Set<Rule> rules;
    final WorldStore store = new WorldStore();
    final WorldRecords records = new WorldRecords();
    final List<Action.Journal> journal = new ArrayList<>();
    final Map<String, Long> busUntilNs = new HashMap<>();
    /** By body, in the order of arrival. */
    final Map<String, Message> sent = new LinkedHashMap<>();
    /** By invocation, the process that it ran in, of those that were answered. */
    final Map<String, String> succeeded = new LinkedHashMap<>();
    final Map<String, List<String>> finalKeys = new HashMap<>();
    final Map<String, List<String>> finalMessages = new HashMap<>();
    /** Each is to be its key. */
    final Map<String, String> wrongValues = new LinkedHashMap<>();
    /** Values that came back from an image. */
    int loaded;
    final WorldReads reads = new WorldReads();
    /** Answers go out before the journal has what they tell of: to be found. */
    boolean answersEarly;
    final WorldHost[] owners = new WorldHost[SLOTS];
    /** How often a process went by hand. */
    int migrations;
    private final List<WorldHost> hosts = new ArrayList<>();
    private final PriorityQueue<Due> schedule = new PriorityQueue<>(Comparator.comparingLong(Due::atNs).thenComparingLong(Due::order));
    /** As callers were told. */
    private final Map<String, Integer> routes = new HashMap<>();
    long nowNs = 1_000 * MS;
    long orders;
    int epoch;
    private int ids;
    boolean ending;
    private final long memory;

    /** @param rules those that hold: what goes wrong without one is to be found */
    ProcessWorld(long seed, Set<Rule> rules, int count) {
        this.dice = new Random(seed);
        this.rules = rules;
        this.memory = MEMORIES.get(dice.nextInt(MEMORIES.size()));
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
        for (int i = 0; i < 40; i++) {
            later(dice.nextInt(2_000), this::invoke);
        }
        for (int i = dice.nextInt(4); i > 0; i--) {
            later(dice.nextInt(2_000), this::crash);
        }
        for (int i = dice.nextInt(8); i > 0; i--) {
            later(dice.nextInt(2_000), this::image);
        }
        for (int i = isOne() ? 0 : dice.nextInt(6); i > 0; i--) {
            later(dice.nextInt(2_000), this::migrate);
        }
        for (int i = isOne() ? 0 : dice.nextInt(4); i > 0; i--) {
            later(dice.nextInt(2_000), this::giveSlot);
        }
        play(nowNs + 120_000 * MS);
        ending = true;
        for (int i = 0; i < PROCESSES; i++) {
            invoke("p" + i, "last", "last" + i, 0);
        }
        play(nowNs + 60_000 * MS);
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

    private void crash() {
        if (!ending) {
            hosts.get(dice.nextInt(hosts.size())).crash();
        }
    }

    /** The slot where a process lives, or did, goes to the other host. */
    private void giveSlot() {
        if (ending) {
            return;
        }
        String process = "p" + dice.nextInt(PROCESSES);
        int slot = dice.nextBoolean() ? Slots.of(process, SLOTS) : livesIn(process);
        WorldHost from = owners[slot];
        WorldHost to = other(from);
        owners[slot] = to;
        from.lose(slot);
        epoch++;
        to.take(slot, epoch);
    }

    private WorldHost other(WorldHost host) {
        return hosts.stream().filter(each -> each != host).findFirst().orElseThrow();
    }

    private int livesIn(String process) {
        ProcessPlace place = store.place(process);
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
                    durable.add(text(arrived.payload()));
                }
            }));
        }
        sent.keySet().retainAll(durable);
    }

    // --- callers

    private int route(String process) {
        return routes.getOrDefault(process, Slots.of(process, SLOTS));
    }

    private void invoke() {
        invoke("p" + dice.nextInt(PROCESSES), dice.nextInt(4) == 0 ? "atomic" : "f", "i" + ids++, 0);
    }

    private void invoke(String process, String function, String name, int before) {
        String id = Slots.placed(Ids.encode(1_000, dice.nextInt(1 << 16), dice.nextLong()), route(process), SLOTS);
        ask(new InvocationRequest(id, APP.application(), APP.version(), function, json(name), 70_000, false, null).inProcess(process), name,
                before);
    }

    private void ask(InvocationRequest request, String name, int before) {
        owners[Slots.of(request.executionId(), SLOTS)].invoke(request, result -> {
            if (result == null) {
                later(20, () -> askAgain(request, name));
            } else {
                answered(request, name, before, result);
            }
        });
    }

    /** Its host has died: it has ended, or runs on, or is run now; where its process was moved since, nobody knows which. */
    private void askAgain(InvocationRequest request, String name) {
        InvocationResult ended = records.result(request.executionId());
        if (ended != null) {
            told(request, name, ended);
        } else {
            owners[Slots.of(request.executionId(), SLOTS)].invoke(request, result -> {
                if (result == null || isMoved(result) && ProcessPlace.slotOf(result.failure()) < 0) {
                    later(20, () -> askAgain(request, name));
                } else {
                    told(request, name, result);
                }
            });
        }
    }

    private static boolean isMoved(InvocationResult result) {
        return result.failure() != null && result.failure().error().equals(Errors.MOVED);
    }

    private void answered(InvocationRequest request, String name, int before, InvocationResult result) {
        if (isMoved(result) && before < 20 && ProcessPlace.slotOf(result.failure()) >= 0) {
            routes.put(request.process(), ProcessPlace.slotOf(result.failure()));
            String moved = Slots.placed(request.executionId(), ProcessPlace.slotOf(result.failure()), SLOTS);
            later(1, () -> ask(request.as(moved), name, before + 1));
        } else if (isMoved(result) && before < 20) {
            later(20, () -> ask(request, name, before + 1)); // its slot is another's now
        } else {
            told(request, name, result);
        }
    }

    private void told(InvocationRequest request, String name, InvocationResult result) {
        if (result.status() == Status.SUCCEEDED) {
            succeeded.put(name, request.process());
            reads.answered(name, nowNs);
        }
    }

    /** To its owner, again until it is taken or there is no time left. */
    void deliver(ProcessMessage message, long untilNs, Consumer<Failure> told) {
        boolean[] answered = {false};
        Consumer<Failure> once = failure -> {
            if (answered[0]) {
                return;
            }
            answered[0] = true;
            int slot = ProcessPlace.slotOf(failure);
            if (slot >= 0) {
                routes.put(message.destination(), slot);
            }
            boolean again = failure != null && (failure.error().equals(Errors.MOVED) || failure.error().equals(Errors.UNAVAILABLE));
            if (again && nowNs < untilNs) {
                later(20, () -> deliver(message, untilNs, told));
            } else {
                told.accept(failure);
            }
        };
        later(500 + message.waitMs(), () -> once.accept(away())); // the host died with it
        owners[route(message.destination())].on(new Input.Deliver(message, once));
    }

    /** Somebody wants an image, memory is short, or somebody looks. */
    private void image() {
        ProcessCommand.Kind kind = dice.nextBoolean() ? ProcessCommand.Kind.SWAP_OUT : ProcessCommand.Kind.CHECKPOINT;
        String process = "p" + dice.nextInt(PROCESSES);
        if (dice.nextInt(3) == 0) {
            hosts.get(dice.nextInt(hosts.size())).on(new Input.MemoryPressure());
        } else {
            command(new ProcessCommand(APP.application(), APP.version(), process, kind), () -> { });
        }
    }

    private void migrate() {
        if (ending) {
            return;
        }
        String process = "p" + dice.nextInt(PROCESSES);
        WorldHost to = other(owners[livesIn(process)]);
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            if (owners[slot] == to) {
                slots.add(slot);
            }
        }
        command(ProcessCommand.migrate(APP.application(), APP.version(), process, slots.get(dice.nextInt(slots.size()))), () -> migrations++);
    }

    private void command(ProcessCommand command, Runnable done) {
        command(command, done, nowNs + 8_000 * MS);
    }

    /** Of whoever has it; again, when that has died, or is not it, or not yet. */
    private void command(ProcessCommand command, Runnable done, long untilNs) {
        WorldHost owner = owners[livesIn(command.process())];
        int life = owner.life();
        boolean[] answered = {false};
        owner.on(new Input.Command(command, new Input.CommandListener() {
            @Override
            public void onDone(ProcessView view) {
                answered[0] = true;
                done.run();
            }

            @Override
            public void onFailed(Failure failure) {
                answered[0] = true;
                if (failure.retryable()) {
                    again(command, done, untilNs);
                }
            }
        }));
        lookAfter(owner, life, answered, () -> again(command, done, untilNs));
    }

    private void lookAfter(WorldHost owner, int life, boolean[] answered, Runnable lost) {
        later(20, () -> {
            if (!answered[0] && owner.life() != life) {
                lost.run();
            } else if (!answered[0]) {
                lookAfter(owner, life, answered, lost);
            }
        });
    }

    private void again(ProcessCommand command, Runnable done, long untilNs) {
        if (nowNs < untilNs && !ending) {
            later(20, () -> command(command, done, untilNs));
        }
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

    private static GrainSpec grain(String name) {
        return new GrainSpec(name, "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 30_000, 10, 0, 1_000, 1 << 20, 1, 4, 0,
                Map.of(), List.of());
    }

    ApplicationVersion version() {
        ProcessSpec spec = new ProcessSpec(2, 1_000, 10_000, 64L << 20, memory, 20, 200,
                Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));
        return new ApplicationVersion(Limits.SCHEMA_VERSION, APP.application(), APP.version(), "bundle", null,
                new SandboxSpec(1L << 30, 0, 512, false, List.of(), 600_000),
                Map.of("f", grain("f"), "atomic", grain("atomic"), "last", grain("last")), Map.of(), List.of(), Map.of(), Durability.RELAXED,
                0, Map.of(), Map.of(), spec);
    }

    static InvocationListener deaf() {
        return new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {}
        };
    }
}
