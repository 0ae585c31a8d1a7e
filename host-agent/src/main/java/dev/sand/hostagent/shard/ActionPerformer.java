package dev.sand.hostagent.shard;

import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.Use;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.Tracing;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.ActionSink;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.workflow.Execution;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs a shard's actions. Hand-overs and answers are written at once, in the middle of the core's step; everything else
 * waits until the step is over, and goes to adapters on other threads. Shard thread only.
 */
final class ActionPerformer implements ActionSink {
    private static final Logger LOG = LoggerFactory.getLogger(ActionPerformer.class);
    /** Figures that come late make a second record, for which the objects must still be there. */
    private static final Duration RELEASE_DELAY = Duration.ofSeconds(3);

    static final Failure AWAY = Failure.platform(Errors.UNAVAILABLE, "the global bus is away; come back later", true);

    private final Shard shard;
    private final ShardAdapters adapters;
    private final Journaling journaling;
    private final StopAnswers stops;
    private final Tracing tracing;
    private final ArrayDeque<Action> deferred = new ArrayDeque<>();
    private final AtomicLong dropped = new AtomicLong();

    ActionPerformer(Shard shard, ShardAdapters adapters) {
        this.shard = shard;
        this.adapters = adapters;
        this.journaling = new Journaling(shard, adapters);
        this.stops = new StopAnswers(adapters.slots()::standing, adapters.withheld(), shard::after);
        this.tracing = adapters.tracing();
    }

    /** Inputs that counted no more; any thread. */
    long dropped() {
        return dropped.get();
    }

    @Override
    public void accept(Action action) {
        switch (action) {
            case Action.HandOver handOver -> handOver(handOver);
            case Action.Dismiss dismiss -> {
                if (shard.sandboxOf(dismiss.app()) instanceof SandboxCalls calls) {
                    calls.dismiss(dismiss.instance());
                }
            }
            // Before its end, which may be in the same step.
            case Action.Accepted accepted -> {
                if (adapters.slots().holds(accepted.slot(), accepted.epoch())) {
                    accepted.listener().onAccepted();
                } else {
                    adapters.withheld().count(Withheld.Effect.ANSWER);
                }
            }
            case Action.Respond respond -> respond(respond);
            default -> deferred.add(action);
        }
    }

    @Override
    public void attemptEnded(AppKey app, Hop hop, String trace) {
        if (tracing.isOn()) {
            tracing.attemptEnded(app.application(), app.version(), hop, trace);
        }
    }

    /** Time is what its instance tells; of one that was ended for its deadline all that it had. Of what was lost it is not known. */
    @Override
    public void used(AppKey app, Hop hop, long memoryBytes) {
        boolean told = hop.startedNs() != 0;
        long ns = told ? hop.endedNs() - hop.startedNs() : Errors.TIMEOUT.equals(hop.error()) ? hop.returnedNs() - hop.handedNs() : 0;
        long us = Math.clamp(ns, 0, hop.returnedNs() - hop.handedNs()) / 1_000;
        adapters.usage().add(app.application(), Kind.GRAINS, new Use(1, hop.error() == null ? 0 : 1, us, us * (memoryBytes >> 20), 0, 0));
    }

    /** The step is over. */
    void performDeferred() {
        for (Action action = deferred.poll(); action != null; action = deferred.poll()) {
            perform(action);
        }
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Spawn spawn -> {
                if (shard.sandboxOf(spawn.app()) instanceof SandboxCalls calls) {
                    calls.spawn(spawn.worker(), spawn.instances());
                }
            }
            case Action.Journal journal -> journaling.journal(journal);
            case Action.Record record -> record(record);
            case Action.Evaluate evaluate -> adapters.expressions().evaluate(evaluate.execution(), evaluate.signal(),
                    (commands, failure) -> shard.submit(new Input.Evaluated(evaluate.executionId(), commands, failure)));
            case Action.CallObjects call -> adapters.objects().perform(call, shard);
            case Action.AnswerCallback answer when answer.outcome() != null -> answer.listener().onDone(answer.outcome());
            case Action.AnswerCallback answer -> answer.listener().onFailed(answer.failure());
            case Action.AnswerCancel answer -> stops.answer(answer);
            case Action.AnswerProcessCall answer -> answer.listener().on(answer.answer());
            case Action.AnswerOutput answer -> adapters.questions().output(shard, answer);
            case Action.AnswerCommand answer when answer.view() != null -> answer.listener().onDone(answer.view());
            case Action.AnswerCommand answer -> answer.listener().onFailed(answer.failure());
            case Action.AnswerLook look -> adapters.processes().store().look(look);
            case Action.RestoreProcess restore -> adapters.processes().restore(shard, restore);
            case Action.LoadValue load -> adapters.processes().store().load(shard, load);
            case Action.BringValue bring -> adapters.processes().bring(shard, bring);
            case Action.WriteImage write -> adapters.processes().store().write(shard, write);
            case Action.MoveImage move -> adapters.processes().store().move(shard, move);
            case Action.DeleteImage delete -> adapters.processes().store().delete(shard, delete);
            case Action.FindImage find -> adapters.processes().store().find(shard, find);
            case Action.ListImages list -> adapters.processes().store().list(shard, list);
            case Action.FindElsewhere find -> adapters.peers().find(shard, find);
            case Action.SendElsewhere send -> adapters.peers().send(shard, send);
            case Action.InvokeElsewhere invoke -> adapters.peers().invoke(shard, invoke);
            case Action.ListElsewhere list -> adapters.peers().list(shard, list);
            case Action.FindResult find -> adapters.questions().find(shard, find);
            case Action.AskJournal ask -> {
                String why = adapters.journal().away();
                shard.submit(new Input.FromElsewhere(() -> ask.then().accept(why)));
            }
            case Action.MarkEnded ended -> ended.mark().run();
            case Action.TellTaken tell -> tell.taken().accept(tell.hurry() == null ? null
                    : () -> shard.submit(new Input.FromElsewhere(tell.hurry())));
            case Action.Hurry hurry -> hurry.asked().run();
            case Action.AnswerDelivery answer -> answer.listener().accept(answer.failure());
            case Action.Join join -> adapters.processes().join(shard, join);
            case Action.Free free -> adapters.processes().free(free.application(), free.values());
            case Action.Ask ask -> adapters.questions().ask(shard, ask);
            case Action.Notify notify when notify.hop() == null -> notify.listener().onEnd();
            case Action.Notify notify -> notify.listener().onHop(notify.hop());
            case Action.LoadApplication load -> load(load);
            case Action.StartSandbox start -> shard.startSandbox(start);
            case Action.StopSandbox stop -> shard.stopSandbox(stop.sandbox());
            case Action.TellShards tell -> adapters.shards().accept(tell.input());
            case Action.StartWorker start -> {
                if (shard.sandbox(start.sandbox()) instanceof SandboxCalls calls) {
                    calls.startWorker(start.worker(), start.grain());
                }
            }
            case Action.StopWorker stop -> {
                if (shard.sandbox(stop.sandbox()) instanceof SandboxCalls calls) {
                    calls.stopWorker(stop.worker());
                }
            }
            case Action.Kill kill -> kill(kill);
            case Action.Drained ignored -> shard.onDrained();
            case Action.SendAway away -> sendAway(away);
            case Action.SendBack back -> {
                if (adapters.slots().mayGoOn()) {
                    adapters.remote().sendBack(back.result());
                } else {
                    adapters.withheld().count(Withheld.Effect.RESULT);
                }
            }
            case Action.Dropped drop -> {
                dropped.incrementAndGet();
                LOG.debug("dropped, {}: {}", drop.reason(), drop.input());
            }
            case Action.HandOver handOver -> handOver(handOver);
            case Action.Dismiss dismiss -> accept(dismiss);
            case Action.Accepted accepted -> accept(accepted);
            case Action.Respond respond -> respond(respond);
        }
    }

    private void handOver(Action.HandOver handOver) {
        Payload payload = handOver.payload();
        if (LargePayloads.isElsewhere(payload)) {
            adapters.payloads().bringHere(handOver.app().application(), handOver.executionId(), payload, (reference, failure) ->
                    shard.execute(() -> {
                        if (failure == null) {
                            write(handOver, reference);
                        } else {
                            LOG.atWarn().addKeyValue(LogFields.APPLICATION, handOver.app().application())
                                    .addKeyValue(LogFields.EXECUTION_ID, handOver.executionId())
                                    .addKeyValue(LogFields.EVENT_ID, handOver.eventId())
                                    .log("event {} cannot be handed over: {}", handOver.eventId(), failure.cause());
                            handOverFailed(handOver);
                        }
                    }));
        } else {
            write(handOver, payload);
        }
    }

    private void write(Action.HandOver handOver, Payload payload) {
        SandboxCalls calls = shard.sandboxOf(handOver.app());
        String trace = tracing.isOn() ? tracing.ofRun(handOver.traceparent(), handOver.eventId(), handOver.attempt())
                : handOver.traceparent();
        if (calls == null || !calls.handOver(handOver.instance(), Messages.event(handOver, payload, trace))) {
            handOverFailed(handOver);
        }
    }

    private void handOverFailed(Action.HandOver handOver) {
        shard.on(new Input.HandOverFailed(handOver.app(), handOver.instance(), handOver.eventId(), handOver.attempt()));
    }

    private void respond(Action.Respond respond) {
        InvocationResult result = respond.result();
        if (respond.slot() >= 0 && !adapters.slots().holds(respond.slot(), respond.epoch())) {
            adapters.withheld().count(Withheld.Effect.ANSWER);
            result = moved(result.executionId());
        }
        if (LargePayloads.isReference(result.output()) && respond.listener() instanceof Caller caller) {
            adapters.payloads().respond(caller, result);
        } else {
            respond.listener().onEnd(result);
        }
    }

    /** Its slot is another host's, or may be: the answer is that host's, and whoever asked is to ask there. */
    private static InvocationResult moved(String executionId) {
        return new InvocationResult(executionId, InvocationResult.Status.FAILED, null, Failure.platform(Errors.MOVED, "execution "
                + executionId + " is another host's now; ask for it again under the same id", true), List.of());
    }

    private void record(Action.Record action) {
        InvocationRecord record = action.record();
        if (!adapters.slots().holds(action.slot(), action.epoch())) {
            adapters.withheld().count(Withheld.Effect.RECORD);
            if (action.awaited()) {
                shard.submit(new Input.Recorded(record.executionId(), moved(record.executionId()).failure()));
            }
            return;
        }
        boolean references = LargePayloads.isReference(record.input()) || LargePayloads.isReference(record.output())
                || action.history() != null && hasReference(action.history());
        if (references) {
            adapters.payloads().inline(record, inlined -> adapters.payloads().kept().keepValues(inlined, action.history(), action.awaited(),
                    () -> store(inlined, action)));
        } else {
            adapters.payloads().kept().behindValues(record, () -> store(record, action));
        }
        if (record.status() == InvocationResult.Status.RUNNING) {
            return;
        }
        Runnable release = () -> adapters.payloads().release(record.application(), record.executionId());
        if (action.history() == null && !LargePayloads.isReference(record.output())) {
            adapters.payloads().releaseAtOnce(record.application(), record.executionId()); // its input, if at all: it was read
        } else if (references) {
            shard.after(RELEASE_DELAY, () -> {
                if (!shard.runs(record.executionId())) { // redriven: they go at its end
                    release.run();
                }
            });
        } else {
            release.run();
        }
    }

    private static boolean hasReference(List<Execution.Signal> signals) {
        for (int i = 0; i < signals.size(); i++) {
            if (hasReference(signals.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasReference(Execution.Signal signal) {
        return signal instanceof Execution.Signal.TaskSucceeded done && (LargePayloads.isReference(done.output())
                || !done.published().isEmpty()
                && done.published().stream().anyMatch(published -> LargePayloads.isReference(published.payload())))
                || signal instanceof Execution.Signal.Started started && LargePayloads.isReference(started.input());
    }

    private void store(InvocationRecord record, Action.Record action) {
        adapters.records().record(record, action.epoch(),
                action.awaited() ? new Stored(shard, record.executionId()) : null,
                action.history() == null ? null : () -> action.packing().encode(action.history(),
                        payload -> adapters.payloads().orSize(record.application(), payload)));
    }

    /** Records are stored many at once: the shard is woken once for all of them. */
    private record Stored(Shard shard, String executionId) implements RecordAdapter.StoredListener {
        @Override
        public void onStored(Failure failure) {
            shard.note(new Input.Recorded(executionId, failure));
        }

        @Override
        public void onAllTold() {
            shard.submitNoted();
        }
    }

    private void sendAway(Action.SendAway away) {
        RemoteEvent event = away.event();
        boolean held = adapters.slots().holds(event.slot(), event.epoch());
        if (held && adapters.slots().mayAct() && adapters.journal().away() == null) {
            adapters.remote().sendAway(away.host(), event);
            return;
        }
        if (!held) {
            adapters.withheld().count(Withheld.Effect.EVENT);
        }
        shard.submit(new Input.SentAway(event.executionId(), event.eventId(), event.attempt(),
                adapters.slots().mayGoOn() ? AWAY : moved(event.executionId()).failure()));
    }

    private void load(Action.LoadApplication load) {
        boolean taken = adapters.work().tryRun(() -> {
            Input.ApplicationLoaded loaded;
            try {
                loaded = adapters.applications().load(load.app())
                        .map(version -> new Input.ApplicationLoaded(load.app(), version, null))
                        .orElseGet(() -> new Input.ApplicationLoaded(load.app(), null, Failure.caller(Errors.NOT_FOUND,
                                "there is no version " + load.app().version() + " of application " + load.app().application())));
            } catch (RuntimeException e) {
                loaded = new Input.ApplicationLoaded(load.app(), null, Failure.platform(Errors.UNAVAILABLE,
                        "the registry cannot be read: " + e.getMessage(), true));
            }
            shard.submit(loaded);
        });
        if (!taken) {
            shard.on(new Input.ApplicationLoaded(load.app(), null,
                    Failure.platform(Errors.OVERLOADED, "the host agent has too much to do", true)));
        }
    }

    private void kill(Action.Kill kill) {
        SandboxCalls calls = shard.sandbox(kill.sandbox());
        if (calls != null) {
            calls.kill(kill.pid());
        } else {
            adapters.sandboxes().forceKill(kill.sandbox());
        }
    }
}
