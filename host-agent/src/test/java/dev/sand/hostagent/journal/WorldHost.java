package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.MS;
import static dev.sand.hostagent.journal.ProcessWorld.SLOTS;
import static dev.sand.hostagent.journal.ProcessWorld.away;
import static dev.sand.hostagent.journal.ProcessWorld.json;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.process.Change.Outgoing;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.shard.HostAllowances;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One host of a {@link ProcessWorld}: what it is asked to do is done, late or never. */
final class WorldHost {
    private static final int HOLD_MS = 400;
    /** Longer than it is, as all that functions do takes longer here. */
    private static final int TOGETHER_MS = 20;
    private static final Failure GONE = Failure.platform(Errors.UNAVAILABLE, "it is gone", false);

    private final ProcessWorld world;
    private final String name;
    private final Map<Integer, Long> epochs = new HashMap<>();
    /** Who waits for an execution; told null when this host dies. In the order in which they came, so that dice fall the same. */
    private final Set<Waiting> answered = new LinkedHashSet<>();
    HostCore core;
    private int life;
    /** By instance, the worker that it is of; and those that have not ended. */
    private final Map<String, String> workers = new HashMap<>();
    private final Set<String> alive = new HashSet<>();
    /** By execution whose request is on its way into the journal: whether its end is right behind it. */
    private final Map<String, Boolean> unwritten = new HashMap<>();

    private final class Waiting implements InvocationListener {
        private final Runnable accepted;
        private final Consumer<InvocationResult> then;

        Waiting(Runnable accepted, Consumer<InvocationResult> then) {
            this.accepted = accepted;
            this.then = then;
        }

        @Override
        public void onAccepted() {
            accepted.run();
        }

        @Override
        public void onEnd(InvocationResult result) {
            if (answered.remove(this)) {
                then.accept(result);
            }
        }
    }

    WorldHost(ProcessWorld world, String name) {
        this.world = world;
        this.name = name;
    }

    void begin() {
        world.epoch++;
        CoreConfiguration configuration = CoreConfiguration.DEFAULT.withMessageHold(world.holdsMessages ? HOLD_MS * MS : 0)
                .withTogether(TOGETHER_MS * MS);
        core = new HostCore(configuration, (version, target, id, startedMs) -> null, name, "t" + world.epoch, 0, new HostAllowances(),
                world.rules);
        on(new Input.HostsChanged(List.of(new HostCard(name, "1", null, Set.of(), 0, false, 0, world.allKnowPassed ? Change.Passed.SCHEMA : 0))));
        epochs.clear();
        for (int slot = 0; slot < SLOTS; slot++) {
            if (world.owners[slot] == this) {
                acquire(slot, world.epoch);
            }
        }
        if (world.isOne()) {
            world.lost();
        }
        Set.copyOf(epochs.keySet()).stream().sorted().forEach(slot -> recover(slot, world.epoch));
    }

    void crash() {
        life++;
        workers.clear();
        alive.clear();
        unwritten.clear();
        List<Waiting> waiting = List.copyOf(answered);
        answered.clear();
        begin();
        waiting.forEach(each -> each.then.accept(null));
    }

    /** Whoever has asked this host something hears of its death, as its link does. */
    void lookAfter(boolean[] answered, Runnable lost) {
        lookAfter(life, answered, lost);
    }

    private void lookAfter(int of, boolean[] answered, Runnable lost) {
        world.later(20, () -> {
            if (!answered[0] && of != life) {
                lost.run();
            } else if (!answered[0]) {
                lookAfter(of, answered, lost);
            }
        });
    }

    private void acquire(int slot, long epoch) {
        epochs.put(slot, epoch);
        on(new Input.SlotAcquired(slot, epoch));
    }

    /** Processes at once; their executions one after the other, for a look at the record of each may take long. */
    private void recover(int slot, long epoch) {
        PartitionReading reading = reading(world, slot);
        reading.processes().left(APP.application(), reading::isUnended).forEach(left -> on(new Input.Taken(slot, epoch, left.in(slot))));
        long atNs = world.nowNs;
        for (PartitionReading.Found found : reading.open()) {
            atNs += dice(dice(4) == 0 ? 300 : 5) * MS;
            JournalAdapter.Unfinished left = found.unfinished(0, 0);
            if (left.isNothing()) {
                markNothing(atNs, slot, epoch, left);
            } else {
                given(atNs, () -> new Input.Taken(slot, epoch, execution(slot, epoch, left)));
            }
        }
        given(atNs, () -> new Input.SlotReady(slot, epoch));
    }

    /** The slot may be another's by then, or be back. */
    private void given(long atNs, Supplier<Input> input) {
        int of = life;
        world.at(atNs, () -> {
            if (of == life) {
                on(input.get());
            }
        });
    }

    private Input execution(int slot, long epoch, JournalAdapter.Unfinished left) {
        if (!world.records.endedOrFenced(left.request().executionId(), epoch)) {
            return left.recover(world.nowNs);
        }
        return new Input.AlreadyEnded(left.request().executionId(), () -> journal(mark(slot, epoch, left, Action.Await.NO)));
    }

    private static Action.Journal mark(int slot, long epoch, JournalAdapter.Unfinished left, Action.Await await) {
        return new Action.Journal(left.request().executionId(), left.request().application(), slot, epoch, left.next(),
                new Action.Backup.Ended(Status.SUCCEEDED), await, left.request().processId(), null);
    }

    /** The slot is not ready before that is there. */
    private void markNothing(long atNs, int slot, long epoch, JournalAdapter.Unfinished nothing) {
        int of = life;
        world.nothings++;
        world.at(atNs, () -> {
            if (of == life && Long.valueOf(epoch).equals(epochs.get(slot))) {
                world.journal.add(mark(slot, epoch, nothing, Action.Await.YES));
            }
        });
    }

    /** What the journal of a slot has, records of earlier owners that came behind a later one's first left out. */
    static PartitionReading reading(ProcessWorld world, int slot) {
        PartitionReading reading = new PartitionReading();
        long offset = 0;
        for (Action.Journal record : List.copyOf(world.journal)) {
            if (record.slot() == slot) {
                reading.take(offset++, 0, JournalRecord.of(record.epoch(), record.executionId(), record.sequence(),
                        record.backup(), record.carried() == null ? null : record.carried().change()));
            }
        }
        return reading;
    }

    void lose(int slot) {
        on(new Input.SlotLost(slot, epochs.remove(slot)));
    }

    void take(int slot, long epoch) {
        acquire(slot, epoch);
        recover(slot, epoch);
    }

    /** @param then told of its end; null: this host has died */
    void invoke(InvocationRequest request, Runnable accepted, Consumer<InvocationResult> then) {
        Waiting waiting = new Waiting(accepted, then);
        answered.add(waiting);
        on(new Input.Invoke(request, waiting));
    }

    void on(Input input) {
        core.on(input, world.nowNs).forEach(this::perform);
    }

    /** Unless the host has died by then. */
    void after(long ms, Runnable what) {
        int of = life;
        world.later(ms, () -> {
            if (of == life) {
                what.run();
            }
        });
    }

    private int dice(int below) {
        return world.dice.nextInt(below);
    }

    private void perform(Action action) {
        switch (action) {
            case Action.LoadApplication load -> after(dice(3), () -> on(new Input.ApplicationLoaded(load.app(), world.application.version(), null)));
            case Action.StartSandbox start -> after(dice(5), () -> on(new Input.SandboxStarted(APP, start.sandbox(), false)));
            case Action.StartWorker start -> after(dice(5), () -> {
                alive.add(start.worker());
                on(new Input.WorkerReady(APP, start.worker(), 1));
            });
            case Action.Spawn spawn -> spawn.instances().forEach(one -> {
                workers.put(one, spawn.worker());
                after(dice(2), () -> {
                    if (isThere(one)) {
                        on(new Input.Take(APP, one, 2));
                    }
                });
            });
            case Action.StopSandbox stop -> after(1, () -> on(new Input.SandboxEnded(APP, stop.sandbox(), "stopped")));
            case Action.StopWorker stop -> after(1, () -> on(new Input.WorkerExited(APP, stop.worker(), "stopped")));
            case Action.Dismiss dismiss -> after(1, () -> exited(dismiss.instance(), 0));
            case Action.Kill kill -> after(1, () -> exited(kill.instance(), 9));
            case Action.HandOver over -> after(dice(3), () -> (over.grain().equals("last") ? new WorldLook(world, this, over)
                    : new WorldFunction(world, this, over)).step());
            case Action.Journal record -> journal(record);
            case Action.Record record -> record(record);
            case Action.MarkEnded mark -> mark.mark().run();
            case Action.AnswerProcessCall answer -> answer.listener().on(answer.answer());
            case Action.AnswerOutput answer -> answer.listener().on(new ProcessCall.Answer.Outcome(answer.output(), null, null));
            case Action.AnswerCommand answer when answer.view() != null -> answer.listener().onDone(answer.view());
            case Action.AnswerCommand answer -> answer.listener().onFailed(answer.failure());
            case Action.AnswerDelivery answer -> answer.listener().accept(answer.failure());
            case Action.Respond respond -> respond.listener().onEnd(respond.result());
            case Action.Accepted accepted -> accepted.listener().onAccepted();
            case Action.Join join -> throw new IllegalStateException("no function is invoked with several messages: " + join);
            case Action.RestoreProcess restore -> {
                boolean fails = dice(10) == 0;
                after(dice(20), () -> on(fails ? new Input.ProcessRestored(restore, null, away()) : restored(restore)));
            }
            case Action.LoadValue load -> {
                boolean fails = !world.ending && dice(5) == 0;
                after(dice(30), () -> {
                    Payload value = fails ? null : world.store.value(load.process(), load.key());
                    world.loaded += value == null ? 0 : 1;
                    on(new Input.ValueLoaded(load, value, value == null ? away() : null));
                });
            }
            case Action.BringValue bring -> {
                boolean fails = !world.ending && dice(5) == 0;
                after(dice(30), () -> {
                    Payload value = fails ? null : world.values.brought(memory(), bring.named());
                    world.brought += value == null ? 0 : 1;
                    on(new Input.ValueBrought(bring, value, value != null ? null : fails ? away() : GONE));
                });
            }
            case Action.WriteImage write -> {
                world.store.claim(write);
                ProcessImage image = write.image().map(value -> WorldValues.read(memory(), value));
                stored(60, () -> world.store.write(write, image), failure -> on(new Input.ImageWritten(write, failure)));
            }
            case Action.MoveImage move -> stored(60, () -> world.store.move(move), failure -> on(new Input.ImageMoved(move, failure)));
            case Action.FindImage find -> after(dice(5), () -> on(new Input.ImageFound(find, world.store.image(find.process()) == null ? null
                    : view(find.process()), world.store.place(find.process()), null)));
            case Action.ListImages list -> after(1, () -> on(new Input.ImagesListed(list, List.of(), null)));
            case Action.DeleteImage delete -> delete(delete);
            case Action.AskJournal ask -> after(1, () -> on(new Input.FromElsewhere(() -> ask.then().accept(null))));
            case Action.FindElsewhere find -> askOthers(tell -> world.commands.describe(find.process(), (view, failure) ->
                    tell.accept(() -> find.then().accept(view, failure))));
            case Action.InvokeElsewhere invoke -> askOthers(tell -> world.callers.askOwner(invoke.request(), () -> tell.accept(invoke.accepted()),
                    result -> world.later(5, () -> tell.accept(() -> invoke.then().accept(result)))));
            case Action.FindResult find -> after(dice(5), () -> on(new Input.FromElsewhere(() ->
                    find.then().accept(world.records.result(find.execution()), null))));
            case Action.SendElsewhere send -> sendElsewhere(send);
            case Action.TellTaken tell -> tell.taken().accept(tell.hurry() == null ? null : hurries(tell.hurry()));
            case Action.Hurry hurry -> hurry.asked().run();
            default -> { }
        }
    }

    private Input restored(Action.RestoreProcess restore) {
        boolean isGone = restore.values() && restore.changes().stream().flatMap(change -> change.change().values().stream())
                .anyMatch(value -> world.values.brought(memory(), value) == null);
        return isGone ? new Input.ProcessRestored(restore, null, GONE) : new Input.ProcessRestored(restore,
                new Action.Restored(world.store.restored(restore.process()), world.store.place(restore.process()), !restore.values()
                        ? restore.changes() : restore.changes().stream().map(change -> change.map(value -> world.values.brought(memory(), value))).toList()),
                null);
    }

    /** Large values that are in it are gone with its life. */
    private String memory() {
        return name + "." + life;
    }

    /** As a function of its gives it, or another host. */
    Payload kept(String body) {
        return WorldValues.isLarge(body) ? WorldValues.in(memory(), body) : json(body);
    }

    /** @throws IllegalStateException it is not in its memory */
    String text(Payload payload) {
        return ProcessWorld.text(WorldValues.read(memory(), payload));
    }

    private static ProcessView view(String process) {
        return new ProcessView(APP.application(), process, "swapped", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private void sendElsewhere(Action.SendElsewhere send) {
        Outgoing message = send.message();
        Payload bytes = WorldValues.read(memory(), message.payload());
        Early early = send.early();
        askOthers(tell -> world.callers.deliver(early == null ? null : new Early(early.behind(), hurry -> tell.accept(() -> early.taken().accept(hurry))), new ProcessMessage(APP.application(), APP.version(), message.sender(), message.ordinal(),
                message.source(), message.destination(), message.key(), bytes, send.waitMs()), world.nowNs + 10_000 * MS,
                failure -> tell.accept(() -> send.then().accept(failure))));
    }

    /** Another host asks for it, a while later, or when this one has died. */
    private Runnable hurries(Runnable hurry) {
        int of = life;
        return () -> world.later(dice(5), () -> {
            if (of == life) {
                on(new Input.FromElsewhere(hurry));
            }
        });
    }

    /** It may be done when this host has died, which is told nothing then. */
    private void askOthers(Consumer<Consumer<Runnable>> what) {
        int of = life;
        world.later(dice(10), () -> what.accept(told -> world.later(dice(5), () -> {
            if (of == life) {
                on(new Input.FromElsewhere(told));
            }
        })));
    }

    /** Until it is done, as its adapter does. */
    private void delete(Action.DeleteImage delete) {
        int of = life;
        boolean fails = dice(6) == 0;
        world.later(dice(30), () -> {
            if (of != life && world.dice.nextBoolean()) {
                return;
            }
            if (!fails) {
                world.store.delete(delete);
            }
            if (of == life && fails) {
                delete(delete);
            } else if (of == life) {
                on(new Input.ImageDeleted(delete));
            }
        });
    }

    /** The worker of an instance is SIGKILLed, and with it all that runs in it. */
    void killWorkerOf(String instance) {
        if (isThere(instance)) {
            alive.remove(workers.get(instance));
            on(new Input.WorkerExited(APP, workers.get(instance), "killed"));
        }
    }

    /** A function of one that is not does nothing more, and nobody hears of its end. */
    boolean isThere(String instance) {
        return alive.contains(workers.get(instance));
    }

    void exited(String instance, int signal) {
        if (!isThere(instance)) {
            return;
        }
        on(new Input.InstanceClosed(APP, instance));
        on(new Input.InstanceExited(APP, instance, 0, signal, 1, 1, null));
    }

    private interface Write {
        /** @return false: a later owner has written */
        boolean run();
    }

    /** It may be there, and the host not hear of it. */
    private void stored(int ms, Write write, Consumer<Failure> told) {
        int of = life;
        boolean fails = dice(4) == 0;
        boolean silent = dice(8) == 0;
        world.later(dice(ms), () -> {
            if (of != life && world.dice.nextBoolean()) {
                return;
            }
            boolean written = fails && !silent || write.run();
            if (of == life) {
                told.accept(fails ? away() : written ? null : Failure.platform(Errors.MOVED, "it is another's", true));
            }
        });
    }

    /** One that ends before its request is there needs its input no more, if that end comes to count. */
    private void journal(Action.Journal record) {
        boolean isOfGrain = record.backup() instanceof Action.Backup.Accepted accepted && accepted.ofGrain();
        if (isOfGrain && record.await() == Action.Await.IF_WRITTEN && record.carried() == null) {
            unwritten.put(record.executionId(), false);
        } else if (record.backup() instanceof Action.Backup.Finished && record.carried() != null) {
            unwritten.replace(record.executionId(), true);
        }
        append(record);
    }

    private static Action.Journal withoutInput(Action.Journal record) {
        InvocationRequest request = ((Action.Backup.Accepted) record.backup()).request();
        return new Action.Journal(record.executionId(), record.application(), record.slot(), record.epoch(), record.sequence(),
                new Action.Backup.Accepted(request.withInput(request.input().notKept()), true), Action.Await.NO, record.process(), null);
    }

    /** Records of a process and of what runs in it keep their order, but for those that are refused, and given again. */
    private void append(Action.Journal given) {
        String order = given.process() == null ? given.executionId() : given.process();
        long ms = dice(15);
        long atNs = Math.max(world.busUntilNs.getOrDefault(order, 0L), world.nowNs + ms * MS);
        world.busUntilNs.put(order, atNs);
        boolean fails = dice(12) == 0;
        boolean silent = dice(2) == 0;
        int of = life;
        world.at(atNs, () -> {
            if (of != life || !Long.valueOf(given.epoch()).equals(epochs.get(given.slot()))) {
                return; // it was on its way when the host died, or is behind the claim of the next owner
            }
            boolean isLeftOut = given.await() == Action.Await.IF_WRITTEN && Boolean.TRUE.equals(unwritten.remove(given.executionId()));
            Action.Journal record = isLeftOut ? withoutInput(given) : given;
            boolean told = record.awaited() && (record.carried() != null || record.backup() instanceof Action.Backup.Accepted);
            if (!fails || silent && told && record.carried() == null) {
                world.journal.add(world.values.journaled(record));
                world.passed += passed(record);
            } else if (!told) {
                after(500, () -> again(record)); // by the adapter
            }
            if (fails ? told : record.await() != Action.Await.NO) {
                Failure failure = fails ? Failure.mayHaveRun(Errors.UNAVAILABLE, "the bus does not answer") : null;
                after(dice(3), () -> on(record.carried() != null ? new Input.ChangeJournaled(record.carried(), failure)
                        : new Input.Journaled(record.executionId(), record.sequence(), failure)));
            }
        });
        if (world.answersEarly && given.carried() != null) {
            on(new Input.ChangeJournaled(given.carried(), null));
        }
    }

    /** Behind its execution's end it is needed no more, if it is no process's too. */
    private static int passed(Action.Journal record) {
        return record.carried() != null && record.carried().change().change() instanceof Change.Done done ? done.passed().size() : 0;
    }

    private void again(Action.Journal record) {
        boolean isNeedless = record.carried() == null && world.journal.stream().anyMatch(each -> each.epoch() == record.epoch()
                && each.executionId().equals(record.executionId()) && each.backup() instanceof Action.Backup.Ended);
        if (!isNeedless) {
            journal(record);
        }
    }

    /** It may be stored, and the host not hear of it. */
    private void record(Action.Record record) {
        int of = life;
        world.later(dice(5), () -> {
            if (of == life || world.dice.nextBoolean()) {
                world.records.write(record);
            }
            if (of == life && record.awaited()) {
                on(new Input.Recorded(record.record().executionId(), null));
            }
        });
    }
}
