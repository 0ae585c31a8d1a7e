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
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.hostagent.process.StoredImages;
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
 * A host with cloud processes, whose clock, bus, store and functions are dice: functions write, send and receive, some fail; the bus
 * is late or refuses, images are late or fail, state overflows in some worlds; and the host dies, and begins anew with what its journal
 * and the store have.
 */
final class ProcessWorld {
    static final AppKey APP = new AppKey("shop", 1);
    private static final long MS = 1_000_000;
    private static final int PROCESSES = 3;
    /** Of a few values, and of all of them. */
    private static final List<Long> MEMORIES = List.of(40L, 100L, 256L << 20);
    private static final int OVERWRITTEN = 3;
    private static final int SLOTS = CoreConfiguration.DEFAULT.slots();

    private record Due(long atNs, long order, Runnable what) {}

    /** A message that was sent, in the order in which mailboxes took them. */
    record Message(String source, String destination, String body) {}

    /** @param key with its process; @param value which invocation's, or null: none; @param sinceNs when it was asked for */
    record Read(String key, String value, long sinceNs) {}

    private final Random dice;
    private final boolean broken;
    private final PriorityQueue<Due> schedule = new PriorityQueue<>(Comparator.comparingLong(Due::atNs).thenComparingLong(Due::order));
    private final List<Action.Journal> journal = new ArrayList<>();
    private final Map<String, Long> busUntilNs = new HashMap<>();
    private final Map<String, ProcessImage> images = new HashMap<>();
    /** By process, in which life an image was begun last: those of earlier ones come to nothing. */
    private final Map<String, Integer> claims = new HashMap<>();
    private final long memory;
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
    /** Of keys that functions write over, in the order of the reads. */
    final List<Read> reads = new ArrayList<>();
    /** By invocation, the key that it writes over, and when its first attempt began and it was answered. */
    final Map<String, String> overwrites = new HashMap<>();
    final Map<String, Long> beganNs = new HashMap<>();
    final Map<String, Long> answeredNs = new HashMap<>();
    private final Map<String, Consumer<InvocationResult>> answered = new HashMap<>();
    private HostCore core;
    private long nowNs = 1_000 * MS;
    private long orders;
    private int life;
    private int epoch;
    private int ids;
    private boolean ending;

    /** @param broken answers go out before the journal has what they tell of: to be found */
    ProcessWorld(long seed, boolean broken) {
        this.dice = new Random(seed);
        this.broken = broken;
        this.memory = MEMORIES.get(dice.nextInt(MEMORIES.size()));
    }

    void run() {
        begin();
        for (int i = 0; i < 40; i++) {
            after(dice.nextInt(2_000), this::invoke);
        }
        for (int i = dice.nextInt(4); i > 0; i--) {
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
    private void after(long ms, Runnable what) {
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
        core = new HostCore(CoreConfiguration.DEFAULT, (version, target, id, startedMs) -> null, "here", "t" + epoch, 0);
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
        Set<String> durable = new HashSet<>();
        images.values().forEach(image -> {
            image.messages().forEach(message -> durable.add(text(message.payload())));
            image.state().keySet().stream().filter(key -> key.startsWith("r/")).forEach(key -> durable.add(key.substring(2)));
        });
        for (PartitionReading reading : readings) {
            reading.processes().left(APP.application(), reading::isOpen).forEach(left -> left.changes().forEach(change -> {
                long imaged = images.containsKey(left.process()) ? images.get(left.process()).number() : 0;
                boolean whole = left.changes().getFirst().number() <= imaged + 1;
                if (whole && change.change() instanceof Change.Arrived arrived) {
                    durable.add(text(arrived.payload()));
                }
            }));
        }
        sent.keySet().retainAll(durable); // the others come anew, behind what comes before them then
        for (int slot = 0; slot < SLOTS; slot++) {
            PartitionReading reading = readings[slot];
            reading.processes().left(APP.application(), reading::isOpen).forEach(this::on);
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

    private void on(Input input) {
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
            case Action.HandOver over -> after(dice.nextInt(3), () -> new Function(over).step());
            case Action.Journal record -> journal(record);
            case Action.Record record when record.awaited() ->
                    after(dice.nextInt(5), () -> on(new Input.Recorded(record.record().executionId(), null)));
            case Action.AnswerProcessCall answer -> answer.listener().on(answer.answer());
            case Action.AnswerCommand _ -> { }
            case Action.Respond respond -> answered.getOrDefault(respond.result().executionId(), result -> { }).accept(respond.result());
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
            case Action.FindImage find -> after(1, () -> on(new Input.ImageFound(find, null, null)));
            case Action.ListImages list -> after(1, () -> on(new Input.ImagesListed(list, List.of(), null)));
            default -> { }
        }
    }

    private void exited(String instance, int signal) {
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
                }
                if (of == life) {
                    on(new Input.ImageWritten(write, fails ? away() : null));
                }
            }
        });
    }

    /** Records of a process and of what runs in it keep their order, but for those that are refused, and given again. */
    private void journal(Action.Journal record) {
        String order = record.process() == null ? record.executionId() : record.process();
        long ms = dice.nextInt(15);
        long atNs = Math.max(busUntilNs.getOrDefault(order, 0L), nowNs + ms * MS);
        busUntilNs.put(order, atNs);
        boolean fails = record.carried() != null && dice.nextInt(12) == 0;
        int of = life;
        schedule.add(new Due(atNs, orders++, () -> {
            if (of != life) {
                return; // it was on its way when the host died
            }
            if (!fails) {
                journal.add(record);
            }
            if (record.awaited()) {
                after(dice.nextInt(3), () -> on(record.carried() != null
                        ? new Input.ChangeJournaled(record.carried(), fails ? away() : null)
                        : new Input.Journaled(record.executionId(), record.sequence(), null)));
            }
        }));
        if (broken && record.carried() != null) {
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
        int of = life;
        answered.put(id, result -> {
            if (result.status() == Status.SUCCEEDED && of == life) {
                succeeded.put(name, process);
                answeredNs.put(name, nowNs);
            }
        });
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

    // --- functions

    /** One that runs: it does a few things, one after the other, and ends. */
    private final class Function {
        private final Action.HandOver over;
        private final String name;
        private final String process;
        private final List<StateWrite> writes = new ArrayList<>();
        /** What it does is the same whenever it is run: its repetitions are known by their numbers. */
        private final Random script;
        private final boolean fails;
        private int left;
        private int sends;

        Function(Action.HandOver over) {
            this.over = over;
            this.name = text(over.payload());
            this.process = over.process();
            this.script = new Random(name.hashCode());
            this.fails = script.nextInt(5) == 0;
            this.left = 1 + script.nextInt(4);
            beganNs.putIfAbsent(name, nowNs);
        }

        void step() {
            if (over.grain().equals("last")) {
                finalKeys.put(process, new ArrayList<>());
                finalMessages.put(process, new ArrayList<>());
                call(new ProcessCall.Keys(null, 100_000), answer -> {
                    List<String> keys = ((Answer.KeyList) answer).keys();
                    finalKeys.get(process).addAll(keys);
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
                            sent.putIfAbsent(body, new Message(process, to, body));
                        }
                        next();
                    });
                }
                case 1 -> call(new ProcessCall.Receive(null, "k", 0), answer -> {
                    if (answer instanceof Answer.Received message) {
                        writes.add(write("r/" + text(message.payload())));
                    }
                    next();
                });
                default -> {
                    read("o/" + script.nextInt(OVERWRITTEN));
                    call(new ProcessCall.Get("a/i" + script.nextInt(40)), answer -> next());
                }
            }
        }

        private void read(String key) {
            long sinceNs = nowNs;
            call(new ProcessCall.Get(key), answer -> {
                if (answer instanceof Answer.Value(Payload value)) {
                    reads.add(new Read(process + " " + key, value == null ? null : text(value), sinceNs));
                }
            });
        }

        private StateWrite write(String key) {
            return new StateWrite(key, json(key));
        }

        private void next() {
            after(dice.nextInt(10), this::step);
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
                    wrongValues.put(process + " " + key, found);
                }
                look(keys, number + 1);
            });
        }

        private void drain() {
            call(new ProcessCall.Receive(null, "k", 0), answer -> {
                if (answer instanceof Answer.Received message) {
                    finalMessages.get(process).add(text(message.payload()));
                    drain();
                } else {
                    end();
                }
            });
        }

        private void call(ProcessCall call, Consumer<Answer> then) {
            on(new Input.CallProcess(APP, over.instance(), over.eventId(), over.attempt(), call, then::accept));
        }

        private void end() {
            if (fails && !over.grain().equals("last")) {
                on(new Input.Fail(APP, over.instance(), over.eventId(), over.attempt(), Failure.caller("Boom", "no"), nowNs, nowNs));
            } else {
                writes.add(write("a/" + name));
                writes.add(write("b/" + name));
                String key = "o/" + Math.floorMod(name.hashCode(), OVERWRITTEN);
                overwrites.put(name, process + " " + key);
                writes.add(new StateWrite(key, json(name)));
                on(new Input.FinishInProcess(new Input.Finish(APP, over.instance(), over.eventId(), over.attempt(), json("0"), List.of(),
                        nowNs, nowNs), writes));
            }
            after(1, () -> exited(over.instance(), 0));
        }
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Payload payload) {
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
                Map.of("f", grain("f"), "atomic", grain("atomic"), "last", grain("last")), Map.of(), List.of(), Map.of(), Durability.RELAXED,
                0, Map.of(), Map.of(), spec);
    }
}
