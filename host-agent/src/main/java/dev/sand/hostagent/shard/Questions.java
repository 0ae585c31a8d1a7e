package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.BusException;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.core.Question;
import dev.sand.hostagent.core.Question.Answer;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.triggers.GrainQueues;
import dev.sand.workflow.QueueResults;
import dev.sand.workflow.data.StatesError;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what steps ask of the platform, off the shards. */
final class Questions {
    private static final Logger LOG = LoggerFactory.getLogger(Questions.class);
    /** A record that is on its way is waited for so long. */
    private static final long RECORD_MS = 30_000;
    private static final long LOOK_AGAIN_MS = 20;
    private static final String SENDING = "SQS.AmazonSQSException";
    private final RecordAdapter records;
    private final GrainQueues queues;
    private final LargePayloads payloads;
    private final Work work;
    private final WritesUnderWay writes;

    Questions(RecordAdapter records, GrainQueues queues, LargePayloads payloads, Work work, WritesUnderWay writes) {
        this.records = records;
        this.queues = queues;
        this.payloads = payloads;
        this.work = work;
        this.writes = writes;
    }

    void ask(Shard shard, Action.Ask ask) {
        boolean taken = switch (ask.question()) {
            case Question.Send send -> writing(send.application(), shard, ask);
            case Question.ClaimName claim -> writing(claim.application(), shard, ask);
            case Question.LookUp _, Question.Before _ -> work.tryRun(() -> tell(shard, ask));
        };
        if (!taken) {
            shard.submit(new Input.Answered(ask.executionId(), ask.step(),
                    new Answer.Failed(Errors.OVERLOADED, "the host agent has too much to do", true)));
        }
    }

    private boolean writing(String application, Shard shard, Action.Ask ask) {
        return writes.tryRun(work, application, () -> {
            tell(shard, ask);
            return null;
        });
    }

    private void tell(Shard shard, Action.Ask ask) {
        shard.submit(new Input.Answered(ask.executionId(), ask.step(), answer(ask)));
    }

    /** For a function that invoked it, perhaps before this host began anew. */
    void find(Shard shard, Action.FindResult find) {
        BiConsumer<InvocationResult, Failure> told = (result, failure) ->
                shard.submit(new Input.FromElsewhere(() -> find.then().accept(result, failure)));
        if (!work.tryRun(() -> find(find, told))) {
            told.accept(null, Failure.platform(Errors.OVERLOADED, "the host agent has too much to do", true));
        }
    }

    /** Blocks. @param told in any case, perhaps on another thread: a function waits */
    void find(Action.FindResult find, BiConsumer<InvocationResult, Failure> told) {
        Answer.Found found;
        try {
            found = records.find(find.application(), find.execution());
        } catch (RuntimeException e) {
            told.accept(null, Failure.platform(Errors.UNAVAILABLE, "the record of execution " + find.execution() + " cannot be read: "
                    + e.getMessage(), true));
            return;
        }
        if (found.status() == null || found.status() == InvocationResult.Status.RUNNING) {
            told.accept(null, null);
        } else if (found.output() == null && found.status() == InvocationResult.Status.SUCCEEDED) {
            told.accept(null, Failure.platform(Errors.NOT_FOUND, "execution " + find.execution()
                    + " succeeded, but its output is not kept (any more)", false));
        } else if (LargePayloads.isLarge(found.output())) {
            payloads.store(find.application(), find.caller(), found.output(), (reference, failure) ->
                    told.accept(failure != null ? null : result(find, found, reference), failure));
        } else {
            told.accept(result(find, found, found.output()), null);
        }
    }

    /** For a function that invoked it: at once where instances can map it as it is. */
    void output(Shard shard, Action.AnswerOutput answer) {
        if (answer.isFresh() && !GlobalObjects.isGlobal(answer.output())) {
            answer.listener().on(new ProcessCall.Answer.Outcome(answer.output(), null, null));
            return;
        }
        Consumer<ProcessCall.Answer> told = found -> shard.submit(new Input.FromElsewhere(() -> answer.listener().on(found)));
        if (!work.tryRun(() -> output(answer, told))) {
            told.accept(new ProcessCall.Answer.Refused(Errors.OVERLOADED, "the host agent has too much to do"));
        }
    }

    /**
     * Blocks. An execution that came from a journal has its output in the global data layer, for some seconds; another one's leaves memory
     * as soon. By then its record has it, unless that waits for its store: so long they stay.
     */
    void output(Action.AnswerOutput answer, Consumer<ProcessCall.Answer> told) {
        find(new Action.FindResult(answer.application(), answer.execution(), answer.caller(), null), (result, failure) -> {
            if (result != null) {
                told.accept(ProcessCall.Answer.Outcome.of(result));
                return;
            }
            payloads.bringBeyond(answer.application(), answer.caller(), answer.output(), (output, gone) -> {
                Failure why = failure == null ? gone : failure;
                told.accept(gone == null ? new ProcessCall.Answer.Outcome(output, null, null)
                        : new ProcessCall.Answer.Refused(why.error(), why.cause()));
            });
        });
    }

    private static InvocationResult result(Action.FindResult find, Answer.Found found, Payload output) {
        return new InvocationResult(find.execution(), found.status(), output, found.failure(), List.of());
    }

    /** Blocks. */
    Answer answer(Action.Ask ask) {
        try {
            return switch (ask.question()) {
                case Question.ClaimName claim -> records.claimName(claim.application(), claim.workflow(), claim.name(), claim.childId(),
                        claim.input());
                case Question.LookUp look -> lookUp(look);
                case Question.Before before -> before(before, ask.executionId());
                case Question.Send send -> send(send);
            };
        } catch (StoreException e) {
            return new Answer.Failed(Errors.UNAVAILABLE, e.getMessage(), e.kind() != StoreException.Kind.BAD_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.Failed(Errors.UNAVAILABLE, "the host agent is stopping", true);
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue(LogFields.EXECUTION_ID, ask.executionId()).setCause(e)
                    .log("what step {} of execution {} asked could not be answered", ask.step(), ask.executionId());
            return new Answer.Failed(Errors.UNAVAILABLE, "The platform could not answer: " + e, false); // else it would wait for ever
        }
    }

    private Answer before(Question.Before before, String executionId) {
        payloads.reopen(before.application(), executionId);
        return records.before(before.application(), executionId, before.redrive(), before.isBegun(),
                (name, size) -> payloads.kept().redriven(before.application(), executionId, name, size));
    }

    private Answer lookUp(Question.LookUp look) throws InterruptedException {
        long untilNs = System.nanoTime() + RECORD_MS * 1_000_000;
        while (true) {
            Answer.Found found = records.find(look.application(), look.childId());
            if (!look.awaitsEnd() || found.status() != null && found.endedMs() > 0) {
                return found;
            }
            if (System.nanoTime() > untilNs) {
                return new Answer.Failed(Errors.UNAVAILABLE, "the record of execution " + look.childId() + " is not there", false);
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    private Answer send(Question.Send send) {
        if (queues == null) {
            return new Answer.Failed(Errors.UNAVAILABLE, "this host agent has no queues", false);
        }
        try {
            Payload body = send.body().bytes() != null || send.body().size() > QueueSpec.MESSAGE_BYTES ? send.body()
                    : new Payload(send.body().contentType(), payloads.bytes(send.application(), send.body()), null);
            String id = queues.send(send.application(), send.message(), send.queue(), send.group(), body).join();
            return new Answer.Sent(QueueResults.sent(id, body));
        } catch (StatesError e) {
            return new Answer.Failed(e.error(), e.getMessage(), false);
        } catch (IllegalArgumentException e) {
            return new Answer.Failed("SQS.QueueDoesNotExistException", e.getMessage(), false);
        } catch (CompletionException e) {
            return e.getCause() instanceof BusException refused ? failed(refused)
                    : new Answer.Failed(SENDING, String.valueOf(e.getCause().getMessage()), false);
        } catch (BusException e) {
            return failed(e);
        }
    }

    /** A message that nobody confirmed may be in the queue: it is sent again under its id, until somebody does. */
    private static Answer failed(BusException refused) {
        return new Answer.Failed(SENDING, refused.getMessage(), refused.kind() == BusException.Kind.AWAY);
    }
}
