package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.InvocationRequest;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec.Function;
import dev.sand.event.ProcessSpec.Trigger;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A process's counts at its next owner: those of its image, and what the journal tells of what came behind that, once. */
class ReplayedCountsTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 50, 64L << 20, 256L << 20, 1_000, 600_000,
            Map.of("atomic", new Function(Trigger.STANDARD, 1, 0, true)));

    ReplayedCountsTest() {
        super(shop());
    }

    private static CoreFixture shop() {
        return new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("atomic", 10, 100, Isolation.REQUEST))
                .warm().allKnowPassed();
    }

    private ProcessView view(String process) {
        return (ProcessView) command(process, Kind.DESCRIBE);
    }

    private String counts(String process) {
        ProcessView view = view(process);
        return view.invocations() + " " + view.sent() + " " + view.received();
    }

    /** Another host has the images, and what the journal has behind them. */
    private void restart() {
        Map<String, List<ProcessChange>> byProcess = new LinkedHashMap<>();
        journal.stream().filter(record -> record.carried() != null).map(record -> record.carried().change())
                .forEach(change -> byProcess.computeIfAbsent(change.process(), added -> new ArrayList<>()).add(change));
        Map<String, ProcessImage> images = shop.images;
        shop = shop();
        shop.images = images;
        byProcess.forEach((process, changes) -> on(new Input.RecoverProcess(APP.application(), process, changes.getFirst().createdMs(),
                changes, changes.stream().map(ProcessChange::base).distinct().toList(), Map.of())));
    }

    /** One sends two messages, and the other reads them. */
    private void exchange() {
        Running atomic = running("p", "atomic");
        call(atomic, send(0, "q", "1"));
        call(atomic, send(1, "q", "2"));
        finish(atomic);
        Running reader = running("q");
        received(reader);
        received(reader);
        finish(reader, write("a", "1"));
    }

    @Test
    void functionsThatChangedSomethingAndTheirMessagesCountFromTheJournal() {
        running("q");
        exchange();
        String sender = counts("p");
        String receiver = counts("q");
        assertThat(List.of(sender, receiver)).containsExactly("1 2 0", "1 0 2");
        restart();
        assertThat(List.of(counts("p"), counts("q"))).containsExactly(sender, receiver);
        restart();
        assertThat(List.of(counts("p"), counts("q"))).as("of the same journal").containsExactly(sender, receiver);
    }

    @Test
    void messagesThatNeverHadARecordOfTheirOwnAreReceived() {
        running("q");
        Running sender = running("p");
        shop.takesChanges = false;
        ask(sender, send(0, "q", "1"));
        Running reader = running("q");
        assertThat(received(reader)).isEqualTo("1");
        finish(reader);
        assertThat(journal).as("of its sending there is none").noneMatch(record -> record.carried() != null
                && record.carried().change().change() instanceof Change.Arrived);
        shop.takesChanges = true;
        journal.forEach(record -> {
            if (record.carried() != null) {
                shop.on(new Input.ChangeJournaled(record.carried(), null));
            }
        });
        assertThat(view("q").received()).isOne();
        restart();
        assertThat(view("q").received()).isOne();
    }

    @Test
    void messagesThatMadeAnInvocationAreReceived() {
        running("q");
        call(running("p"), new ProcessCall.Send(0, "q", "invoke:g:k", json("7"), 0));
        assertThat(view("q").received()).isOne();
        restart();
        assertThat(view("q").received()).isOne();
    }

    @Test
    void whatTheImageCountsIsNotCountedAgain() {
        running("q");
        exchange();
        command("q", Kind.CHECKPOINT);
        Running more = running("q");
        finish(more, write("a", "2"));
        assertThat(view("q").invocations()).isEqualTo(2);
        restart();
        assertThat(counts("q")).isEqualTo("2 0 2");
        assertThat(view("q").checkpoints()).isOne();
    }

    @Test
    void aFunctionWhoseEndTheJournalHasDoesNotEndTwice() {
        Running writes = running("p");
        finish(writes, write("a", "1"));
        Action.Journal ended = journal.stream().filter(record -> record.backup() instanceof Backup.Finished).findFirst().orElseThrow();
        ProcessChange done = ended.carried().change();
        restart();
        InvocationRequest request = new InvocationRequest(ended.executionId(), APP.application(), APP.version(), "g", json("1"), 100_000, false,
                null).inProcess("p");
        on(new Input.Recover(request, List.of(((Backup.Finished) ended.backup()).signal()), 2, Map.of(), -1, List.of(-1L),
                new Input.Changed(done.createdMs(), 0, done.number(), 1)));
        assertThat(shop.core().context().executions.get(ended.executionId())).as("it has ended").isNull();
        assertThat(view("p").invocations()).isOne();
    }
}
