package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.StoreException;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.shard.LentOutput;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: its frames, the limits that hold for it, and the time. {@link ClientStream} has what it sends,
 * {@link ClientWriter} what it is sent; its invocations are passed to {@link Invocations}. Nothing but a grant passes before there is
 * one. On the channel's event loop.
 *
 * <pre> connected ─ preface, hello ─▶ open ─ closed, silent, unread, rule broken ─▶ gone </pre>
 */
final class DataConnection {
    private static final Logger LOG = LoggerFactory.getLogger(DataConnection.class);
    private static final long LOOK_MS = 500;
    /** A client that means to say that it has got a result says so at once. */
    private static final long GOT_NS = TimeUnit.SECONDS.toNanos(10);

    private final DataPlane plane;
    private final DataPlaneOptions options;
    private final Map<Long, Call> calls = new HashMap<>();
    private final Deliveries deliveries = new Deliveries();
    private final long beganNs = System.nanoTime();
    private Channel channel;
    private ClientStream stream;
    private ClientWriter writer;
    private Invocations invocations;
    private ScheduledFuture<?> look;
    private Grant grant;
    private String client = "a stranger";
    private boolean gone;
    private String why;

    DataConnection(DataPlane plane) {
        this.plane = plane;
        this.options = plane.options();
    }

    void begin(Channel of, ClientStream comes) {
        channel = of;
        stream = comes;
        writer = new ClientWriter(of, options.partBytes());
        look = of.eventLoop().scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    // --- what comes

    boolean isGone() {
        return gone;
    }

    /** It has shown a grant. */
    boolean isKnown() {
        return grant != null;
    }

    /** Null: it was refused, or has ended. */
    Call call(long request) {
        return calls.get(request);
    }

    /** More of its value is there. */
    void onBytes(Call call) {
        if (!call.isReceiving()) {
            plane.incoming(-call.asked.size());
            invocations.begin(call);
        }
    }

    void onFrame(Frame frame) {
        if (grant == null) {
            if (!(frame instanceof Frame.Hello hello)) {
                throw new BadFrame("an invocation without a grant");
            }
            onHello(hello);
            return;
        }
        switch (frame) {
            case Frame.Invoke invoke -> onInvoke(invoke);
            case Frame.Got got -> deliveries.got(got.request());
            case Frame.Cancel cancel -> onCancel(cancel.request());
            case Frame.Ping ping -> send(new Frame.Pong(ping.number()));
            case Frame.Pong pong -> { }
            default -> throw new BadFrame("a " + frame.getClass().getSimpleName() + " is not for a client to send");
        }
    }

    private void onHello(Frame.Hello hello) {
        Grant shown;
        try {
            if (hello.version() != Frames.VERSION) {
                refuse(Errors.BAD_REQUEST, "this host speaks version " + Frames.VERSION + " of the protocol, not " + hello.version(), false);
                return;
            }
            shown = plane.parts().grants().read(hello.grant(), plane.nowMs());
        } catch (Grants.Refusal e) {
            refuse(Errors.DENIED, e.getMessage(), e.fault() == Grants.Fault.EXPIRED);
            return;
        }
        if (plane.isKilled(shown)) {
            refuse(Errors.NOT_FOUND, "process " + shown.process() + " was killed after this grant was issued", true);
            return;
        }
        client = hello.client();
        if (!plane.isHere(shown)) {
            send(new Frame.Moved(0, ""));
            close("its grant is for another place");
            return;
        }
        grant = shown;
        invocations = new Invocations(plane, this, grant);
        plane.opened(this, grant);
        send(new Frame.Welcome(Frames.VERSION, plane.parts().host(), grant.process(), grant.epoch(), plane.nowMs(), options.inFlight(),
                options.valueBytes(), options.partBytes(), (int) options.idle().toMillis()));
    }

    private void refuse(String error, String cause, boolean retryable) {
        plane.figures().refused.increment();
        send(new Frame.Refused(error, cause, retryable));
        close(cause);
    }

    private void onInvoke(Frame.Invoke invoke) {
        if (calls.containsKey(invoke.request())) {
            throw new BadFrame("a second invocation with the number " + invoke.request());
        }
        Failure refusal = invocations.refusal(invoke, calls.size());
        if (refusal != null) {
            send(Invocations.failed(invoke.request(), "", refusal));
            return;
        }
        Call call = invocations.call(invoke);
        calls.put(call.request, call);
        if (call.isLarge()) {
            plane.incoming(call.asked.size());
        }
        invocations.prepare(call);
    }

    private void onCancel(long request) {
        Call call = calls.get(request);
        if (call == null) {
            return; // It has ended meanwhile.
        }
        if (call.isRunning()) {
            plane.parts().agent().cancel(call.executionId, "the client of its process cancelled it");
        } else {
            end(call, new Frame.Failed(request, Frame.Status.CANCELLED, Frame.Source.PLATFORM, false, call.executionId, Errors.CANCELLED,
                    "the client cancelled it before it began", ""));
        }
    }

    // --- for Invocations

    void preparing() {
        stream.preparing();
    }

    void prepared() {
        stream.prepared();
    }

    boolean isOpen(Call call) {
        return !gone && calls.get(call.request) == call;
    }

    /** The call's last frame, unless it was ended before. */
    void end(Call call, Frame last) {
        if (!calls.remove(call.request, call)) {
            return;
        }
        plane.incoming(call.isLarge() && !call.isRunning() ? -call.asked.size() : 0);
        call.abandon();
        invocations.count(call, last, 0);
        send(last);
    }

    /** On any thread. @param output null: it is small, or there is none */
    void onEnd(Call call, InvocationResult result, LentOutput output) {
        if (!run(() -> answer(call, result, output)) && output != null) {
            output.undelivered();
        }
    }

    /** @return false when nothing runs on the loop any more */
    boolean run(Runnable step) {
        try {
            channel.eventLoop().execute(step);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void answer(Call call, InvocationResult result, LentOutput output) {
        boolean moved = result.failure() != null && result.failure().error().equals(Errors.MOVED);
        if (!isOpen(call) || moved) {
            if (output != null) {
                output.undelivered();
            }
            if (moved && isOpen(call)) {
                invocations.onMoved(call);
            }
            return;
        }
        if (result.failure() != null || result.output() == null) {
            end(call, Invocations.failed(call.request, result));
            return;
        }
        ByteBuffer memory;
        try {
            memory = output != null ? output.memory().memory() : ByteBuffer.wrap(result.output().bytes());
        } catch (StoreException e) {
            output.undelivered();
            end(call, Invocations.failed(call.request, call.executionId, Failure.platform(Errors.UNAVAILABLE, e.getMessage(), false)));
            return;
        }
        calls.remove(call.request);
        answer(call, result, memory, output);
    }

    private void answer(Call call, InvocationResult result, ByteBuffer memory, LentOutput output) {
        Payload value = result.output();
        boolean small = memory.remaining() <= Frames.INLINE_BYTES;
        Frame.Result head = new Frame.Result(call.request, result.executionId(), value.contentType(), memory.remaining(),
                small ? memory : ByteBuffer.allocate(0));
        invocations.count(call, head, memory.remaining());
        if (small) {
            send(head);
            if (output != null) {
                output.delivered();
            }
        } else {
            writer.send(head, memory, output == null ? () -> { } : deliveries.add(call.request, output, System.nanoTime()));
        }
    }

    private void send(Frame frame) {
        if (!gone) {
            writer.send(frame);
        }
    }

    void onWritable() {
        writer.onWritable();
    }

    // --- time, and the end

    private void look() {
        long nowNs = System.nanoTime();
        long unreadNs = nowNs - writer.unreadSinceNs(nowNs);
        if (grant == null && nowNs - beganNs > options.hello().toNanos()) {
            close("it has shown no grant for " + options.hello().toMillis() + " ms");
        } else if (unreadNs > options.unread().toNanos()) {
            close("it has read nothing of its answers for " + options.unread().toMillis() + " ms");
        } else if (unreadNs == 0 && !stream.isPreparing() && nowNs - stream.heardNs() > options.idle().toNanos()) {
            goAway(Errors.TIMEOUT, "nothing was heard for " + options.idle().toMillis() + " ms");
        } else {
            deliveries.giveUp(nowNs - GOT_NS);
            for (Call call : List.copyOf(calls.values())) {
                if (call.isReceiving() && nowNs - call.untilNs > 0) {
                    end(call, Invocations.failed(call.request, call.executionId, Failure.platform(Errors.TIMEOUT,
                            "its input had not come when its time was over", true)));
                }
            }
        }
    }

    boolean isFor(String application, String process) {
        return grant != null && grant.application().equals(application) && grant.process().equals(process);
    }

    /** The host ends it, on the loop. */
    void goAway(String error, String cause) {
        send(new Frame.GoAway(error, cause));
        close(cause);
    }

    private void close(String reason) {
        why = why == null ? reason : why;
        channel.flush();
        channel.close();
    }

    void onClosed() {
        if (gone) {
            return;
        }
        gone = true;
        look.cancel(false);
        writer.close();
        deliveries.close();
        for (Call call : calls.values()) {
            plane.incoming(call.isLarge() && !call.isRunning() ? -call.asked.size() : 0);
            call.abandon();
        }
        calls.clear();
        plane.closed(this, grant);
        LOG.debug("the connection of {} at {} has ended: {}", client, channel.remoteAddress(), why == null ? "closed by the client" : why);
    }

    void onFault(Throwable fault) {
        if (fault instanceof BadFrame) {
            plane.figures().refused.increment();
            LOG.info("closing the connection of {} at {}: {}", client, channel.remoteAddress(), fault.getMessage());
            send(new Frame.GoAway(Errors.BAD_REQUEST, fault.getMessage()));
        } else if (!(fault instanceof IOException)) {
            LOG.error("the connection of {} at {} ends for a fault of its handler", client, channel.remoteAddress(), fault);
        }
        close(fault.getMessage() == null ? fault.toString() : fault.getMessage());
    }
}
