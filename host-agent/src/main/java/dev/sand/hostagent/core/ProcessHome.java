package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.hostagent.process.ProcessImage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One cloud process on its owner's host: the executions that run in it, and those that wait to; whoever waits for its mailbox stands in
 * {@link MailboxLine}, and what lasts goes to {@link ProcessJournal}. Armed as a timer while it is active and has nothing to do, until
 * it counts as idle.
 */
final class ProcessHome extends Timed {
    private final CoreContext context;
    private final String application;
    private final CloudProcess process;
    private final ProcessJournal journal;
    private final ProcessImage.About about;
    private final ProcessCounts counts;
    private final Set<RunningExecution> running = new LinkedHashSet<>();
    private final ArrayDeque<RunningExecution> waiting = new ArrayDeque<>();
    private final MessageInvocations invocations;
    private final MailboxLine mailbox;
    private final Imaging imaging;
    private final Overflow overflow;
    private final Migration migration;
    /** What functions did that ended, on its way into the journal. */
    private final Set<Ending> written = new LinkedHashSet<>(0);
    /** Executions that messages made, whose request is on its way into the journal, and what is done then. */
    private final Map<String, List<Runnable>> fires = new LinkedHashMap<>(0);
    /** Null: its functions run in its application's. */
    private final OwnSandbox ownSandbox;
    private ApplicationVersion version;
    /** What that says of it. */
    private ProcessSpec spec;
    /** Or may have one. */
    private boolean hasImage;
    private long restingSinceNs;
    /** Nothing of it is here any more. */
    private boolean gone;
    /** Who has it killed, and was not told yet. */
    private Consumer<Failure> killer;

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
        this.invocations = new MessageInvocations(context, this);
        this.mailbox = new MailboxLine(context, this, invocations::fire);
        this.imaging = new Imaging(context, this);
        this.overflow = new Overflow(context, this);
        this.migration = new Migration(context, this);
        this.ownSandbox = spec.dedicated() == null ? null : new OwnSandbox(context, process.id(), spec.dedicated());
        rest();
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

    Migration migration() {
        return migration;
    }

    Imaging imaging() {
        return imaging;
    }

    Overflow overflow() {
        return overflow;
    }

    ProcessView view() {
        return new ProcessView(application, id(), process.status().shown(), context.host, about.createdMs(), spec.concurrency(),
                spec.memoryBytes(), process.keyCount(), process.stateBytes(), process.mailbox().unread(), process.mailbox().bytes(),
                running.size(), waiting.size(), counts.invocations, counts.busyNs / 1_000_000, counts.failures, counts.sent,
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
        process.become(next);
        context.processes.changed(application);
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
        context.timers.disarm(this);
        if (process.status() == LifeCycle.IDLE) {
            become(LifeCycle.ACTIVE);
        }
        waiting.add(execution);
        next();
    }

    /** What that version says counts from now on, but for the sandbox that it has, and what was said when it was made. */
    private void renew(ApplicationVersion by) {
        ProcessSpec said = by.processSpec().with(about.concurrency(), about.memoryBytes(), null);
        version = by;
        spec = new ProcessSpec(said.concurrency(), said.queueDepth(), said.mailboxMessages(), said.mailboxBytes(), said.memoryBytes(),
                said.idleMs(), said.swapAfterMs(), said.functions(), spec.dedicated(), said.stateBytes());
        process.renew(spec);
        context.later(FanOut.NEXT_TURN_NS, this::lookAgain);
    }

    /** There may be room, and triggers that the messages here are enough for: another version says so, or nothing is held back any more. */
    void lookAgain() {
        if (!gone && !isKilled()) {
            mailbox.onRoom();
            overflow.check();
            next();
            invocations.fire();
        }
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
                if (!gone && !isKilled() && number > version.version()) {
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

    int runningCount() {
        return running.size();
    }

    /** Of invocations by messages. */
    boolean hasRoom() {
        return process.status() != LifeCycle.SWAPPING_OUT
                && !imaging.holdsBack() && (long) entered() + context.processes.arrivals().count(this) + invocations.joining()
                        < (long) spec.concurrency() + spec.queueDepth();
    }

    /** Invocations that run here or wait to. */
    int entered() {
        return running.size() + waiting.size();
    }

    private void next() {
        while (process.status() == LifeCycle.ACTIVE && !overflow.holdsUp() && !imaging.holdsBack()
                && running.size() < spec.concurrency() && !waiting.isEmpty()) {
            RunningExecution execution = waiting.poll();
            running.add(execution);
            execution.run();
        }
    }

    /** It has ended. */
    void left(RunningExecution execution) {
        if (running.remove(execution)) {
            counts.invocations++;
            counts.failures += execution.ending().hasFailed() ? 1 : 0;
            next();
            invocations.fire();
            imaging.onLeft();
        } else {
            waiting.remove(execution);
        }
        rest();
    }

    private void rest() {
        if (isAtRest() && process.status() == LifeCycle.ACTIVE) {
            restingSinceNs = context.nowNs;
            context.timers.arm(this, context.nowNs + spec.idleMs() * 1_000_000);
        }
    }

    private boolean isAtRest() {
        return running.isEmpty() && waiting.isEmpty();
    }

    /** Nothing ran in it for a while, or for long. */
    @Override
    void onDue() {
        if (process.status() == LifeCycle.ACTIVE) {
            become(LifeCycle.IDLE);
            context.timers.arm(this, context.nowNs + spec.swapAfterMs() * 1_000_000);
        } else if (process.status() == LifeCycle.IDLE) {
            imaging.swapOut(failure -> { });
        }
    }

    // --- images

    /** Since when nothing ran in it; Long.MAX_VALUE: something does, or it is not to be swapped out. */
    long idleSinceNs() {
        return process.status() == LifeCycle.IDLE ? restingSinceNs : Long.MAX_VALUE;
    }

    /** It is being written: whether it got there may never be known. */
    void writesImage() {
        hasImage = true;
    }

    /** It is written. */
    void imaged(ProcessImage image, boolean swapped) {
        counts.imaged(swapped);
        process.imaged(image);
    }

    /** Nobody has come since the image was made, nobody knows it who will, and nothing of it becomes due by itself. */
    boolean mayLeave() {
        return isAtRest() && !journal.isDirty() && mailbox.isEmpty() && !process.mailbox().isExpecting()
                && !process.isDueByItself();
    }

    /** Something was begun in it, or is about to be. */
    boolean isBusy() {
        return !isAtRest() || context.processes.arrivals().has(this);
    }

    /** Its image has all of it, and nothing of it becomes due by itself. */
    boolean mayGo() {
        return !isBusy() && !gone && !journal.isDirty() && !process.isDueByItself();
    }

    /** Nobody finds it any more, and nothing changes it; that it leaves is its last change. @param then once that is durable */
    void leaves(ProcessPlace to, Runnable then) {
        context.processes.table().vanishes(this);
        close(Errors.UNAVAILABLE);
        journal.write(process.changed(), new Change.Left(to), () -> {
            if (!gone) {
                then.run();
            }
        });
    }

    /** Its image says where it lives. */
    void hasLeft() {
        forget();
    }

    /** It is swapped out. */
    void leave() {
        context.timers.disarm(this);
        invocations.close();
        imaging.close();
        overflow.close();
        context.processes.table().remove(this);
        forget();
        // Who was held looks for the process again, and brings it back: only when it is here no more.
        migration.close(Failure.platform(Errors.UNAVAILABLE, "process " + id() + " was swapped out meanwhile", true));
    }

    /** One is written, or could not be. */
    void onImaged() {
        if (!gone) {
            overflow.check();
            next();
            invocations.fire();
            rest();
            if (process.status() == LifeCycle.IDLE && !isArmed()) { // it was to be swapped out behind a checkpoint that failed
                context.timers.arm(this, context.nowNs + spec.swapAfterMs() * 1_000_000);
            }
        }
    }

    boolean isGone() {
        return gone;
    }

    boolean isKilled() {
        return process.status() == LifeCycle.KILLED;
    }

    // --- what attempts do to it

    /** What a function did that ended well: in the record of its end, and in effect once that is durable. */
    final class Ending {
        private final CloudProcess.Finished finished;
        private final List<DeferredSends.Deferred> sends;

        private Ending(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends) {
            this.finished = finished;
            this.sends = sends;
        }

        /** @param backup the execution's word of it, with that number; @param then once it is durable */
        void write(String executionId, long sequence, Backup backup, Runnable then) {
            Change.Done done = process.done(finished, sends.stream().map(DeferredSends.Deferred::outgoing).toList());
            written.add(this);
            journal.write(executionId, sequence, backup, process.number(), done, () -> {
                if (!written.remove(this)) {
                    return; // it is the next owner's
                }
                boolean settles = finished != null && !gone;
                if (settles) {
                    free(process.settle(finished));
                }
                context.processes.deferred().deliver(application, executionId, sends);
                if (settles) { // an image that begins now lets the journal go, which alone had what was sent
                    overflow.check();
                    mailbox.onRoom();
                }
                then.run();
            });
        }

        /** The execution has ended before its word of it. */
        void drop() {
            if (finished != null && !gone) {
                free(process.drop(finished));
                mailbox.onMessage();
            }
            context.processes.deferred().drop(sends, application);
        }
    }

    /** @param ranNs how long; @return null: it has changed nothing */
    Ending finished(CloudProcess.Finished finished, List<DeferredSends.Deferred> sends, Attempt attempt, long ranNs) {
        counts.busyNs += ranNs;
        mailbox.forget(attempt);
        overflow.forget(attempt);
        return finished == null && sends.isEmpty() ? null : new Ending(finished, sends);
    }

    /** It did not end well; or it has, and this does nothing. */
    void abandon(Attempt attempt) {
        free(process.abandon(attempt));
        mailbox.forget(attempt);
        overflow.forget(attempt);
        mailbox.onMessage();
    }

    /** Messages make an invocation: they are gone with the record of its request. */
    final class Firing {
        private final CloudProcess.Due due;
        private final Runnable then;

        /** @param then once that is durable */
        Firing(CloudProcess.Due due, Runnable then) {
            this.due = due;
            this.then = then;
        }

        /** Its end waits for that: before, another owner has the messages unread, and they make another one. */
        void write(String executionId, Backup backup) {
            Change.Fired fired = process.fired(due);
            context.processes.sends().begin(executionId);
            fires.put(executionId, new ArrayList<>(0));
            journal.write(executionId, 0, backup, process.number(), fired, () -> {
                then.run();
                made(executionId);
            });
        }
    }

    /** Its request is durable, or the next owner's. */
    private void made(String executionId) {
        List<Runnable> held = fires.remove(executionId);
        if (held != null) {
            context.processes.sends().done(executionId);
            held.forEach(context::later);
        }
    }

    /** Does the step when the request is durable, of which messages made the execution. @return false: it is, and whoever asks does it */
    boolean holdsUntilMade(String executionId, Runnable step) {
        List<Runnable> held = fires.isEmpty() ? null : fires.get(executionId);
        return held != null && held.add(step);
    }

    // --- its end

    /** It is killed. @param then once that is durable, and nothing of it is kept; or told why nobody here knows whether it is */
    void kill(String cause, Consumer<Failure> then) {
        killer = then;
        migration.close(Failure.caller(Errors.NOT_FOUND, "process " + id() + " was killed"));
        context.processes.table().vanishes(this);
        close(Errors.NOT_FOUND);
        cancel(cause);
        journal.write(process.changed(), new Change.Killed(journal.place().moves() == 0 ? null : journal.place()), () -> {
            if (!gone) {
                forget();
                context.processes.table().killed(application, id());
                imaging.afterwards(() -> deleteImage(this::vanished));
            }
        });
    }

    private void vanished() {
        if (killer != null) {
            tellKiller(null);
            context.processes.vanished(application, id(), journal, process.number());
        }
    }

    private void tellKiller(Failure failure) {
        Consumer<Failure> told = killer;
        killer = null;
        if (told != null) {
            told.accept(failure);
        }
    }

    /** It was to be killed, or to leave, and its slot is another host's before that was so: what the journal has of it, that host sees. */
    void lostAsItGoes() {
        if (!gone) {
            goesOn(mailbox.moved());
        }
        if (migration.isLeaving()) {
            migration.close(anothers());
            return;
        }
        tellKiller(anothers());
    }

    private Failure anothers() {
        return Failure.platform(Errors.MOVED, "process " + id() + " is another host's, which may have it still", true);
    }

    private void deleteImage(Runnable then) {
        if (hasImage) {
            context.emit(new Action.DeleteImage(application, id(), journal.place(), journal.epoch(), then));
        } else {
            then.run();
        }
    }

    /** Its application is deleted, with all that is kept of it. */
    void delete(String cause) {
        migration.close(Failure.caller(Errors.NOT_FOUND, cause));
        close(Errors.NOT_FOUND);
        cancel(cause);
        forget();
    }

    /** It goes on elsewhere, as does what runs in it. */
    void moved() {
        List<Payload> needed = mailbox.moved(); // behind which those go that wait for room
        close(Errors.UNAVAILABLE);
        takeExecutions();
        goesOn(needed);
        migration.close(anothers());
    }

    /** Elsewhere: what it has is freed, but for what is given again. @param needed that */
    private void goesOn(List<Payload> needed) {
        written.forEach(ending -> context.processes.deferred().drop(ending.sends, application));
        written.clear();
        List.copyOf(fires.keySet()).forEach(this::made);
        gone = true;
        closeSandbox();
        List<Payload> values = process.values();
        values.removeIf(value -> needed.stream().anyMatch(other -> other == value));
        free(values);
    }

    private void close(String error) {
        become(LifeCycle.KILLED);
        context.timers.disarm(this);
        invocations.close();
        mailbox.close(error);
        imaging.close();
        overflow.close();
    }

    /** Frees what an image that is being written needs when that is done. */
    private void forget() {
        gone = true;
        closeSandbox();
        free(process.values());
    }

    private void closeSandbox() {
        if (ownSandbox != null) {
            ownSandbox.close();
        }
    }

    /** All that runs in it, waits to, or was made by its messages and is on its way. */
    private void cancel(String cause) {
        List<RunningExecution> open = takeExecutions();
        open.addAll(context.processes.arrivals().ofMessages(this));
        open.forEach(execution -> execution.ending().cancelled(cause));
    }

    private List<RunningExecution> takeExecutions() {
        List<RunningExecution> open = new ArrayList<>(running);
        open.addAll(waiting);
        running.clear();
        waiting.clear();
        return open;
    }
}
