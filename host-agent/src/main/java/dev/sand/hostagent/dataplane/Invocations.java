package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.RequestRates;
import dev.sand.datalayer.StoreException;
import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.InvocationIds;
import dev.sand.event.ApplicationName;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From a client's frame to an execution in the granted process, and from its end to a frame. On the connection's event loop. */
final class Invocations {
    /** A client's ids tell the time by the host's clock: how old a repeated one may be, and how far ahead any. */
    private static final long OLDEST_MS = TimeUnit.HOURS.toMillis(1);
    private static final long AHEAD_MS = TimeUnit.MINUTES.toMillis(1);
    /** How long the record of what ended under an earlier owner is looked for. */
    private static final int LOOKS = 40;
    private static final long LOOK_MS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(Invocations.class);

    private final DataPlane plane;
    private final DataConnection connection;
    private final Grant grant;
    private final Counting counting;

    Invocations(DataPlane plane, DataConnection connection, Grant grant) {
        this.plane = plane;
        this.connection = connection;
        this.grant = grant;
        this.counting = new Counting(plane, connection, grant);
    }

    /** Why it is not even begun with, or null. */
    Failure refusal(Frame.Invoke invoke, int inFlight) {
        DataPlaneOptions options = plane.options();
        if (inFlight >= options.inFlight()) {
            return over(Errors.OVERLOADED, "invocations of one connection at once", options.inFlight(), inFlight + 1L, true);
        }
        if (invoke.size() > options.valueBytes()) {
            return over(Errors.TOO_LARGE, "bytes of an input", options.valueBytes(), invoke.size(), false);
        }
        if (!grant.allows(invoke.function())) {
            return Failure.caller(Errors.DENIED, "the grant does not allow to invoke " + invoke.function());
        }
        if (!Ids.isValid(invoke.id())) {
            return Failure.caller(Errors.BAD_REQUEST, "an invocation's id has 26 characters of base 32, not '" + invoke.id() + "'");
        }
        long age = plane.nowMs() - Ids.epochMs(invoke.id());
        if (age > OLDEST_MS || age < -AHEAD_MS) {
            return Failure.caller(Errors.BAD_REQUEST, "the invocation's id tells a time " + age + " ms ago by this host's clock, which the"
                    + " welcome told; the limit is " + OLDEST_MS + " ms");
        }
        boolean large = invoke.size() > invoke.first().remaining();
        long all = plane.shares().incoming() + invoke.size();
        if (large && all > options.incomingBytes()) {
            return over(Errors.OVERLOADED, "bytes of inputs on their way to this host", options.incomingBytes(), all, true);
        }
        long own = plane.shares().incoming(grant.application()) + invoke.size();
        if (large && own > options.incomingBytes() / 2) {
            return over(Errors.OVERLOADED, "bytes of inputs on their way to this host that are " + Shares.holder(grant.application()) + "'s",
                    options.incomingBytes() / 2, own, true);
        }
        return null;
    }

    private static Failure over(String error, String what, long limit, long actual, boolean retryable) {
        return new Failure(error, "this host takes at most " + limit + " " + what + ", and this one would make it " + actual,
                retryable ? Failure.Source.PLATFORM : Failure.Source.CALLER, retryable, null, Map.of("limit", limit, "actual", actual));
    }

    private static Failure over(RequestRates.Over over) {
        return new Failure(Errors.OVERLOADED, "tenant '" + over.tenant() + "' " + over.why() + " over the data plane of this host; try again in "
                + over.waitMs() + " ms", Failure.Source.CALLER, true, null, Map.of("quota", RequestRates.Over.QUOTA, "limit", over.limit()));
    }

    Call call(Frame.Invoke invoke) {
        long timeoutNs = invoke.deadlineMs() == 0 ? plane.options().timeout().toNanos()
                : TimeUnit.MILLISECONDS.toNanos(Integer.toUnsignedLong(invoke.deadlineMs()));
        return new Call(connection, invoke, InvocationIds.execution(grant.application(), grant.process(), invoke.id(), plane.slots(),
                plane.slotOf(grant)),
                System.nanoTime(), timeoutNs);
    }

    /** Finds the version; for what is repeated looks whether it has ended; makes room for what is large. */
    void prepare(Call call) {
        Live known = plane.versions().known(grant.application());
        if (known != null && known.isGranted(grant) && !call.asked.repeated()) {
            SegmentServer.Incoming incoming = call.isLarge()
                    ? plane.parts().segments().receiveAtOnce(grant.application(), call.executionId, call.asked.size()) : null;
            if (!call.isLarge() || incoming != null) {
                goOn(call, known.version(), incoming);
                return;
            }
        }
        connection.stream().preparing();
        plane.blocking().execute(() -> {
            Runnable next;
            try {
                next = prepared(call, known);
            } catch (StoreException e) {
                Failure failure = Failure.platform(e.kind() == StoreException.Kind.BAD_VALUE ? Errors.TOO_LARGE : Errors.UNAVAILABLE,
                        e.getMessage(), e.kind() != StoreException.Kind.BAD_VALUE);
                next = () -> connection.end(call, failed(call.request, call.executionId, failure));
            } catch (RuntimeException e) {
                LOG.atError().addKeyValue(LogFields.APPLICATION, grant.application())
                        .addKeyValue(LogFields.EXECUTION_ID, call.executionId).setCause(e)
                        .log("invocation {} of application {} cannot be begun", call.executionId, grant.application());
                next = () -> connection.goAway(Errors.UNAVAILABLE, "the host has failed to begin an invocation");
            }
            Runnable then = next;
            connection.run(() -> {
                then.run();
                connection.stream().prepared();
            });
        });
    }

    /** Blocks. @return what is to be done on the loop */
    private Runnable prepared(Call call, Live known) {
        Optional<Live> live = known != null ? Optional.of(known) : plane.versions().load(grant.application());
        if (live.isEmpty() || !live.get().isGranted(grant)) {
            return connection::goAwayDeleted;
        }
        if (call.asked.repeated()) {
            Optional<InvocationResult> ended = plane.parts().results().find(grant.application(), call.executionId);
            String before = InvocationIds.execution(grant.application(), grant.process(), call.asked.id(), plane.slots());
            if (ended.isEmpty() && !before.equals(call.executionId)) {
                ended = plane.parts().results().find(grant.application(), before); // where it lived before it was moved
            }
            if (ended.isPresent()) {
                InvocationResult found = ended.get();
                return () -> connection.onRecorded(call, found);
            }
        }
        SegmentServer.Incoming incoming = call.isLarge()
                ? plane.parts().segments().receive(grant.application(), call.executionId, call.asked.size()) : null;
        return () -> goOn(call, live.get().version(), incoming);
    }

    private void goOn(Call call, ApplicationVersion version, SegmentServer.Incoming incoming) {
        boolean goesOn = connection.isOpen(call) && check(call, version);
        if (goesOn && incoming != null) {
            call.receives(incoming);
        } else if (goesOn) {
            begin(call);
        } else if (incoming != null) {
            incoming.abandon();
        }
    }

    private boolean check(Call call, ApplicationVersion version) {
        call.version = version.version();
        if (version.grains().containsKey(call.asked.function())) {
            return true;
        }
        connection.stream().broughtNothing(1);
        connection.end(call, failed(call.request, call.executionId, Failure.caller(Errors.UNKNOWN_GRAIN, "application "
                + grant.application() + " has no grain " + call.asked.function() + " in its live version " + version.version())));
        return false;
    }

    /** All of its input is here. What is asked for again while it runs here is no request more, and begins nothing. */
    void begin(Call call) {
        call.running();
        boolean runs = call.asked.repeated() && plane.counted().hasBegun(call.executionId);
        Failure suspension = runs ? null : plane.suspension(grant);
        if (suspension != null) {
            refuse(call, suspension);
            return;
        }
        call.counted = !plane.counted().begins(call.executionId, Ids.epochMs(call.asked.id()), call.asked.repeated());
        RequestRates.Over over = call.counted ? null : plane.rates().take(ApplicationName.tenant(grant.application()));
        if (over != null) {
            plane.counted().beginsNot(call.executionId);
            refuse(call, over(over));
            return;
        }
        Payload input = call.input();
        long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(call.untilNs - System.nanoTime()));
        plane.parts().agent().invoke(new InvocationRequest(call.executionId, grant.application(), call.version, call.asked.function(), input,
                leftMs, false, null).inProcess(grant.process()), call);
        if (connection.isOpen(call)) { // it may have been refused at once
            counting.begun(call);
        }
    }

    /** Nobody pays for it. */
    private void refuse(Call call, Failure why) {
        call.counted = true;
        connection.stream().broughtNothing(1);
        connection.end(call, failed(call.request, call.executionId, why));
    }

    /** @param call null: it has ended meanwhile */
    void cancel(Call call) {
        if (call != null && call.isRunning()) {
            plane.parts().agent().cancel(call.executionId, "the client of its process cancelled it");
        } else if (call != null) {
            connection.end(call, new Frame.Failed(call.request, Frame.Status.CANCELLED, Frame.Source.PLATFORM, false, call.executionId,
                    Errors.CANCELLED, "the client cancelled it before it began", ""));
        }
    }

    /** The process lives elsewhere, and the invocation has not begun. */
    void onElsewhere(Call call) {
        plane.whereabouts().find(grant, address -> {
            if (connection.isOpen(call)) {
                connection.end(call, new Frame.Moved(call.request, address));
            } else {
                countNot(call);
            }
        });
    }

    /** It ended under an earlier owner, and its record says how; or the process is another host's. */
    void onMoved(Call call) {
        if (!plane.isHere(grant)) {
            onElsewhere(call);
            return;
        }
        plane.blocking().execute(() -> {
            Optional<InvocationResult> ended = Optional.empty();
            try {
                for (int looks = 0; looks < LOOKS && ended.isEmpty(); looks++) {
                    Thread.sleep(LOOK_MS);
                    ended = plane.parts().results().find(grant.application(), call.executionId);
                }
            } catch (StoreException e) {
                // The client asks again.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Optional<InvocationResult> found = ended;
            connection.run(() -> found.ifPresentOrElse(result -> connection.onRecorded(call, result),
                    () -> onElsewhere(call))); // here, or wherever it is by now: the client asks again either way
        });
    }

    /** Its last frame goes. What was not even begun is nobody's to pay for. */
    void count(Call call, Frame last, long bytesOut) {
        if (last instanceof Frame.Moved) {
            countNot(call);
        } else if (call.isRunning()) {
            counting.ended(call, last instanceof Frame.Failed, bytesOut);
        }
    }

    /** Its host has refused it: it never ran, and may be asked for again. */
    void refused(Call call) {
        countNot(call);
        call.counted = true;
    }

    /** It was not begun here. */
    void countNot(Call call) {
        if (call.isRunning() && !call.counted) {
            plane.counted().beginsNot(call.executionId);
        }
    }

    /** It was refused, for another host has its process. */
    static boolean isMoved(InvocationResult result) {
        return result.failure() != null && result.failure().error().equals(Errors.MOVED)
                && result.failure().source() == Failure.Source.PLATFORM;
    }

    /** It was refused before any attempt. What reached its deadline, or was cancelled, has waited for its turn, or ran. */
    static boolean isRefused(InvocationResult result) {
        return result.status() == InvocationResult.Status.FAILED && result.hops().isEmpty();
    }

    /** It has ended, and nobody is there any more for whom it did. On a shard's thread, once the loop runs no more. */
    void countLeft(Call call, InvocationResult result) {
        if (!isMoved(result) && !isRefused(result)) {
            counting.ended(call, result.failure() != null, result.output() == null ? 0 : result.output().size());
        }
    }

    // --- failures as frames

    static Frame.Failed failed(long request, String execution, Failure failure) {
        return failed(request, execution, Frame.Status.FAILED, failure);
    }

    static Frame.Failed failed(long request, InvocationResult result) {
        Frame.Status status = switch (result.status()) {
            case TIMED_OUT -> Frame.Status.TIMED_OUT;
            case CANCELLED -> Frame.Status.CANCELLED;
            default -> Frame.Status.FAILED;
        };
        return failed(request, result.executionId(), status, result.failure());
    }

    private static Frame.Failed failed(long request, String execution, Frame.Status status, Failure failure) {
        Frame.Source source = switch (failure.source()) {
            case PLATFORM -> Frame.Source.PLATFORM;
            case GRAIN -> Frame.Source.GRAIN;
            case CALLER -> Frame.Source.CALLER;
        };
        return new Frame.Failed(request, status, source, failure.retryable(), execution, failure.error(),
                failure.cause() == null ? "" : failure.cause(), failure.stackTrace() == null ? "" : failure.stackTrace());
    }
}
