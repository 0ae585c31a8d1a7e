package dev.sand.frontend.http;

import static dev.sand.event.Errors.*;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.FullDisk;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.globalbus.BusException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Failures of the platform's parts as problems: the one table of which error has which status. */
public final class Problems {
    private record Kind(int status, String name, String title) {}

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry(TIMEOUT, new Kind(504, "timeout", "The deadline passed")),
            Map.entry(CRASHED, new Kind(500, "crashed", "The grain's process ended without a result")),
            Map.entry(OUT_OF_MEMORY, new Kind(500, "out-of-memory", "The grain went over its memory limit")),
            Map.entry(UNSERIALIZABLE, new Kind(500, "unserializable", "The grain's result cannot be encoded")),
            Map.entry(TOO_LARGE, new Kind(413, "too-large", "Over a size limit")),
            Map.entry(OVERLOADED, new Kind(429, "overloaded", "A bounded queue is full")),
            Map.entry(IMPORT_FAILED, new Kind(500, "import-failed", "The grain's code cannot be loaded")),
            Map.entry(SANDBOX_FAILED, new Kind(503, "sandbox-failed", "No sandbox could be started")),
            Map.entry(CANCELLED, new Kind(409, "cancelled", "The execution was cancelled")),
            Map.entry(UNAVAILABLE, new Kind(503, "unavailable", "Not available now")),
            Map.entry(NOT_FOUND, new Kind(404, "not-found", "Not found")),
            Map.entry(BAD_REQUEST, new Kind(400, "bad-request", "The request is not well-formed")),
            Map.entry(CONFLICT, new Kind(409, "conflict", "Conflict")),
            Map.entry(DENIED, new Kind(403, "denied", "Not allowed")),
            Map.entry(UNKNOWN_GRAIN, new Kind(500, "unknown-grain", "Published to a grain that is not there")));
    /** Of any limit of the platform's; one that a tenant has is told apart by its name in the details. */
    private static final Kind OVER_QUOTA = new Kind(429, "quota-exceeded", "Over a quota");
    private static final Kind GRAIN_REFUSED = new Kind(429, "overloaded", "The grain was refused what it asked for");
    private static final Kind DISK_FULL = new Kind(507, "storage-full", "The disk is full");
    private static final Kind GRAIN_FAILED = new Kind(500, "grain-failed", "The grain failed");

    private Problems() {}

    /** How an execution ended without an output. */
    public static Problem of(Status status, Failure failure, String executionId) {
        return of(status == Status.CANCELLED ? KINDS.get(CANCELLED) : kind(failure), failure, executionId);
    }

    /** @param executionId may be null */
    public static Problem of(Failure failure, String executionId) {
        return of(kind(failure), failure, executionId);
    }

    private static Kind kind(Failure failure) {
        if (failure.details() != null && failure.details().containsKey(FullDisk.DETAIL)) {
            return DISK_FULL;
        }
        if (isRefusedGrain(failure)) {
            return GRAIN_REFUSED;
        }
        boolean quota = failure.error().equals(OVERLOADED) && failure.details() != null && failure.details().containsKey("quota");
        return quota ? OVER_QUOTA : KINDS.getOrDefault(failure.error(), GRAIN_FAILED);
    }

    /** A queue, a mailbox or a quota (of stored bytes, say) had no room for what it asked for, and it let that go through. */
    private static boolean isRefusedGrain(Failure failure) {
        return failure.source() == Failure.Source.GRAIN && failure.error().equals(OVERLOADED);
    }

    private static Problem of(Kind kind, Failure failure, String executionId) {
        // A grain that goes over a limit did not receive a bad request: that is its failure, not the caller's. And one that let an
        // error of what it called go through has run, and ended so: asking for it again later changes nothing, under its
        // Idempotency-Key. That is so of what was full as well, though another request may find room.
        boolean grain = failure.source() == Failure.Source.GRAIN && !failure.error().equals(CANCELLED) && kind != GRAIN_REFUSED;
        int status = grain && (kind.status < 500 || kind.status == 503 && !failure.retryable()) ? 500 : kind.status;
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("error", failure.error());
        if (executionId != null) {
            more.put("executionId", executionId);
        }
        if (failure.stackTrace() != null) {
            more.put("stackTrace", failure.stackTrace());
        }
        if (failure.details() != null) {
            more.putAll(failure.details());
        }
        String detail = failure.cause() == null || failure.cause().isEmpty() ? kind.title : failure.cause();
        return new Problem(kind.name, kind.title, status, detail, failure.source(), failure.retryable(), more);
    }

    /** Whatever an operation threw. Only what nobody foresaw is "internal", with an id that is in the log too. */
    static Problem of(Throwable thrown, String incident) {
        return switch (thrown) {
            case ProblemException e -> e.problem();
            case StoreException e -> switch (e.kind()) {
                case CONFLICT -> of(Failure.platform(Errors.CONFLICT, e.getMessage(), true), null);
                case FULL -> Problem.platform(507, "storage-full", "The store is full", e.getMessage(), true);
                case OVER_QUOTA -> of(new Failure(OVERLOADED, e.getMessage(), Failure.Source.PLATFORM, true, null,
                        Map.of("quota", "storedBytes", "limit", e.limit(), "actual", e.actual())), null);
                case AWAY -> of(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), true), null);
                case BAD_VALUE, BROKEN -> internal(e.getMessage(), incident);
            };
            case BusException e -> e.kind() == BusException.Kind.FULL
                    ? Problem.platform(507, "storage-full", "The global bus is full", e.getMessage(), true)
                    : of(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), e.retryable()), null);
            case InterruptedException e -> of(Failure.platform(Errors.UNAVAILABLE, "the platform is stopping", true), null);
            default -> FullDisk.is(thrown)
                    ? Problem.platform(507, "storage-full", "The disk is full", "There is no room on the platform's disk: "
                            + thrown.getMessage() + "; free space below its home.", true)
                    : internal("An error that the platform did not expect; its log has it under this incident.", incident);
        };
    }

    private static Problem internal(String detail, String incident) {
        return Problem.platform(500, "internal", "The platform failed", detail, false).with("incident", incident);
    }

    public static Problem unknownApplication(String application) {
        return Problem.caller(404, "unknown-application", "Unknown application",
                "There is no application '" + application + "' here; deploy it first.");
    }

    public static Problem unknownVersion(String application, String qualifier) {
        return Problem.caller(404, "unknown-version", "Unknown version or alias",
                "Application '" + application + "' has no version or alias '" + qualifier + "'.");
    }

    public static Problem unknownTarget(String application, int version, String target) {
        return Problem.caller(404, "unknown-target", "Unknown grain or workflow",
                "Version " + version + " of application '" + application + "' has no grain or workflow '" + target + "'.");
    }

    public static Problem notFound(String detail) {
        return Problem.caller(404, "not-found", "Not found", detail);
    }

    /** A successful execution's output is not to be had: it made room for newer ones, or was never kept. */
    public static Problem outputGone(InvocationRecord record) {
        String id = record.executionId();
        long size = record.output() == null ? 0 : record.output().size();
        return Problem.platform(410, "output-gone", "The output is not kept", InvocationStore.wasKept(record)
                ? "Execution " + id + " succeeded; its output of " + size + " bytes has made room for newer ones."
                : "Execution " + id + " succeeded; its output of " + size + " bytes was not kept: it is over what the platform keeps for an"
                        + " application, or could not be stored.", false).with("executionId", id).with("actual", size);
    }

    public static Problem badRequest(String detail) {
        return Problem.caller(400, "bad-request", "The request is not well-formed", detail);
    }

    /** A handler hears of the body's type and not of its encoding (RFC 9110 15.5.16). @param answer gets what is taken */
    public static Problem encodedBody(HttpFields.Mutable answer, String encoding) {
        answer.put(HttpHeader.ACCEPT_ENCODING, "identity");
        return Problem.caller(415, "encoded-body", "The body is encoded", "The body is taken as it is sent, and is not decoded: send it"
                + " without Content-Encoding: " + encoding + ", or under a Content-Type of its own.");
    }

    public static Problem bodyTooSlow(long received) {
        return Problem.caller(408, "body-timeout", "The body did not arrive", "After " + received
                + " bytes of the body nothing came for a minute, or it was not whole within five.").with("actual", received);
    }

    public static Problem uploadTooSlow(long received) {
        return Problem.caller(408, "body-timeout", "The body did not arrive", "The archive was not whole within an hour.")
                .with("actual", received);
    }

    public static Problem tooLarge(String what, long limit, long actual) {
        return Problem.caller(413, "body-too-large", "The body is over the limit",
                what + " has " + actual + " bytes, the limit is " + limit + ".").with("limit", limit).with("actual", actual);
    }
}
