package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is open of one execution, its events and timers: does what the state machine commands, and tells it what came of it. */
final class Steps implements EventOwner {
    /** Ten years: behind every execution's deadline, and still within the nanoseconds of a long. */
    private static final long BEYOND_MS = 3_653L * 24 * 3_600_000;
    private final CoreContext context;
    private final RunningExecution execution;
    private final Application application;
    private final Signals signals;
    private final ServiceSteps services;
    private final EventFailures failures = new EventFailures();
    private final Map<String, Event> open = new LinkedHashMap<>(4);
    private final Map<String, StepTimer> timers = new LinkedHashMap<>(0);
    private final ObjectSteps objects;
    private final FanOut fanOut;

    Steps(CoreContext context, RunningExecution execution, Application application, Signals signals) {
        this.context = context;
        this.execution = execution;
        this.application = application;
        this.signals = signals;
        this.objects = new ObjectSteps(context, execution, signals);
        this.fanOut = new FanOut(context, execution);
        this.services = new ServiceSteps(context, execution, application, signals);
    }

    ServiceSteps services() {
        return services;
    }

    /** Those that are about objects. */
    ObjectSteps objects() {
        return objects;
    }

    RunningExecution execution() {
        return execution;
    }

    // --- what is commanded

    /** @param cause the signal that it follows from */
    void apply(List<Command> commands, Signal cause, Execution machine) {
        for (int i = 0; i < commands.size() && signals.goesOn(); i++) {
            switch (commands.get(i)) {
                case Command.RunTask task -> onRunTask(task, commands.size());
                case Command.StartWorkflow start -> onService(start.step(), start, start.timeoutMs(), cause);
                case Command.SendMessage send -> onService(send.step(), send, send.timeoutMs(), cause);
                case Command.StartTimer start -> onStartTimer(start, cause);
                case Command.AwaitCallback await -> signals.callbacks().await(await.step());
                case Command.CallObjects call -> objects.call(call);
                case Command.Abandon abandon -> onAbandon(abandon.step());
                case Command.Succeed succeed -> execution.ending().succeeded(succeed.output());
                case Command.Fail fail -> onFail(fail, machine);
            }
        }
    }

    private void onFail(Command.Fail fail, Execution machine) {
        Failure failure = failures.find(fail.error(), fail.cause());
        if (execution.isWorkflow()) {
            execution.ending().failed(EventFailures.asWorkflows(failure), machine.isTimedOut());
        } else {
            execution.ending().failed(failure, Errors.TIMEOUT.equals(failure.error()));
        }
    }

    /** @return false: it has ended for it */
    private boolean hasRoom(String step) {
        int limit = context.configuration.maxOpenSteps();
        if (openCount() >= limit) {
            execution.ending().machineFailed(Failure.limit(Errors.TOO_LARGE, "execution " + execution.id() + " has a limit of " + limit
                    + " steps at once, and " + step + " would be one more", Failure.Source.GRAIN, limit, limit + 1L));
            return false;
        }
        return true;
    }

    private void onService(String step, Command command, long timeoutMs, Signal cause) {
        if (hasRoom(step)) {
            services.open(step, command, timeoutMs, cause);
        }
    }

    private void onRunTask(Command.RunTask task, int commands) {
        if (!hasRoom(task.step())) {
            return;
        }
        long stepDeadlineNs = task.timeoutMs() > 0 ? context.nowNs + task.timeoutMs() * 1_000_000 : Long.MAX_VALUE;
        Event event = new Event(this, task.step(), application.grain(task.resource()), task.resource(), task.input(),
                stepDeadlineNs, 1);
        open.put(task.step(), event);
        if (!signals.isReplaying()) {
            fanOut.submit(event, commands);
        }
    }

    private void onStartTimer(Command.StartTimer start, Signal cause) {
        long delayMs = Math.max(0, start.delayMs() - signals.elapsedMs(cause));
        StepTimer timer = new StepTimer(this, start.step());
        // A timer of no delay brings what is left of a long transition: in a turn of its own.
        timer.dueNs = context.nowNs + Math.max(FanOut.NEXT_TURN_NS, Math.min(delayMs, BEYOND_MS) * 1_000_000);
        timers.put(start.step(), timer);
        if (!signals.isReplaying()) {
            context.timers.arm(timer, timer.dueNs);
        }
    }

    private void onAbandon(String step) {
        Event event = open.remove(step);
        if (event != null) {
            withdraw(event, Errors.CANCELLED, true);
            return;
        }
        StepTimer timer = signals.callbacks().abandon(step) || objects.abandon(step) || services.abandon(step) ? null : timers.remove(step);
        if (timer != null) {
            context.timers.disarm(timer);
        }
    }

    private void withdraw(Event event, String error, boolean kills) {
        if (event.grain != null && !event.isEnded()) {
            event.grain.attempts().withdraw(event, error, kills);
        }
    }

    // --- what comes of it

    void onTimer(StepTimer timer) {
        timers.remove(timer.step);
        signals.signal(new Signal.TimerFired(timer.step, context.epochMs()));
    }

    @Override
    public void onEventSucceeded(Event event, Payload output, List<Published> published) {
        if (closes(event)) {
            signals.signal(new Signal.TaskSucceeded(event.step, output, published, context.epochMs()), event.change);
        } else if (event.change != null) {
            event.change.drop();
        }
    }

    @Override
    public void onEventFailed(Event event, Failure failure) {
        if (closes(event)) {
            failures.add(failure);
            signals.signal(new Signal.TaskFailed(event.step, failure.error(), failure.cause(), context.epochMs()));
        }
    }

    @Override
    public boolean onEventLost(Event event, String cause) {
        if (event.mayRunAgain(context)) {
            return true;
        }
        Failure failure = Refusals.lost(event, cause);
        event.end(context);
        onEventFailed(event, failure);
        return false;
    }

    @Override
    public boolean onEventUnseen(Event event, String cause) {
        return event.mayGoUnseen() || onEventLost(event, cause);
    }

    private boolean closes(Event event) {
        return open.remove(event.step, event) || !context.has(Rule.ONE_ANSWER);
    }

    @Override
    public String executionId() {
        return execution.id();
    }

    @Override
    public String traceparent() {
        return execution.request().traceparent();
    }

    @Override
    public long deadlineNs() {
        return execution.deadlineNs();
    }

    @Override
    public String process() {
        return execution.request().process();
    }

    @Override
    public AttemptLog attemptLog() {
        return execution.story();
    }

    // --- replay and end

    /** A replayed signal: its step is over. */
    void close(Signal signal) {
        String step = switch (signal) {
            case Signal.TaskSucceeded succeeded -> succeeded.step();
            case Signal.TaskFailed failed -> failed.step();
            case Signal.TimerFired fired -> fired.step();
            case Signal.Started _, Signal.Heartbeat _, Signal.Stopped _, Signal.Redriven _ -> null;
        };
        Event event = step == null ? null : open.remove(step);
        if (event != null) {
            event.end(context);
        } else if (step != null && !signals.callbacks().abandon(step) && !objects.abandon(step) && !services.close(step)) {
            timers.remove(step);
        }
    }

    Collection<Event> events() {
        return open.values();
    }

    /** The replay is over. */
    void resume(Resumption resumption) {
        for (StepTimer timer : timers.values()) {
            context.timers.arm(timer, timer.dueNs);
        }
        objects.resume();
        for (Event event : new ArrayList<>(open.values())) {
            if (event.state() == Event.State.HELD) {
                resumption.run(event);
            }
        }
        services.resume();
    }

    Event openEvent(String step) {
        return open.get(step);
    }

    int openCount() {
        return open.size() + timers.size() + signals.callbacks().openCount() + objects.openCount() + services.openCount();
    }

    /** The execution has ended: nothing of it is to run on. */
    void abandonAll(String error, boolean kills) {
        for (Event event : open.values()) {
            withdraw(event, error, kills);
        }
        open.clear();
        fanOut.close();
        for (StepTimer timer : timers.values()) {
            context.timers.disarm(timer);
        }
        timers.clear();
        objects.abandonAll();
    }
}
