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
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Rule;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StoredImages;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * A host with cloud processes, whose clock, bus, store and functions ({@link TellingFunction}) are dice: functions read, write, send,
 * receive and invoke, some fail; the bus is late or refuses, images are late or fail, state overflows in some worlds; and the host dies,
 * and begins anew with what its journal and the store have.
 */
final class ProcessWorld {
    static final AppKey APP = new AppKey("shop", 1);
    private static final long MS = 1_000_000;
    static final int PROCESSES = 3;
    /** Of a few values, and of all of them. */
    private static final List<Long> MEMORIES = List.of(60L, 150L, 256L << 20);
    static final int OVERWRITTEN = 3;
    private static final int SLOTS = CoreConfiguration.DEFAULT.slots();

    private record Due(long atNs, long order, Runnable what) {}

    /** A message that was sent, in the order in which mailboxes took them. */
    record Message(String source, String destination, String body) {}

    /** @param key with its process; @param value which invocation's, or null: none; @param sinceNs when it was asked for */
    record Read(String key, String value, long sinceNs) {}

    /** What is done wrong on purpose, to be found. */
    enum Fault {
        NONE,
        /** The host is told that the journal has what it does not have. */
        ANSWERS_FIRST,
        /** What tells of changes that are not durable goes out. */
        TELLS_FIRST
    }

    final Random dice;
    private final Fault fault;
    private final PriorityQueue<Due> schedule = new PriorityQueue<>(Comparator.comparingLong(Due::atNs).thenComparingLong(Due::order));
    private final List<Action.Journal> journal = new ArrayList<>();
    private final Map<String, Long> busUntilNs = new HashMap<>();
    private final Map<String, ProcessImage> images = new HashMap<>();
    /** By process, in which life an image was begun last: those of earlier ones come to nothing. */
    private final Map<String, Integer> claims = new HashMap<>();
    private final long memory;
    /** By body, in the order of arrival. */
    final Map<String, Message> sent = new LinkedHashMap<>();
    /** By invocation, the process that it runs in. */
    final Map<String, String> processOf = new HashMap<>();
    /** By invocation, the process that it ran in, of those that were answered, or recorded. */
    final Map<String, String> succeeded = new LinkedHashMap<>();
    /** Those that are known to have ended otherwise. */
    final Set<String> failed = new HashSet<>();
    /** Invocations that somebody outside of their process was told of as ended: process and name. */
    final Set<String> told = new LinkedHashSet<>();
    /** Process and name of those that have just ended. */
    final ArrayDeque<String> latest = new ArrayDeque<>();
    /** By invocation, those that its last attempt made. */
    final Map<String, Set<String>> invoked = new HashMap<>();
    final Map<String, List<String>> finalKeys = new HashMap<>();
    final Map<String, List<String>> finalMessages = new HashMap<>();
    /** Each is to be its key. */
    final Map<String, String> wrongValues = new LinkedHashMap<>();
    /** Values that came back from an image. */
    int loaded;
    /** Of keys that functions write over, in the order of the reads. */
    final List<Read> reads = new ArrayList<>();
    /** By invocation, the key that it writes over, and when its first attempt began and it was answered. */
    final Map<String, String> overwrites = new HashMap<>();
    final Map<String, Long> beganNs = new HashMap<>();
    final Map<String, Long> answeredNs = new HashMap<>();
    /** What of the processes is durable now. */
    private DurableMarks durable;
    /** What went out of a process before it was durable, the first of it; null: nothing. */
    String early;
    private final boolean strict;
    private final Map<String, String> names = new HashMap<>();
    /** Of records in the global data layer, by execution. */
    private final Map<String, InvocationResult> results = new HashMap<>();
    /** Executions that have ended, and those that have changed a process. */
    private final Set<String> over = new HashSet<>();
    private final Set<String> changing = new HashSet<>();
    HostCore core;
    long nowNs = 1_000 * MS;
    private long orders;
    int life;
    private int epoch;
    private int ids;
    private boolean ending;

    ProcessWorld(long seed, Fault fault) {
        this.dice = new Random(seed);
        this.fault = fault;
        this.memory = MEMORIES.get(dice.nextInt(MEMORIES.size()));
        this.strict = new Random(seed).nextInt(4) == 0;
    }

    void run() {
        begin();
        for (int i = 0; i < 40; i++) {
            after(dice.nextInt(2_000), this::invoke);
        }
        for (int i = dice.nextInt(6); i > 0; i--) {
            later(dice.nextInt(2_000), this::crash);
        }
        for (int i = dice.nextInt(8); i > 0; i--) {
            later(dice.nextInt(2_000), this::image);
        }
        play(nowNs + 60_000 * MS);
        ending = true;
        for (int i = 0; i < PROCESSES; i++) {
            invoke("p" + i, "last", "last" + i);
        }
        play(nowNs + 60_000 * MS);
    }

    // --- time

    private void later(long ms, Runnable what) {
        schedule.add(new Due(nowNs + ms * MS + dice.nextInt(1_000_000), orders++, what));
    }

    /** Unless the host has died by then. */
    void after(long ms, Runnable what) {
        int of = life;
        later(ms, () -> {
            if (of == life) {
                what.run();
            }
        });
    }

    private void play(long untilNs) {
        while (!schedule.isEmpty() && schedule.peek().atNs() <= untilNs || core.nextDeadlineNs() <= untilNs) {
            long next = schedule.isEmpty() ? Long.MAX_VALUE : schedule.peek().atNs();
            if (core.nextDeadlineNs() <= next) {
                nowNs = Math.max(nowNs, core.nextDeadlineNs());
                on(new Input.Tick());
            } else {
                Due due = schedule.poll();
                nowNs = Math.max(nowNs, due.atNs());
                due.what().run();
            }
        }
        nowNs = untilNs;
    }

    // --- the host

    private void begin() {
        epoch++;
        core = new HostCore(CoreConfiguration.DEFAULT, (version, target, id, startedMs) -> null, "here", "t" + epoch, 0,
                fault == Fault.TELLS_FIRST ? EnumSet.complementOf(EnumSet.of(Rule.SEEN_IS_DURABLE_OUTSIDE)) : Rule.ALL);
        over.clear();
        changing.clear();
        durable = new DurableMarks();
        images.forEach(durable::image);
        PartitionReading[] readings = new PartitionReading[SLOTS];
        for (int slot = 0; slot < SLOTS; slot++) {
            readings[slot] = new PartitionReading();
            on(new Input.SlotAcquired(slot, epoch));
        }
        long offset = 0;
        for (Action.Journal record : List.copyOf(journal)) {
            readings[record.slot()].take(offset++, 0, JournalRecord.of(record.epoch(), record.executionId(), record.sequence(),
                    record.backup(), record.carried() == null ? null : record.carried().change()));
        }
        Set<String> arrivals = new HashSet<>();
        images.values().forEach(image -> {
            image.messages().forEach(message -> arrivals.add(name(message.payload())));
            image.state().keySet().stream().filter(key -> key.startsWith("r/")).forEach(key -> arrivals.add(key.substring(2)));
        });
        for (PartitionReading reading : readings) {
            reading.processes().left(APP.application(), reading::isOpen).forEach(left -> left.changes().forEach(change -> {
                long imaged = images.containsKey(left.process()) ? images.get(left.process()).number() : 0;
                boolean whole = left.changes().getFirst().number() <= imaged + 1;
                if (whole && change.change() instanceof Change.Arrived arrived) {
                    arrivals.add(name(arrived.payload()));
                }
            }));
        }
        sent.keySet().retainAll(arrivals); // the others come anew, behind what comes before them then
        for (int slot = 0; slot < SLOTS; slot++) {
            PartitionReading reading = readings[slot];
            reading.processes().left(APP.application(), reading::isOpen).forEach(left -> {
                durable.recovered(left.process(), left.changes());
                on(left);
            });
            reading.open().forEach(found -> on(found.unfinished(0, 0).recover(nowNs)));
            on(new Input.SlotReady(slot, epoch));
        }
    }

    private void crash() {
        if (!ending) {
            life++;
            begin();
        }
    }

    void on(Input input) {
        core.on(input, nowNs).forEach(this::perform);
    }

    private void perform(Action action) {
        switch (action) {
            case Action.LoadApplication load -> after(dice.nextInt(3), () -> on(new Input.ApplicationLoaded(load.app(), version(), null)));
            case Action.StartSandbox start -> after(dice.nextInt(5), () -> on(new Input.SandboxStarted(APP, start.sandbox(), false)));
            case Action.StartWorker start -> after(dice.nextInt(5), () -> on(new Input.WorkerReady(APP, start.worker(), 1)));
            case Action.Spawn spawn -> spawn.instances().forEach(one -> after(dice.nextInt(2), () -> on(new Input.Take(APP, one, 2))));
            case Action.StopSandbox stop -> after(1, () -> on(new Input.SandboxEnded(APP, stop.sandbox(), "stopped")));
            case Action.StopWorker stop -> after(1, () -> on(new Input.WorkerExited(APP, stop.worker(), "stopped")));
            case Action.Dismiss dismiss -> after(1, () -> exited(dismiss.instance(), 0));
            case Action.Kill kill -> after(1, () -> exited(kill.instance(), 9));
            case Action.HandOver over -> after(dice.nextInt(3), () -> new TellingFunction(this, over).step());
            case Action.Journal record -> {
                goesOut(record);
                journal(record);
            }
            case Action.Record record -> {
                tell(name(record.record().input()), record.record().status(), record.record().output(), record.record().failure());
                after(dice.nextInt(record.awaited() ? 5 : 50), () -> {
                    if (record.record().status() != Status.RUNNING) {
                        results.put(record.record().executionId(), new InvocationResult(record.record().executionId(),
                                record.record().status(), record.record().output(), record.record().failure(), List.of()));
                    }
                    if (record.awaited()) {
                        on(new Input.Recorded(record.record().executionId(), null));
                    }
                });
            }
            case Action.AnswerProcessCall answer -> answer.listener().on(answer.answer());
            case Action.AnswerCommand answer when answer.view() != null && answer.view().stateKeys() > durable.keys(answer.view().process()) ->
                    early("somebody was told of " + answer.view() + ", and " + durable.keys(answer.view().process()) + " of its keys are durable");
            case Action.AnswerCommand _ -> { }
            case Action.Respond respond -> tell(names.get(respond.result().executionId()), respond.result().status(),
                    respond.result().output(), respond.result().failure());
            case Action.Join join -> throw new IllegalStateException("no function is invoked with several messages: " + join);
            case Action.RestoreProcess restore -> {
                boolean fails = dice.nextInt(10) == 0;
                after(dice.nextInt(20), () -> on(fails ? new Input.ProcessRestored(restore, null, away()) : new Input.ProcessRestored(restore,
                        new Action.Restored(StoredImages.restored(images, restore.process()), restore.changes()), null)));
            }
            case Action.LoadValue load -> {
                boolean fails = !ending && dice.nextInt(5) == 0;
                after(dice.nextInt(30), () -> {
                    Payload value = fails ? null : StoredImages.value(images, load.process(), load.key());
                    loaded += value == null ? 0 : 1;
                    on(new Input.ValueLoaded(load, value, value == null ? away() : null));
                });
            }
            case Action.WriteImage write -> write(write);
            case Action.FindResult find -> after(dice.nextInt(3), () -> on(new Input.FromElsewhere(() ->
                    find.then().accept(results.get(find.execution()), null))));
            case Action.FindImage find -> after(1, () -> on(new Input.ImageFound(find, null, null)));
            case Action.ListImages list -> after(1, () -> on(new Input.ImagesListed(list, List.of(), null)));
            default -> { }
        }
    }

    /** Somebody hears how an invocation ended. */
    private void tell(String invocation, Status status, Payload output, Failure failure) {
        if (status == Status.SUCCEEDED) {
            succeeded.put(invocation, processOf.get(invocation));
            answeredNs.putIfAbsent(invocation, nowNs);
            told.addAll(knows(output));
            knows(output).forEach(this::tellsOutside);
        } else if (status != Status.RUNNING) {
            failed.add(invocation);
        }
        if (failure != null && failure.error().equals(TellingFunction.ERROR)) {
            told.addAll(TellingFunction.knows(failure.cause()));
            TellingFunction.knows(failure.cause()).forEach(this::tellsOutside);
        }
    }

    /** Something outside of its process tells of what this mark stands for. */
    void tellsOutside(String mark) {
        if (!durable.has(mark)) {
            early("it was told outside of its process that " + mark + " has ended before that was durable");
        }
    }

    /** To a function of the process, which may know of it before it is durable, unless all is strict. */
    void tellsInside(String process, String mark) {
        if (strict || !mark.startsWith(process + "/")) {
            tellsOutside(mark);
        }
    }

    /** A message to another process: who sent it has begun for certain. */
    private void goesOut(Action.Journal record) {
        if (record.carried() == null) {
            return;
        }
        if (record.carried().change().change() instanceof Change.Arrived arrived && !arrived.source().equals(record.process())) {
            String sender = arrived.sender().substring(0, arrived.sender().indexOf('/'));
            if (durable.isBeingBegun(sender)) {
                early(sender + " has sent to " + record.process() + " before its own request was durable");
            }
            knows(arrived.payload()).forEach(mark -> tellsInside(record.process(), mark));
        }
        durable.given(record);
    }

    private static Set<String> knows(Payload payload) {
        return TellingFunction.knows(text(payload));
    }

    private void early(String what) {
        early = early == null ? what : early;
    }

    void exited(String instance, int signal) {
        on(new Input.InstanceClosed(APP, instance));
        on(new Input.InstanceExited(APP, instance, 0, signal, 1, 1, null));
    }

    private static Failure away() {
        return Failure.platform(Errors.UNAVAILABLE, "it is away", true);
    }

    /** It may be there, and the host not hear of it. */
    private void write(Action.WriteImage write) {
        int of = life;
        boolean fails = dice.nextInt(4) == 0;
        claims.put(write.process(), of);
        later(dice.nextInt(60), () -> {
            if (of == life || dice.nextBoolean()) {
                if (!fails && claims.get(write.process()) == of) {
                    StoredImages.put(images, write.process(), write.image());
                    durable.image(write.process(), write.image());
                }
                if (of == life) {
                    on(new Input.ImageWritten(write, fails ? away() : null));
                }
            }
        });
    }

    /**
     * Records of a process and of what runs in it keep their order, but for those that are refused, and given again. One that nobody
     * awaits may be left out with its execution's end, or dropped.
     */
    private void journal(Action.Journal record) {
        String order = record.process() == null ? record.executionId() : record.process();
        String id = record.executionId();
        if (record.carried() != null) {
            changing.add(id);
        } else if (record.backup() instanceof Action.Backup.Ended) {
            over.add(id);
        }
        long ms = dice.nextInt(record.awaited() ? 15 : 40);
        long atNs = Math.max(busUntilNs.getOrDefault(order, 0L), nowNs + ms * MS);
        busUntilNs.put(order, atNs);
        boolean fails = record.carried() != null && dice.nextInt(12) == 0;
        boolean drops = record.await() == Action.Await.IF_WRITTEN && dice.nextInt(30) == 0;
        int of = life;
        schedule.add(new Due(atNs, orders++, () -> {
            if (of != life) {
                return; // it was on its way when the host died
            }
            if (drops || record.await() == Action.Await.IF_WRITTEN && over.contains(id) && !changing.contains(id)) {
                return;
            }
            if (!fails) {
                journal.add(record);
                durable.there(record);
            }
            if (record.await() != Action.Await.NO) {
                after(dice.nextInt(3), () -> on(record.carried() != null
                        ? new Input.ChangeJournaled(record.carried(), fails ? away() : null)
                        : new Input.Journaled(record.executionId(), record.sequence(), null)));
            }
        }));
        if (fault == Fault.ANSWERS_FIRST && record.carried() != null) {
            on(new Input.ChangeJournaled(record.carried(), null));
        }
    }

    // --- callers

    private void invoke() {
        invoke("p" + dice.nextInt(PROCESSES), dice.nextInt(4) == 0 ? "atomic" : "f", "i" + ids++);
    }

    private void invoke(String process, String function, String name) {
        String id;
        do {
            id = Ids.encode(1_000, dice.nextInt(1 << 16), dice.nextLong());
        } while (Slots.of(id, SLOTS) != Slots.of(process, SLOTS));
        InvocationRequest request = new InvocationRequest(id, APP.application(), APP.version(), function, json(name), 20_000, false, null)
                .inProcess(process);
        names.put(id, name);
        processOf.put(name, process);
        on(new Input.Invoke(request, new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {}
        }));
    }

    /** Somebody wants an image, memory is short, or somebody looks. */
    private void image() {
        ProcessCommand.Kind kind = dice.nextBoolean() ? ProcessCommand.Kind.SWAP_OUT : ProcessCommand.Kind.CHECKPOINT;
        on(dice.nextInt(3) == 0 ? new Input.MemoryPressure() : new Input.Command(new ProcessCommand(APP.application(), APP.version(),
                "p" + dice.nextInt(PROCESSES), kind), new Input.CommandListener() {
            @Override
            public void onDone(ProcessView view) {}

            @Override
            public void onFailed(Failure failure) {}
        }));
    }

    static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Without what it tells. */
    static String name(Payload payload) {
        return text(payload).split("\\|", 2)[0];
    }

    static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    private static GrainSpec grain(String name) {
        return new GrainSpec(name, "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 30_000, 10, 0, 1_000, 1 << 20, 1, 4, 0,
                Map.of(), List.of());
    }

    private ApplicationVersion version() {
        ProcessSpec spec = new ProcessSpec(2, 1_000, 10_000, 64L << 20, memory, 20, 200,
                Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));
        return new ApplicationVersion(Limits.SCHEMA_VERSION, APP.application(), APP.version(), "bundle", null,
                new SandboxSpec(1L << 30, 0, 512, false, List.of(), 600_000),
                Map.of("f", grain("f"), "atomic", grain("atomic"), "last", grain("last")), Map.of(), List.of(), Map.of(), strict ? Durability.STRICT : Durability.RELAXED,
                0, Map.of(), Map.of(), spec);
    }
}
