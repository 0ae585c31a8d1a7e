package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.hostagent.process.ProcessImage;
import java.util.List;

/**
 * One cloud process on its owner's host. Executions run and wait in {@link ProcessOccupants}, whoever waits for its mailbox stands in
 * {@link MailboxLine}; what lasts goes through {@link ProcessRecords} to {@link ProcessJournal}; it goes by {@link ProcessExit}.
 */
final class ProcessHome {
    private final CoreContext context;
    private final String application;
    private final CloudProcess process;
    private final ProcessJournal journal;
    private final ProcessImage.About about;
    private final ProcessCounts counts;
    private final ProcessOccupants occupants;
    private final ProcessRecords records;
    private final ProcessExit exit;
    private final MessageInvocations invocations;
    private final MailboxLine mailbox;
    private final Imaging imaging;
    private final Overflow overflow;
    private final StateAhead ahead;
    private final Migration migration;
    /** Null: its functions run in its application's. */
    private final OwnSandbox ownSandbox;
    private ApplicationVersion version;
    /** What that says of it. */
    private ProcessSpec spec;
    /** Or may have one. */
    private boolean hasImage;

    /** @param process new, or as it was elsewhere or before; @param hasImage it may have one */
    ProcessHome(CoreContext context, ApplicationVersion version, ProcessSpec spec, CloudProcess process, ProcessJournal journal,
                ProcessImage.About about, boolean hasImage) {
        this.context = context;
        this.application = version.application();
        this.spec = spec;
        this.process = process;
        this.journal = journal;
        this.about = about;
        this.counts = new ProcessCounts(about.counts());
        this.hasImage = hasImage;
        this.version = version;
        this.occupants = new ProcessOccupants(context, this);
        this.records = new ProcessRecords(context, this);
        this.exit = new ProcessExit(context, this);
        this.invocations = new MessageInvocations(context, this);
        this.mailbox = new MailboxLine(context, this, invocations::fire);
        this.imaging = new Imaging(context, this);
        this.overflow = new Overflow(context, this);
        this.ahead = new StateAhead(context, this);
        this.migration = new Migration(context, this);
        this.ownSandbox = spec.dedicated() == null ? null : new OwnSandbox(context, process.id(), spec.dedicated());
        journal.strict(version.durability() == ApplicationVersion.Durability.STRICT);
        occupants.rest();
    }

    String id() {
        return process.id();
    }

    String application() {
        return application;
    }

    CloudProcess process() {
        return process;
    }

    ProcessJournal journal() {
        return journal;
    }

    /** Where it lives. */
    int slot() {
        return journal.place().slot();
    }

    MailboxLine mailbox() {
        return mailbox;
    }

    ProcessCounts counts() {
        return counts;
    }

    OwnSandbox ownSandbox() {
        return ownSandbox;
    }

    ProcessSpec spec() {
        return spec;
    }

    /** In memory and in the global data layer. */
    long mostStateBytes() {
        return spec.mostStateBytes();
    }

    ProcessOccupants occupants() {
        return occupants;
    }

    ProcessRecords records() {
        return records;
    }

    ProcessExit exit() {
        return exit;
    }

    Migration migration() {
        return migration;
    }

    Imaging imaging() {
        return imaging;
    }

    Overflow overflow() {
        return overflow;
    }

    StateAhead ahead() {
        return ahead;
    }

    ProcessView view() {
        return new ProcessView(application, id(), process.shown(), context.host, about.createdMs(), spec.concurrency(),
                spec.memoryBytes(), process.keyCount(), process.stateBytes(), process.mailbox().unread(), process.mailbox().bytes(),
                occupants.running(), occupants.waiting(), counts.invocations, counts.busyNs / 1_000_000, counts.failures, counts.sent,
                counts.received, counts.swapsOut, counts.swapsIn, counts.checkpoints)
                .in(spec.dedicated() == null ? null : spec.dedicated().shown(version.sandbox()))
                .overflowing(process.stateBytes() - process.residentBytes()).living(slot());
    }

    /** As an image has it that is written now. */
    ProcessImage.About about(boolean swaps) {
        return new ProcessImage.About(about.createdMs(), version.version(), about.concurrency(), about.memoryBytes(),
                about.dedicated(), counts.read(swaps));
    }

    void become(LifeCycle next) {
        String before = process.shown();
        process.become(next);
        if (!process.shown().equals(before)) {
            context.processes.changed(application);
        }
    }

    /** Values that it has no more. */
    void free(List<Payload> values) {
        if (!imaging.keeps(values)) {
            context.processes.free(application, values);
        }
    }

    /** Messages that it had when it came here may make invocations, and its memory may be less than what came. */
    void resume() {
        overflow.check();
        invocations.fire();
    }

    // --- executions

    /** It runs now, or when others have ended: there is room for it. */
    void enter(RunningExecution execution, ApplicationVersion by) {
        if (by.version() != version.version()) {
            renew(by);
        }
        occupants.enter(execution);
    }

    /** It has ended. */
    void left(RunningExecution execution) {
        if (occupants.remove(execution)) {
            Input.Changed before = execution.changed();
            boolean isCounted = before != null && before.ended() > 0; // with its end, by the image or when the journal was read
            counts.invocations += isCounted ? 0 : 1;
            counts.failures += execution.ending().hasFailed() ? 1 : 0;
            occupants.next();
            invocations.fire();
            imaging.onLeft();
        }
        occupants.rest();
    }

    /** What that version says counts from now on, but for the sandbox that it has, and what was said when it was made. */
    private void renew(ApplicationVersion by) {
        ProcessSpec said = by.processSpec().with(about.concurrency(), about.memoryBytes(), null);
        version = by;
        journal.strict(by.durability() == ApplicationVersion.Durability.STRICT);
        spec = new ProcessSpec(said.concurrency(), said.queueDepth(), said.mailboxMessages(), said.mailboxBytes(), said.memoryBytes(),
                said.idleMs(), said.swapAfterMs(), said.functions(), spec.dedicated(), said.stateBytes());
        process.renew(spec);
        context.later(FanOut.NEXT_TURN_NS, this::lookAgain);
    }

    /** There may be room, and triggers that the messages here are enough for: another version says so, or nothing is held back any more. */
    void lookAgain() {
        if (!isGone() && !isKilled()) {
            mailbox.onRoom();
            overflow.check();
            occupants.next();
            invocations.fire();
        }
    }

    void heapHasRoom() {
        overflow.line().onRoom();
        mailbox.onRoom();
    }

    /** Somebody of that version has to do with it: if it is newer than its own, that was deployed since. */
    void meets(int number) {
        if (number <= version.version()) {
            return;
        }
        Application newer = context.application(new Input.AppKey(application, number));
        newer.onTenant(new Tenant() {
            @Override
            public void onApplicationReady() {
                newer.onTenantGone(this);
                if (!isGone() && !isKilled() && number > version.version()) {
                    renew(newer.version());
                }
            }

            @Override
            public void onApplicationMissing(Failure failure) {
                newer.onTenantGone(this);
            }

            @Override
            public boolean waitsForRegistry() {
                return false;
            }
        });
    }

    /** The version that was invoked in it last, or a newer one of who sent to it: whose functions messages invoke. */
    ApplicationVersion version() {
        return version;
    }

    long createdMs() {
        return about.createdMs();
    }

    /** Of invocations by messages. */
    boolean hasRoom() {
        return process.status() != LifeCycle.SWAPPING_OUT
                && !imaging.stillness().holdsFunctions() && (long) occupants.count() + context.processes.arrivals().count(this) + invocations.joining()
                        < (long) spec.concurrency() + spec.queueDepth();
    }

    // --- images

    /** It is being written: whether it got there may never be known. */
    void writesImage() {
        hasImage = true;
    }

    /** Nobody has come since the image was made, nobody knows it who will, and nothing of it becomes due by itself. */
    boolean mayLeave() {
        return occupants.isAtRest() && !journal.isDirty() && mailbox.isEmpty() && !process.mailbox().isExpecting()
                && !process.isDueByItself();
    }

    /** Something was begun in it, or is about to be. */
    boolean isBusy() {
        return !occupants.isAtRest() || context.processes.arrivals().has(this);
    }

    /** Its image has all of it, and nothing of it becomes due by itself. */
    boolean mayGo() {
        return !isBusy() && !isGone() && !journal.isDirty() && !process.isDueByItself();
    }

    /** One is written, or could not be. */
    void onImaged() {
        if (!isGone()) {
            overflow.check();
            occupants.next();
            invocations.fire();
            occupants.rest();
            occupants.restOn(); // it was to be swapped out behind a checkpoint that failed
        }
    }

    /** Nothing of it is here any more. */
    boolean isGone() {
        return exit.isGone();
    }

    boolean isKilled() {
        return process.status() == LifeCycle.KILLED;
    }

    // --- what attempts do to it

    /** @param ranNs how long; @return null: it has changed nothing */
    ProcessRecords.Ending finished(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends, Attempt attempt, long ranNs) {
        counts.busyNs += ranNs;
        mailbox.forget(attempt);
        overflow.forget(attempt);
        return records.ending(finished, sends);
    }

    /** It did not end well; or it has, and this does nothing. */
    void abandon(Attempt attempt) {
        ahead.ended(attempt);
        free(process.abandon(attempt));
        mailbox.forget(attempt);
        overflow.forget(attempt);
        mailbox.onMessage();
    }

    // --- its end, for {@link ProcessExit}

    /** Nothing of it becomes due any more, and nobody waits. @param error what who waits is told */
    void close(String error) {
        become(LifeCycle.KILLED);
        occupants.close();
        invocations.close();
        mailbox.close(error);
        imaging.close();
        overflow.close();
    }

    /** The same, with nobody there who waits. */
    void detach() {
        occupants.close();
        invocations.close();
        imaging.close();
        overflow.close();
    }

    void closeSandbox() {
        if (ownSandbox != null) {
            ownSandbox.close();
        }
    }

    void deleteImage(Runnable then) {
        if (hasImage) {
            context.emit(new Action.DeleteImage(application, id(), journal.place(), journal.epoch(), then));
        } else {
            then.run();
        }
    }
}
