package dev.sand.hostagent.shard;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.event.HostAgentPort.UnsureException;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.TaskCallback;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Figures;
import dev.sand.hostagent.core.HostCore;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.QueueLook;
import dev.sand.hostagent.sandbox.SandboxEndpoint;
import dev.sand.hostagent.sandbox.SandboxListener;
import dev.sand.localbus.LocalBus;
import dev.sand.workflow.TaskTokens;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The driver of one shard (DESIGN, decision 1): one event loop, which alone reads the shard's sockets and changes its state.
 * It gives the pure core inputs and the time, and performs the actions that come of them.
 *
 * <p>{@link #submit} and {@link #execute} may be called from any thread; all else is the event loop's.
 */
public final class Shard {
    /** In a row: others have their turn then. */
    private static final int MOST_NOTED = 50;

    private final EventLoop loop;
    private final LocalBus bus;
    private final HostCore core;
    private final ShardAdapters adapters;
    private final ActionPerformer performer;
    private final StallWatch stallWatch;
    private final Consumer<Throwable> onBroken;
    private final ArrayDeque<Input> waiting = new ArrayDeque<>();
    private final ConcurrentLinkedQueue<Input> noted = new ConcurrentLinkedQueue<>();
    private final Map<String, SandboxCalls> sandboxes = new HashMap<>();
    private final Map<AppKey, SandboxCalls> sandboxByApp = new HashMap<>();
    private final List<CompletableFuture<Void>> drains = new ArrayList<>(0);
    private volatile boolean stopped;
    private boolean busy;
    /** Now, as far as turns have come. */
    private long turnNs;
    private long tickNs = Long.MAX_VALUE;
    private Future<?> tick;

    /** @param onBroken told when the core's invariants are broken: nothing can be trusted after that */
    Shard(String name, EventLoop loop, LocalBus bus, HostCore core, ShardAdapters adapters, Duration stallLimit,
          Consumer<Throwable> onBroken) {
        this.loop = loop;
        this.bus = bus;
        this.core = core;
        this.adapters = adapters;
        this.performer = new ActionPerformer(this, adapters);
        this.stallWatch = new StallWatch(name, stallLimit);
        this.onBroken = onBroken;
    }

    // --- from any thread

    void submit(Input input) {
        loop.execute(() -> on(input));
    }

    /** One of several at once: it takes its turn once {@link #submitNoted} is called. */
    void note(Input input) {
        noted.add(input);
    }

    void submitNoted() {
        if (!noted.isEmpty()) {
            loop.execute(this::takeNoted);
        }
    }

    /** @return completed once the input has been taken in; at once when this shard is closed */
    CompletableFuture<Void> submitAndTell(Input input) {
        CompletableFuture<Void> taken = new CompletableFuture<>();
        try {
            loop.execute(() -> {
                on(input);
                taken.complete(null);
            });
        } catch (RejectedExecutionException e) {
            taken.complete(null);
        }
        return taken;
    }

    void execute(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    /** On the owner's thread. */
    boolean isDeleted(AppKey app) {
        return core.isDeleted(app);
    }

    boolean inOwnerThread() {
        return loop.inEventLoop();
    }

    void invoke(Input.Invoke invoke) {
        try {
            loop.execute(() -> {
                if (stopped) {
                    refuse(invoke);
                    return;
                }
                on(invoke);
            });
        } catch (RejectedExecutionException e) {
            refuse(invoke);
        }
    }

    private static void refuse(Input.Invoke invoke) {
        invoke.listener().onEnd(new InvocationResult(invoke.request().executionId(), InvocationResult.Status.FAILED, null,
                Failure.platform(Errors.UNAVAILABLE, "this host agent is stopping and takes nothing new", true), List.of()));
    }

    CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return asked(listener -> new Input.Cancel(executionId, error, cause, listener), UnsureException::new);
    }

    CompletableFuture<TaskCallback.Outcome> callBack(TaskTokens.Place place, TaskCallback what) {
        return asked(listener -> new Input.Callback(place.executionId(), place.step(), what, listener), UnsureException::new);
    }

    CompletableFuture<ProcessView> process(ProcessCommand command) {
        return asked(listener -> new Input.Command(command, listener), ProcessException::new);
    }

    /** @param thrown what the answer ends with when that is a failure */
    private <T> CompletableFuture<T> asked(Function<Input.Listener<T>, Input> question, Function<Failure, RuntimeException> thrown) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Input.Listener<T> listener = new Input.Listener<>() {
            @Override
            public void onDone(T what) {
                answer.complete(what);
            }

            @Override
            public void onFailed(Failure failure) {
                answer.completeExceptionally(thrown.apply(failure));
            }
        };
        whileRunning(() -> on(question.apply(listener)),
                () -> listener.onFailed(Failure.platform(Errors.UNAVAILABLE, "this host agent is stopping", true)));
        return answer;
    }

    CompletableFuture<Void> send(ProcessMessage message, HostAgentPort.Early early) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        Consumer<Failure> listener = failure -> {
            if (failure == null) {
                answer.complete(null);
            } else {
                answer.completeExceptionally(new ProcessException(failure));
            }
        };
        Failure stopping = Failure.platform(Errors.UNAVAILABLE, "this host agent is stopping", true);
        adapters.processes().keep(message.application(), message.payload(), (kept, failure) -> {
            if (failure != null) {
                listener.accept(failure);
            } else {
                whileRunning(() -> on(new Input.Deliver(message.with(kept), early, listener)), () -> listener.accept(stopping));
            }
        });
        return answer;
    }

    CompletableFuture<List<ProcessView>> processes(String application) {
        CompletableFuture<List<ProcessView>> answer = new CompletableFuture<>();
        whileRunning(() -> on(new Input.ListProcesses(application, (views, failure) -> {
            if (failure == null) {
                answer.complete(views);
            } else {
                answer.completeExceptionally(new ProcessException(failure));
            }
        })), () -> answer.complete(List.of()));
        return answer;
    }

    private void whileRunning(Runnable task, Runnable otherwise) {
        try {
            loop.execute(() -> (stopped ? otherwise : task).run());
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    CompletableFuture<List<SandboxStatus>> status() {
        CompletableFuture<List<SandboxStatus>> answer = new CompletableFuture<>();
        loop.execute(() -> answer.complete(core.status(System.nanoTime())));
        return answer;
    }

    /** Between two inputs, a few steps long; none once it is stopped. */
    CompletableFuture<List<QueueLook.Waiting>> queued(QueuedEvents.Look look) {
        CompletableFuture<List<QueueLook.Waiting>> answer = new CompletableFuture<>();
        whileRunning(() -> answer.complete(core.queued(look)), () -> answer.complete(List.of()));
        return answer;
    }

    /** What the core has measured, copied between two inputs. */
    CompletableFuture<Figures.Reading> figures() {
        CompletableFuture<Figures.Reading> answer = new CompletableFuture<>();
        loop.execute(() -> answer.complete(core.figures(System.nanoTime())));
        return answer;
    }

    /** Completes when nothing runs any more. */
    CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        loop.execute(() -> {
            drains.add(drained);
            on(new Input.Drain());
        });
        return drained;
    }

    /** From now on nothing counts any more, as after a crash: what is left is the next start's. */
    void stop() {
        stopped = true;
    }

    long stalls() {
        return stallWatch.stalls();
    }

    long starved() {
        return stallWatch.starved();
    }

    long dropped() {
        return performer.dropped();
    }

    // --- on the event loop

    /** An input that comes of performing another one's actions takes its turn after it. */
    void on(Input input) {
        if (stopped) {
            return;
        }
        if (busy) {
            waiting.add(input);
            return;
        }
        busy = true;
        try {
            turnNs = System.nanoTime();
            for (Input next = input; next != null; next = waiting.poll()) {
                if (!(next instanceof Input.Tick)) {
                    takeDue();
                }
                take(next);
                if (waiting.isEmpty()) {
                    takeDue(); // what is due at once, such as to tell whoever invoked it of an end: no later turn of the loop's
                }
            }
        } catch (RuntimeException | Error e) {
            onBroken.accept(e);
        } finally {
            busy = false;
        }
        armTick();
    }

    /** One turn. What has come due takes one of its own. */
    private void take(Input input) {
        long nowNs = turnNs;
        stallWatch.began(nowNs);
        core.on(input, nowNs, performer);
        performer.performDeferred();
        turnNs = System.nanoTime();
        if (stallWatch.ended(input, nowNs, turnNs)) {
            turnNs = System.nanoTime(); // it has been looked at, and perhaps spoken of
        }
    }

    private void takeDue() {
        if (core.nextDeadlineNs() <= turnNs) {
            take(new Input.Tick());
        }
    }

    private void takeNoted() {
        for (int i = 0; i < MOST_NOTED && !noted.isEmpty(); i++) {
            on(noted.poll());
        }
        submitNoted();
    }

    /** A tick that comes too early does no harm, so the timer is only ever moved forward. */
    private void armTick() {
        long next = core.nextDeadlineNs();
        if (next >= tickNs) {
            return;
        }
        if (tick != null) {
            tick.cancel(false);
        }
        tickNs = next;
        tick = loop.schedule(this::onTick, Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void onTick() {
        tickNs = Long.MAX_VALUE;
        tick = null;
        if (core.nextDeadlineNs() <= System.nanoTime()) {
            on(new Input.Tick());
        } else {
            armTick(); // what it was for is moot
        }
    }

    void after(Duration delay, Runnable task) {
        loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** On the shard's thread. */
    boolean runs(String executionId) {
        return core.isOpen(executionId);
    }

    void onDrained() {
        drains.forEach(drained -> drained.complete(null));
        drains.clear();
    }

    // --- sandboxes

    SandboxCalls sandbox(String sandbox) {
        return sandboxes.get(sandbox);
    }

    SandboxCalls sandboxOf(AppKey app) {
        return sandboxByApp.get(app);
    }

    void startSandbox(Action.StartSandbox start) {
        adapters.sandboxes().start(start.app(), start.sandbox(), start.version(), new SandboxListener() {
            @Override
            public void onStarted(SandboxEndpoint endpoint, boolean warm) {
                execute(() -> claim(start.app(), start.sandbox(), start.version(), (SandboxSocketSet) endpoint, warm));
            }

            @Override
            public void onFailed(String cause, boolean forGood) {
                submit(new Input.SandboxFailed(start.app(), start.sandbox(), cause, forGood));
            }

            @Override
            public void onEnded(String cause) {
                execute(() -> {
                    if (sandboxes.get(start.sandbox()) instanceof SandboxCalls calls) {
                        onSandboxEnded(calls, cause);
                    }
                });
            }
        });
    }

    private void claim(AppKey app, String sandbox, ApplicationVersion version, SandboxSocketSet sockets, boolean warm) {
        SandboxCalls calls = new SandboxCalls(this, app, sandbox, version, sockets,
                adapters.secrets().apply(app.application()), adapters.data(), adapters.processes(),
                new GrainControl(app.application(), adapters.capabilities().of(version), adapters.control()));
        sandboxes.put(sandbox, calls);
        sandboxByApp.put(app, calls);
        calls.claim(bus);
        on(new Input.SandboxStarted(app, sandbox, warm));
        if (sockets.supervisorLost().isDone()) {
            calls.onSupervisorLost();
        }
    }

    /** From any thread. Workers hear of it before they are asked for what takes the place of instances that are dismissed. */
    void secretsChanged(String application) {
        execute(() -> {
            for (SandboxCalls calls : List.copyOf(sandboxes.values())) {
                if (calls.application().equals(application)) {
                    calls.renew(adapters.secrets().apply(application));
                }
            }
            on(new Input.SecretsChanged(application));
        });
    }

    void stopSandbox(String sandbox) {
        if (sandboxes.get(sandbox) instanceof SandboxCalls calls) {
            calls.stop();
        }
        adapters.sandboxes().stop(sandbox);
    }

    void forceKill(String sandbox) {
        adapters.sandboxes().forceKill(sandbox);
    }

    void onSandboxEnded(SandboxCalls calls, String cause) {
        if (sandboxes.remove(calls.sandbox(), calls)) {
            sandboxByApp.remove(calls.app(), calls);
            on(new Input.SandboxEnded(calls.app(), calls.sandbox(), cause));
        }
    }
}
