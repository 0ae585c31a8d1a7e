package dev.sand.hostagent.core;

import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change.Outgoing;

/** A function of this host that sends. */
final class FunctionSender extends MailboxSender {
    private final CoreContext context;
    private final Event by;
    private final Attempt attempt;
    private final ProcessHome home;
    private final Input.CallProcess call;
    private final ProcessCall.Send send;

    /** @param home of the process that it runs in */
    FunctionSender(CoreContext context, Event by, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        super(message(by, home.id(), send));
        this.context = context;
        this.by = by;
        this.attempt = Processes.attempt(by);
        this.home = home;
        this.call = call;
        this.send = send;
    }

    static Outgoing message(Event by, String source, ProcessCall.Send call) {
        return new Outgoing(by.id, call.number(), source, call.destination(), call.key(), call.payload());
    }

    /** Its function's sends count when it ends well. */
    static boolean isAtomic(Event by) {
        return by.grain.application().version().processSpec().function(by.grainName).atomic();
    }

    boolean isAtomic() {
        return isAtomic(by);
    }

    Attempt attempt() {
        return attempt;
    }

    @Override
    boolean isGone() {
        return !by.isRunning() || !Processes.attempt(by).equals(attempt);
    }

    @Override
    boolean goesElsewhere(long leftMs) {
        if (isGone()) {
            return false;
        }
        context.processes.calls().sendElsewhere(by, attempt, home, call, send.within(leftMs));
        return true;
    }

    /** What counts when its function ends well is counted then. */
    @Override
    void taken(boolean again) {
        home.counts().sent += again || isAtomic() ? 0 : 1;
        context.emit(new Action.AnswerProcessCall(call.listener(), new Answer.Done()));
    }

    @Override
    void refused(String error, String why) {
        context.emit(new Action.AnswerProcessCall(call.listener(), new Answer.Refused(error, why)));
    }
}
