package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.dataplane.Grant;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult;
import dev.sand.hostagent.shard.LentOutput;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
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
    /** A client that means to say that it has got a result says so at once, or with what it sends next. */
    private static final long GOT_NS = TimeUnit.SECONDS.toNanos(10);

    private final DataPlane plane;
    private final DataPlaneOptions options;
    private final Map<Long, Call> calls = new HashMap<>();
    private final Greeting greeting;
    private Channel channel;
    private ClientStream stream;
    private ClientWriter writer;
    private Answers answers;
    private Invocations invocations;
    private Patience patience;
    private Grant grant;
    private String client = "a stranger";
    private boolean gone;
    /** When a part of an input came last. */
    private long partNs;
    private String why;

    DataConnection(DataPlane plane) {
        this.plane = plane;
        this.options = plane.options();
        this.greeting = new Greeting(plane, this);
    }

    void begin(Channel of, ClientStream comes) {
        channel = of;
        stream = comes;
        writer = new ClientWriter(of, options.partBytes());
        answers = new Answers(this, writer);
        patience = new Patience(this, of, comes, writer, options);
    }

    DataPlaneOptions options() {
        return options;
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
        partNs = System.nanoTime();
        if (!call.isReceiving()) {
            plane.shares().receiving(grant.application(), -call.asked.size());
            invocations.begin(call);
        }
    }

    void onFrame(Frame frame) {
        if (grant == null) {
            if (!(frame instanceof Frame.Hello hello)) {
                throw new BadFrame("an invocation without a grant");
            }
            Grant shown = greeting.shown(hello);
            if (shown != null) {
                stream.preparing();
                plane.inFlight().find(shown, most -> {
                    if (!gone && greeting.isStanding(shown)) {
                        welcome(shown, hello.client(), most);
                    }
                    stream.prepared();
                });
            }
            return;
        }
        switch (frame) {
            case Frame.Invoke invoke -> {
                onInvoke(invoke);
                return;
            }
            case Frame.Got got -> answers.deliveries().got(got.request());
            case Frame.Cancel cancel -> invocations.cancel(calls.get(cancel.request()));
            case Frame.Ping ping -> send(new Frame.Pong(ping.number()));
            case Frame.Pong pong -> { }
            default -> throw new BadFrame("a " + frame.getClass().getSimpleName() + " is not for a client to send");
        }
        stream.broughtNothing(1);
    }

    private void welcome(Grant shown, String name, int inFlight) {
        client = name;
        grant = shown;
        invocations = new Invocations(plane, this, grant);
        plane.opened(this, grant);
        send(new Frame.Welcome(Frames.VERSION, plane.parts().host(), grant.process(), grant.epoch(), plane.nowMs(), inFlight,
                options.valueBytes(), options.partBytes(), (int) options.idle().toMillis()));
    }

    private void onInvoke(Frame.Invoke invoke) {
        if (calls.containsKey(invoke.request()) || answers.deliveries().has(invoke.request())) {
            throw new BadFrame("a second invocation with the number " + invoke.request());
        }
        Failure refusal = invocations.refusal(invoke, calls.size());
        if (refusal != null) {
            stream.broughtNothing(1);
            send(Invocations.failed(invoke.request(), "", refusal));
            return;
        }
        Call call = invocations.call(invoke);
        calls.put(call.request, call);
        if (call.isLarge()) {
            plane.shares().receiving(grant.application(), call.asked.size());
            partNs = call.beganNs;
        }
        invocations.prepare(call);
    }

    // --- for Invocations

    ClientStream stream() {
        return stream;
    }

    boolean isOpen(Call call) {
        return !gone && calls.get(call.request) == call;
    }

    /** The call's last frame, unless it was ended before. */
    void end(Call call, Frame last) {
        if (!calls.remove(call.request, call)) {
            return;
        }
        receivesNoMore(call);
        call.abandon();
        invocations.count(call, last, 0);
        send(last);
    }

    /** On any thread; a shard's, which this may be, answers with little in the middle of its step. @param output null: it is small, or there is none */
    void onEnd(Call call, InvocationResult result, LentOutput output) {
        if (output == null && channel.eventLoop().inEventLoop()) {
            try {
                answers.give(call, result, null);
            } catch (RuntimeException | OutOfMemoryError e) { // a connection's own trouble is none of the shard's
                LOG.error("{} ends for a fault of its handler", this, e);
                close("an answer could not be written");
            }
        } else if (!run(() -> answers.give(call, result, output))) {
            invocations.countLeft(call, result); // the host stops, and waits for what runs
            if (output != null) {
                output.undelivered();
            }
        }
    }

    /** On the loop: nobody is there any more for whom it has ended. */
    void onEndAlone(Call call, InvocationResult result, boolean moved) {
        if (moved || Invocations.isRefused(result)) {
            invocations.countNot(call);
        } else {
            invocations.countLeft(call, result);
        }
    }

    /** On the loop: it never ran. */
    void onRefused(Call call) {
        stream.broughtNothing(1);
        invocations.refused(call);
    }

    /** On the loop: its record says how it ended, and whoever ran it has counted it. */
    void onRecorded(Call call, InvocationResult result) {
        call.counted = true;
        answers.giveRecorded(call, result);
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

    /** The call is answered with that, of which a value may follow. @param bytes of the value */
    void answered(Call call, Frame.Result head, long bytes) {
        calls.remove(call.request);
        invocations.count(call, head, bytes);
    }

    void onMoved(Call call, boolean elsewhere) {
        if (elsewhere) {
            invocations.onElsewhere(call);
        } else {
            invocations.onMoved(call);
        }
    }

    void send(Frame frame) {
        if (!gone) {
            writer.send(frame);
        }
    }

    /** Answers to what was read at once go together. */
    void onRead() {
        writer.hold();
    }

    void onReadComplete() {
        writer.letGo();
    }

    void onWritable() {
        writer.onWritable();
    }

    // --- the end

    /**
     * Nothing is waited for from inputs whose time is over or that have stopped coming, and from clients that do not say what they have got.
     * Who waits for nothing is told that his process lives elsewhere by now; others hear it of what they wait for.
     */
    void expire(long nowNs) {
        if (grant != null && calls.isEmpty() && writer.unreadSinceNs(nowNs) == nowNs && !plane.isHere(grant)) {
            moveAway(grant);
            return;
        }
        answers.deliveries().giveUp(nowNs - GOT_NS);
        boolean stopped = nowNs - partNs > options.idle().toNanos(); // what is announced keeps its room from others
        for (Call call : List.copyOf(calls.values())) {
            if (call.isReceiving() && (stopped || nowNs - call.untilNs > 0)) {
                end(call, Invocations.failed(call.request, call.executionId, Failure.platform(Errors.TIMEOUT, stopped
                        ? "of its input nothing came for " + options.idle().toMillis() + " ms"
                        : "its input had not come when its time was over", true)));
            }
        }
    }

    boolean isFor(String application, String process) {
        return grant != null && grant.application().equals(application) && grant.process().equals(process);
    }

    boolean isOfDeleted(String application, int upTo) {
        return grant != null && grant.application().equals(application) && grant.version() <= upTo;
    }

    void goAwayDeleted() {
        goAway(Errors.NOT_FOUND, "there is no application " + grant.application() + " any more");
    }

    /** The process lives elsewhere: the client is told where, as far as that is known, and comes to it there. */
    void moveAway(Grant shown) {
        plane.whereabouts().find(shown, address -> {
            send(new Frame.Moved(0, address));
            close("its process is elsewhere");
        });
    }

    /** It has broken a rule. */
    void refuse(String error, String cause) {
        plane.figures().refused.increment();
        goAway(error, cause);
    }

    /** The host ends it, on the loop. */
    void goAway(String error, String cause) {
        send(new Frame.GoAway(error, cause));
        close(cause);
    }

    void close(String reason) {
        why = why == null ? reason : why;
        channel.flush();
        channel.close();
    }

    private void receivesNoMore(Call call) {
        if (call.isLarge() && !call.isRunning()) {
            plane.shares().receiving(grant.application(), -call.asked.size());
        }
    }

    void onClosed() {
        if (gone) {
            return;
        }
        gone = true;
        patience.end();
        writer.close();
        answers.deliveries().close();
        for (Call call : calls.values()) {
            receivesNoMore(call);
            call.abandon();
        }
        calls.clear();
        plane.closed(this, grant);
        LOG.debug("{} has ended: {}", this, why == null ? "closed by the client" : why);
    }

    @Override
    public String toString() {
        return "the connection of " + client + " at " + channel.remoteAddress();
    }
}
