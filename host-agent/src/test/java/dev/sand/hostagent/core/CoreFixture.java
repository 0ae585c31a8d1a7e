package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Slots;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StoredImages;
import dev.sand.hostagent.shard.HostAllowances;
import dev.sand.workflow.Execution.Published;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A core with one application, driven by hand: inputs in, the actions of each kept for the test to look at. */
final class CoreFixture {
    static final AppKey APP = new AppKey("shop", 1);
    static final long MS = 1_000_000;
    static final long EPOCH = 7;

    /** An instance's attempt as the test sees it, from its HandOver. */
    record Running(AppKey app, String instance, String eventId, int attempt) {}

    private final Map<String, GrainSpec> grains = new LinkedHashMap<>();
    private final Map<String, WorkflowSpec> workflows = new LinkedHashMap<>();
    private ExecutionFactory factory = (version, target, id, startedMs) -> {
        throw new IllegalArgumentException("no workflow " + target);
    };
    private CoreConfiguration configuration = CoreConfiguration.DEFAULT;
    private Durability durability = Durability.RELAXED;
    private ProcessSpec processes;
    private HostCore core;
    private int pids = 1000;
    private boolean ownsSlots = true;
    private final Map<String, Placement> placements = new LinkedHashMap<>();
    long nowNs = 1000 * MS;
    /** Of the last input. */
    List<Action> actions = List.of();
    boolean takesChanges = true;
    boolean writesImages = true;
    boolean loadsValues = true;
    boolean restores = true;
    boolean movesImages = true;
    final Allowances allowances = new HostAllowances();
    /** Of those that were moved by hand. */
    Map<String, ProcessPlace> places = new HashMap<>();
    /** The global data layer's, by process. */
    Map<String, ProcessImage> images = new HashMap<>();
    /** Of records in the global data layer, by execution. */
    final Map<String, InvocationResult> results = new HashMap<>();
    /** Why the journal takes nothing, as it tells itself. */
    String journalAway;
    /** Why they cannot be listed, or null. */
    Failure imagesAway;
    final List<Action> all = new ArrayList<>();
    /** Of each attempt that counts among grains' use, the memory that it is counted with. */
    final List<Long> paid = new ArrayList<>();

    static GrainSpec grain(String name, int concurrency, int queueDepth, Isolation isolation) {
        return new GrainSpec(name, "handler:handle", isolation, GrainSpec.Preload.AUTO, 30_000, concurrency, 0, queueDepth,
                1 << 20, 1, 4, 0, Map.of(), List.of());
    }

    CoreFixture with(GrainSpec spec) {
        grains.put(spec.name(), spec);
        return this;
    }

    CoreFixture withWorkflow(String name, ExecutionFactory factory) {
        return withWorkflow(name, "{}", factory);
    }

    CoreFixture withWorkflow(String name, String definition, ExecutionFactory factory) {
        workflows.put(name, new WorkflowSpec(name, definition, 60_000));
        this.factory = factory;
        return this;
    }

    CoreFixture with(CoreConfiguration configuration) {
        this.configuration = configuration;
        return this;
    }

    CoreFixture placed(String grain, Placement placement) {
        placements.put(grain, placement);
        return this;
    }

    /** All hosts know of messages that have no record of their own. */
    CoreFixture allKnowPassed() {
        hosts(new HostCard("here", "1", null, Set.of(), 0, false, 0, Change.Passed.SCHEMA));
        return this;
    }

    /** All hosts as they are now; ours is "here". */
    List<Action> hosts(HostCard... cards) {
        return on(new Input.HostsChanged(List.of(cards)));
    }

    static HostCard card(String host, double busy, String... labels) {
        return new HostCard(host, "1", null, Set.of(labels), busy, false, 0);
    }

    int slotOf(String executionId) {
        return Slots.of(executionId, configuration.slots());
    }

    CoreFixture with(ProcessSpec spec) {
        processes = spec;
        return this;
    }

    CoreFixture strict() {
        durability = Durability.STRICT;
        return this;
    }

    HostCore core() {
        if (core == null) {
            core = new HostCore(configuration, factory, "here", "t", 0, allowances);
            ownSlots();
        }
        return core;
    }

    private void ownSlots() {
        for (int slot = 0; ownsSlots && slot < configuration.slots(); slot++) {
            core.on(new Input.SlotAcquired(slot, EPOCH), nowNs);
            core.on(new Input.SlotReady(slot, EPOCH), nowNs);
        }
    }

    /** For tests of slots: none is ours at the start. */
    CoreFixture withoutSlots() {
        ownsSlots = false;
        return this;
    }

    ApplicationVersion version() {
        return new ApplicationVersion(Limits.SCHEMA_VERSION, APP.application(), APP.version(), "bundle", null,
                new SandboxSpec(1L << 30, 0, pids, false, List.of(), 600_000), grains, workflows, List.of(), placements, durability, 0,
                Map.of(), Map.of(), processes);
    }

    private static ProcessView view(String application, String process) {
        return new ProcessView(application, process, "swapped", "here", 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** A bus that takes the changes of processes at once, and a store that does, unless told otherwise. */
    List<Action> on(Input input) {
        List<Action> seen = new ArrayList<>(perform(input));
        for (int i = 0; i < seen.size(); i++) {
            Input answer = switch (seen.get(i)) {
                case Action.Journal journal when takesChanges && journal.carried() != null -> new Input.ChangeJournaled(journal.carried(), null);
                case Action.RestoreProcess restore when restores -> restored(restore);
                case Action.LoadValue load when loadsValues -> new Input.ValueLoaded(load, StoredImages.value(images, load.process(), load.key()), null);
                case Action.MoveImage move when movesImages -> {
                    places.merge(move.process(), move.to(), (is, to) -> is.moves() >= to.moves() ? is : to);
                    images.computeIfPresent(move.process(), (id, image) -> new ProcessImage(move.number(), image.about(), image.state(),
                            image.cold(), image.messages(), image.taken()));
                    yield new Input.ImageMoved(move, null);
                }
                case Action.WriteImage write when writesImages -> {
                    StoredImages.put(images, write.process(), write.image());
                    yield new Input.ImageWritten(write, null);
                }
                case Action.FindResult find -> new Input.FromElsewhere(() -> find.then().accept(results.get(find.execution()), null));
                case Action.AskJournal ask -> new Input.FromElsewhere(() -> ask.then().accept(journalAway));
                case Action.DeleteImage delete -> {
                    images.remove(delete.process());
                    yield new Input.ImageDeleted(delete);
                }
                case Action.FindImage find -> new Input.ImageFound(find, images.containsKey(find.process())
                        ? view(find.application(), find.process()) : null, places.get(find.process()), null);
                case Action.ListImages list when imagesAway != null -> new Input.ImagesListed(list, null, imagesAway);
                case Action.ListImages list -> new Input.ImagesListed(list, images.keySet().stream()
                        .map(process -> view(list.application(), process)).toList(), null);
                default -> null;
            };
            if (answer != null) {
                seen.addAll(perform(answer));
            }
        }
        actions = seen;
        all.addAll(actions);
        return actions;
    }

    private List<Action> perform(Input input) {
        List<Action> seen = new ArrayList<>();
        core().on(input, nowNs, new ActionSink() {
            @Override
            public void accept(Action action) {
                seen.add(action);
            }

            @Override
            public void used(AppKey app, Hop hop, long memoryBytes) {
                paid.add(memoryBytes);
            }
        });
        return seen;
    }

    /** Answer to what was asked for while it {@link #restores} nothing. */
    Input restored(Action.RestoreProcess restore) {
        return new Input.ProcessRestored(restore, new Action.Restored(StoredImages.restored(images, restore.process()),
                places.get(restore.process()), restore.changes()), null);
    }

    List<Action> after(long ms) {
        long until = nowNs + ms * MS;
        List<Action> collected = new ArrayList<>();
        while (core().nextDeadlineNs() <= until) {
            nowNs = Math.max(nowNs, core().nextDeadlineNs());
            collected.addAll(on(new Input.Tick()));
        }
        nowNs = until;
        actions = collected;
        return collected;
    }

    /** Loads the application, starts its sandbox and all workers, and lets every spawned instance wait. */
    CoreFixture warm() {
        invoke("warm-up", grains.keySet().iterator().next(), false);
        on(new Input.ApplicationLoaded(APP, version(), null));
        on(new Input.SandboxStarted(APP, only(Action.StartSandbox.class).sandbox(), false));
        settle();
        after(200);
        settle();
        finish(running("warm-up"), "0");
        exited(running("warm-up"), 0, 0);
        settle();
        all.clear();
        return this;
    }

    /** Answers StartWorker and Spawn of the last input, and of what follows from that. */
    void settle() {
        List<Action> open = new ArrayList<>(all);
        all.clear();
        List<Action> seen = new ArrayList<>();
        while (!open.isEmpty()) {
            Action action = open.removeFirst();
            seen.add(action);
            switch (action) {
                case Action.StartWorker start -> open.addAll(on(new Input.WorkerReady(start.app(), start.worker(), 10)));
                case Action.Spawn spawn -> spawn.instances().forEach(i -> open.addAll(on(new Input.Take(spawn.app(), i, 20))));
                default -> { }
            }
        }
        all.clear();
        settled.addAll(seen);
    }

    final List<Action> settled = new ArrayList<>();

    List<Action> invoke(String id, String target, boolean durable) {
        return invoke(new InvocationRequest(id, APP.application(), APP.version(), target, json("1"), 10_000, durable, null));
    }

    List<Action> invoke(InvocationRequest request) {
        return on(new Input.Invoke(request, new InvocationListener() {
            @Override
            public void onAccepted() { }

            @Override
            public void onEnd(InvocationResult result) { }
        }));
    }

    List<Action> finish(Running running, String output, Published... published) {
        return on(new Input.Finish(running.app(), running.instance(), running.eventId(), running.attempt(), json(output),
                List.of(published), nowNs, nowNs));
    }

    List<Action> fail(Running running, String error) {
        return on(new Input.Fail(running.app(), running.instance(), running.eventId(), running.attempt(),
                Failure.grain(error, "because", null), nowNs, nowNs));
    }

    List<Action> exited(Running running, int code, int signal) {
        return on(new Input.InstanceExited(running.app(), running.instance(), code, signal, 5, 6, null));
    }

    /** The last attempt handed over of that execution. */
    Running running(String executionId) {
        Running last = null;
        List<Action> history = new ArrayList<>(settled);
        history.addAll(all);
        for (Action action : history) {
            if (action instanceof Action.HandOver over && over.executionId().equals(executionId)) {
                last = new Running(over.app(), over.instance(), over.eventId(), over.attempt());
            }
        }
        return last;
    }

    <T extends Action> List<T> of(Class<T> kind) {
        return actions.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <T extends Action> T only(Class<T> kind) {
        List<T> found = of(kind);
        if (found.size() != 1) {
            throw new AssertionError("one " + kind.getSimpleName() + " expected in " + actions);
        }
        return found.getFirst();
    }

    InvocationResult answer() {
        return only(Action.Respond.class).result();
    }

    static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }
}
