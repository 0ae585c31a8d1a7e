package dev.sand.frontend.interior;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.ScopeParts;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Codec;
import dev.sand.event.ControlPort.Call;
import dev.sand.event.ControlPort.Reply;
import dev.sand.event.Digests;
import dev.sand.event.Ids;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes that grains have made, by the grain's execution, operation and arguments: a grain whose worker or host is lost in the middle
 * runs again, and asks for the same once more. It gets the first one's answer. A row is there before the change, and has the answer
 * after it; the newest hour is kept, which is longer than any ticket is good for. What else is noted of a change (its entry in the audit
 * log) is written with these rows, at once where the store can: two times are waited for, not four. Blocks.
 */
public final class MadeChanges {
    private static final Logger LOG = LoggerFactory.getLogger(MadeChanges.class);
    private static final String TABLE = "control-changes";
    private static final String SCOPE = "made";
    private static final ScopeParts PARTS = new ScopeParts(8);
    private static final int LONGEST_ANSWER = 64 * 1024;
    private static final int UNKNOWN = 503;
    private static final int GONE = 404;
    private static final long KEPT_MS = 60L * 60 * 1000;
    private static final long WAIT_MS = 120_000;
    private static final int TRIM_EACH = 256;
    private static final int PAGE = 500;
    private final GlobalStore store;
    private final LongSupplier clockMs;
    /** Those that are being made by this program: bounded by the calls that hosts let through at once. */
    private final ConcurrentHashMap<String, CompletableFuture<Reply>> underWay = new ConcurrentHashMap<>();
    private final AtomicInteger made = new AtomicInteger();

    /** @param status 0: it has begun, and nobody has told how it ended; @param body null: none, or too much to keep */
    record Row(@JsonProperty("schema") short schema, @JsonProperty("status") int status, @JsonProperty("body") byte[] body) {}

    public MadeChanges(GlobalStore store, LongSupplier clockMs) {
        this.store = store;
        this.clockMs = clockMs;
    }

    /** What is made, and rows that are kept of it: each of the two times written together with the one here, which is waited for once. */
    interface Change {
        Reply make();

        /** That have to be there before it is made, under keys that nobody has. */
        default List<Write> before() {
            return List.of();
        }

        /** What came of it. */
        default List<Write> after() {
            return List.of();
        }

        /** These are written. */
        default void isWritten() {}

        /** They are not; it is made all the same. */
        default void isNotWritten(RuntimeException why) {}
    }

    /** @return its answer, or that of the same call of the same execution. @throws StoreException nothing was done */
    Reply once(Operations.Operation operation, Call call, Change change) {
        String key = key(call);
        CompletableFuture<Reply> mine = new CompletableFuture<>();
        CompletableFuture<Reply> before = underWay.putIfAbsent(key, mine);
        if (before != null) {
            return awaited(before, call);
        }
        Reply reply = null;
        try {
            reply = madeOnce(operation, call, key, change);
            return reply;
        } finally {
            mine.complete(reply == null ? unknown(call) : reply);
            underWay.remove(key);
        }
    }

    private Reply madeOnce(Operations.Operation operation, Call call, String key, Change change) {
        Row first = begin(key, change.before());
        if (first != null && first.status != 0) {
            return new Reply(first.status, first.body == null ? new byte[0] : first.body);
        }
        if (first != null && !isRepeatable(operation)) {
            return unknown(call);
        }
        if (first != null) {
            store.addAll(change.before());
        }
        Reply reply = change.make();
        if (first != null && reply.status() == GONE) {
            // Whether it had gone before, or the lost try took it away, nobody knows.
            reply = unknown(call);
        }
        end(key, reply, call, change);
        return reply;
    }

    /** What stays the same when it is done twice. */
    private static boolean isRepeatable(Operations.Operation operation) {
        return operation.method().equals("PUT") || operation.method().equals("DELETE");
    }

    /** @return null: nobody has begun it before */
    private Row begin(String key, List<Write> before) {
        try {
            store.addAll(with(row(key, 0, null), before));
            return null;
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
            return store.get(TABLE, PARTS.of(SCOPE, key), key).map(found -> Codec.decode(found.value(), Row.class)).orElseThrow(() -> e);
        }
    }

    private static List<Write> with(Write own, List<Write> others) {
        List<Write> all = new ArrayList<>(List.of(own));
        all.addAll(others);
        return all;
    }

    private static Write row(String key, int status, byte[] body) {
        return new Write(TABLE, PARTS.of(SCOPE, key), key, Codec.encode(new Row(Limits.SCHEMA_VERSION, status, body)));
    }

    private void end(String key, Reply reply, Call call, Change change) {
        byte[] body = reply.body().length == 0 || reply.body().length > LONGEST_ANSWER ? null : reply.body();
        try {
            store.writeAll(with(row(key, reply.status(), body), change.after()));
        } catch (RuntimeException e) { // it is made: only a second try is told less
            LOG.atWarn().addKeyValue(LogFields.EXECUTION_ID, call.execution()).log("the answer of {} is not kept: {}", call.operation(), e.toString());
            change.isNotWritten(e);
            return;
        }
        change.isWritten();
        try {
            if (made.getAndIncrement() % TRIM_EACH == 0) {
                trim();
            }
        } catch (RuntimeException e) {
            LOG.warn("answers of changes from long ago are not removed: {}", e.toString());
        }
    }

    private void trim() {
        String oldest = Ids.encode(Math.max(0, clockMs.getAsLong() - KEPT_MS), 0, 0);
        for (String part : PARTS.all(SCOPE)) {
            store.keys(TABLE, part, "", null, PAGE).stream().takeWhile(key -> key.compareTo(oldest) < 0)
                    .forEach(key -> store.delete(TABLE, part, key, GlobalStore.ANY));
        }
    }

    private static Reply awaited(CompletableFuture<Reply> before, Call call) {
        try {
            return before.get(WAIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unknown(call);
        } catch (ExecutionException | TimeoutException e) {
            return unknown(call);
        }
    }

    private static Reply unknown(Call call) {
        return new Reply(UNKNOWN, Problem.platform(UNKNOWN, "management-failed", "The outcome is not known", "The grain was lost while "
                + call.operation() + " was made, and it is not known whether that was done; it is not done twice. Look, and ask again.", false)
                .with("executionId", call.execution()).with("mayHaveRun", Boolean.TRUE).toJson(""));
    }

    /** In order of time, as execution ids are. */
    private static String key(Call call) {
        MessageDigest digest = Digests.sha256();
        digest.update(call.operation().getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        return call.execution() + "/" + HexFormat.of().formatHex(digest.digest(call.arguments()), 0, 16);
    }
}
