package dev.sand.hostagent.control;

import dev.sand.dataplane.Ticket;
import dev.sand.dataplane.Tickets;
import dev.sand.event.ControlPort;
import dev.sand.event.Errors;
import dev.sand.event.LogFields;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.localbus.BusReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of grains to the platform itself. Each is checked here, whatever was checked before the grain began: the operation is in the
 * capability of the grain, the ticket is that of the execution which the grain handles, and whoever asked may do it. Any thread may
 * call it; the checks and what they allow are done on threads of its own, so many at once.
 */
public final class ControlCalls implements AutoCloseable {
    /** Of arguments, and of an answer: a frame has room for it. */
    public static final int MOST_BYTES = 512 * 1024;
    static final int MOST_AT_ONCE = 64;
    /** That a call waits while the platform starts: what goes on from before may be quicker than the rest. */
    private static final Duration START_WAIT = Duration.ofSeconds(20);
    /** Whether its calls come through, which any grain of an application with a capability may ask: nothing is done. */
    static final String READY = "ready";
    private static final Logger LOG = LoggerFactory.getLogger(ControlCalls.class);
    private final Tickets tickets;
    private final LongSupplier nowMs;
    private final long startWaitMs;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("control-", 0).factory());
    private final Semaphore room = new Semaphore(MOST_AT_ONCE);
    private final AtomicLong made = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final CompletableFuture<ControlPort> port = new CompletableFuture<>();

    /** What has been counted. */
    public record Counts(long made, long denied) {}

    /** Who calls. @param execution that its instance handles, or null: none */
    public record Grain(String application, String name, String execution, Capabilities.Application capability) {
        String shown() {
            return application + "/" + name;
        }
    }

    /** @param nowMs the time that tickets are dated by */
    public ControlCalls(Tickets tickets, LongSupplier nowMs) {
        this(tickets, nowMs, START_WAIT);
    }

    ControlCalls(Tickets tickets, LongSupplier nowMs, Duration startWait) {
        this.tickets = tickets;
        this.nowMs = nowMs;
        this.startWaitMs = startWait.toMillis();
    }

    /** Whoever can do what is asked for; calls before that wait a while. */
    public void through(ControlPort operations) {
        port.complete(operations);
    }

    public Counts counts() {
        return new Counts(made.get(), denied.get());
    }

    /** An application without a capability calls, which no application does by mistake. */
    public void refuse(String application, BusReply<ControlReply> reply) {
        denied.incrementAndGet();
        LOG.atWarn().addKeyValue(LogFields.APPLICATION, application)
                .log("application {} has no capability, and asks to control the platform", application);
        reply.refuse(Errors.DENIED, "application " + application + " has no capability to control the platform on this host; only its operator can"
                + " give one (--management, --capabilities)");
    }

    public void call(Grain grain, ControlRequest request, BusReply<ControlReply> reply) {
        if (request.getArguments().length > MOST_BYTES) {
            reply.refuse(Errors.TOO_LARGE, "the arguments of " + request.getOperation() + " have " + request.getArguments().length
                    + " bytes, the limit is " + MOST_BYTES);
        } else if (!room.tryAcquire()) {
            reply.refuse(Errors.OVERLOADED, "there are " + MOST_AT_ONCE + " calls to the platform under way on this host already");
        } else {
            threads.execute(() -> {
                try {
                    checked(port.get(startWaitMs, TimeUnit.MILLISECONDS), grain, request, reply);
                } catch (TimeoutException | InterruptedException e) {
                    reply.refuse(Errors.UNAVAILABLE, "the platform is starting, and nobody can do that yet");
                } catch (ExecutionException | RuntimeException e) {
                    LOG.error("a call of {} for {} failed without an answer", request.getOperation(), grain.shown(), e);
                    reply.refuse(Errors.UNAVAILABLE, "the platform failed: " + e.getMessage());
                } finally {
                    room.release();
                }
            });
        }
    }

    private void checked(ControlPort operations, Grain grain, ControlRequest request, BusReply<ControlReply> reply) {
        String id = request.getOperation();
        boolean isReady = id.equals(READY);
        ControlPort.Operation operation = operations.operation(id).orElse(null);
        if (!isReady && (operation == null || !grain.capability.allows(grain.name, id))) {
            deny(operations, grain, id, null, "the capability of " + grain.shown() + " does not have " + id, reply);
            return;
        }
        Ticket ticket;
        try {
            ticket = tickets.read(request.getTicket(), grain.execution, nowMs.getAsLong());
        } catch (Tickets.Refusal e) {
            deny(operations, grain, id, null, e.getMessage(), reply);
            return;
        }
        if (isReady) {
            reply.answer(new ControlReply(200, ByteBuffer.allocate(0)));
            return;
        }
        if (!operation.scope().equals(ControlPort.Operation.ANYBODYS) && !ticket.asker().scopes().contains(operation.scope())) {
            deny(operations, grain, id, ticket.asker(), "whoever asks for " + id + " needs the scope " + operation.scope(), reply);
            return;
        }
        made.incrementAndGet();
        ControlPort.Reply answer;
        try {
            answer = operations.call(new ControlPort.Call(id, ticket.asker(), grain.shown(), grain.execution, request.getArguments()));
        } catch (IllegalArgumentException e) {
            reply.refuse(Errors.BAD_REQUEST, e.getMessage());
            return;
        }
        if (answer.body().length > MOST_BYTES) {
            reply.refuse(Errors.TOO_LARGE, "the answer of " + id + " has " + answer.body().length + " bytes, the limit is " + MOST_BYTES
                    + "; ask for less at once");
        } else {
            reply.answer(new ControlReply(answer.status(), ByteBuffer.wrap(answer.body())));
        }
    }

    private void deny(ControlPort operations, Grain grain, String operation, ControlPort.Asker asker, String why,
                      BusReply<ControlReply> reply) {
        denied.incrementAndGet();
        LOG.warn("{} was denied {}: {}", grain.shown(), operation, why);
        operations.denied(operation, asker, grain.shown(), why);
        reply.refuse(Errors.DENIED, why);
    }

    /** Waits for what runs. */
    @Override
    public void close() {
        threads.close();
    }
}
