package dev.sand.hostagent.rehearsal;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.SharedData;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.SandboxSpec;
import dev.sand.globalbus.EmbeddedMembership;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.ApplicationSecrets;
import dev.sand.hostagent.HostAgent;
import dev.sand.hostagent.HostAgentConfiguration;
import dev.sand.hostagent.HostAgentParts;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.journal.BusJournal;
import dev.sand.hostagent.journal.StoredRecords;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.hostagent.sandbox.SandboxException;
import dev.sand.hostagent.sandbox.Sandboxes;
import dev.sand.hostagent.segments.MemfdSegments;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays requests to a host agent of its own, with bus and store in memory and {@link Players} for sandboxes, before the real one
 * takes any: what Java loads, links and translates at first use is then not done in the middle of somebody's input, where the
 * limit is 0.5 ms. Nothing is left of it.
 */
public final class Rehearsal {
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
    /** One with something to escape: an application's first sandbox is not the first for which masks are made. */
    private static final ApplicationSecrets SECRETS = ApplicationSecrets.of(Map.of("REHEARSED", "nobody's \"secret\""));
    private static final String APPLICATION = "rehearsal";
    private static final long PATIENCE_MS = 5_000;
    private static final Duration DRAIN = Duration.ofSeconds(1);
    /** Rounds of one request each, while the time lasts; on a busy machine the first one has to do. */
    private static final int ROUNDS = 50;
    private static final long ENOUGH_NS = Duration.ofMillis(700).toNanos();
    /** In so many rounds there is one Map over so many items of each kind of isolation, the first one to begin with. */
    private static final int WIDE_EVERY = 10;
    /** Enough for what a wide Map runs through; of more, a busy machine would have its start to wait for. */
    private static final int ITEMS = 200;
    private static final String EVENT = "{\"name\":\"Ada\",\"n\":1}";
    private static final String WORKFLOW = """
            {"StartAt": "A", "States": {
              "A": {"Type": "Task", "Resource": "grain", "ResultPath": "$.a", "Next": "B"},
              "B": {"Type": "Choice", "Default": "C", "Choices": [{"Variable": "$.n", "NumericGreaterThan": 5, "Next": "C"}]},
              "C": {"Type": "Parallel", "ResultPath": "$.c", "End": true, "Branches": [
                {"StartAt": "D", "States": {"D": {"Type": "Task", "Resource": "grain", "End": true}}},
                {"StartAt": "E", "States": {"E": {"Type": "Wait", "Seconds": 0, "End": true}}}]}}}""";
    private static final String WIDE = """
            {"StartAt": "F", "States": {
              "F": {"Type": "Map", "ItemSelector": {"i.$": "$$.Map.Item.Index"}, "End": true, "ItemProcessor": {
                "StartAt": "G", "States": {"G": {"Type": "Task", "Resource": "%s", "End": true}}}}}}""";

    private final Path folder;
    private int answers;

    private Rehearsal(Path folder) {
        this.folder = folder;
    }

    /**
     * Blocks for a second at most on a machine that is not busy. One that goes wrong costs time later and is no reason not to start.
     *
     * @param folder for its sockets; made, and gone afterwards
     * @return how many requests were answered as they should be
     */
    public static int play(Path folder) {
        Rehearsal rehearsal = new Rehearsal(folder);
        try {
            rehearsal.play();
        } catch (SandboxException | RuntimeException e) {
            LOG.warn("the rehearsal went wrong, the first requests will take longer: {}", e.toString());
        }
        return rehearsal.answers;
    }

    private void play() throws SandboxException {
        MemoryStore store = new MemoryStore();
        MemoryBus bus = new MemoryBus();
        HostAgentConfiguration configuration = HostAgentConfiguration.defaults(APPLICATION).withShards(1)
                .withStallLimit(Duration.ofMillis(PATIENCE_MS)).withDrainTimeout(DRAIN);
        EmbeddedMembership membership = new EmbeddedMembership(bus, configuration.core().slots());
        try (InvocationStore invocations = new InvocationStore(store, InvocationStore.Options.DEFAULT);
             MemfdSegments segments = new MemfdSegments(MemfdSegments.Options.DEFAULT);
             ObjectCopies copies = new ObjectCopies(new GlobalObjects(store), segments);
             BusJournal journal = new BusJournal(bus, copies, APPLICATION, BusJournal.Options.DEFAULT);
             HostAgent agent = HostAgent.start(configuration, new HostAgentParts(source(),
                     sockets -> new Sandboxes(new Players(sockets, folder), null), journal, new StoredRecords(invocations), segments,
                     new SharedData(store, segments, SharedData.Options.DEFAULT), new NoLogs(), application -> SECRETS,
                     new HostAgentParts.Cluster(bus, membership, copies, new ProcessImages(store, System::currentTimeMillis))),
                     broken -> LOG.warn("the rehearsal's host agent broke", broken))) {
            String items = IntStream.range(0, ITEMS).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
            long startNs = System.nanoTime();
            for (int round = 0; round == 0 || round < ROUNDS && System.nanoTime() - startNs < ENOUGH_NS; round++) {
                ask(agent, "grain", EVENT, round % 2 == 0);
                ask(agent, "workflow", EVENT, round % 2 == 0);
                if (round % WIDE_EVERY == 0) {
                    ask(agent, "wide", items, false);
                    ask(agent, "shared", items, false);
                    agent.figures().orTimeout(PATIENCE_MS, TimeUnit.MILLISECONDS).join();
                }
            }
        }
    }

    private void ask(HostAgent agent, String target, String input, boolean durable) {
        CompletableFuture<InvocationResult> result = new CompletableFuture<>();
        agent.invoke(new InvocationRequest(Ids.next(System.currentTimeMillis(), ThreadLocalRandom.current()), APPLICATION, 1, target,
                Payload.json(input.getBytes(StandardCharsets.UTF_8)), PATIENCE_MS, durable, null), new InvocationListener() {
                    @Override
                    public void onAccepted() {}

                    @Override
                    public void onEnd(InvocationResult end) {
                        result.complete(end);
                    }
                });
        InvocationResult end = result.orTimeout(PATIENCE_MS, TimeUnit.MILLISECONDS).join();
        if (end.failure() != null) {
            throw new CompletionException(target + ": " + end.failure().cause(), null);
        }
        answers++;
    }

    private static WorkflowSpec workflow(String name, String definition) {
        return new WorkflowSpec(name, definition, PATIENCE_MS);
    }

    private static GrainSpec servesMany() {
        GrainSpec one = GrainSpec.withDefaults("many");
        return new GrainSpec(one.name(), one.entry(), GrainSpec.Isolation.WORKER, one.preload(), one.timeoutMs(), one.concurrency(),
                one.memoryBytes(), one.queueDepth(), one.queueBytes(), one.minIdle(), one.maxIdle(), one.maxRequests(),
                one.environment(), one.secrets());
    }

    private static ApplicationSource source() {
        ApplicationVersion version = new ApplicationVersion(Limits.SCHEMA_VERSION, APPLICATION, 1, "bundle", null, SandboxSpec.DEFAULT,
                Map.of("grain", GrainSpec.withDefaults("grain"), "many", servesMany()),
                Stream.of(workflow("workflow", WORKFLOW), workflow("wide", WIDE.formatted("grain")),
                        workflow("shared", WIDE.formatted("many"))).collect(Collectors.toMap(WorkflowSpec::name, each -> each)),
                List.of(), Map.of(), Durability.RELAXED, 0);
        return new ApplicationSource() {
            @Override
            public Optional<ApplicationVersion> load(AppKey app) {
                return Optional.of(version);
            }

            @Override
            public int forget(String application) {
                return 0;
            }
        };
    }

    /** Nobody writes. */
    private static final class NoLogs implements LogStore {
        @Override
        public void append(List<Line> lines) {}

        @Override
        public Page after(String application, Which which, long afterSequence, int limit) {
            return new Page(List.of(), 0, false);
        }

        @Override
        public Page before(String application, Which which, long beforeSequence, int limit) {
            return new Page(List.of(), 0, false);
        }

        @Override
        public void deleteApplication(String application) {}

        @Override
        public void deleteProcess(String application, String process) {}

        @Override
        public void close() {}
    }
}
