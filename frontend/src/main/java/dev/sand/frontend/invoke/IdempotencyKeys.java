package dev.sand.frontend.invoke;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.ScopeParts;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Codec;
import dev.sand.event.Digests;
import dev.sand.event.Ids;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.frontend.http.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which execution an Idempotency-Key stands for, at whichever frontend it is used. The id is derived from application,
 * target and key, its time part is the claim's, and the claim is kept with a hash of the body: the same request again is the
 * same execution, another body under the same key is refused. Of two frontends that claim a key at once, one wins and the other
 * finds its claim. Blocks.
 */
public final class IdempotencyKeys {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyKeys.class);
    private static final String TABLE = "idempotency";
    /** Any frontend writes any key. */
    private static final ScopeParts PARTS = new ScopeParts(64);
    /** Hashed before the name of the application, which says whose it is. */
    private static final String SALT = "default";
    private static final int PAGE = 500;
    private static final long CONFLICT = -1;
    private final GlobalStore store;
    private final long keptMs;

    /** @param body hash of content type and body; @param ended null: not that anybody knew */
    record Entry(@JsonProperty("schema") short schema, @JsonProperty("executionId") String executionId,
                 @JsonProperty("body") String body, @JsonProperty("createdMs") long createdMs,
                 @JsonProperty("ended") Boolean ended) {}

    /**
     * @param ended it ended before: without a record of it, its result is kept no more, and it must not run again
     * @param fresh nobody had asked under the key before
     * @param version of the entry: each who asks while it has not ended makes a new one
     * @param createdMs when the key was claimed first
     */
    record Claim(String executionId, boolean ended, boolean fresh, long version, long createdMs) {}

    /** An id that is always the same for the same bits. */
    @FunctionalInterface
    interface OfBits {
        String of(int high16, long low64);
    }

    IdempotencyKeys(GlobalStore store, long keptMs) {
        this.store = store;
        this.keptMs = keptMs;
    }

    static String hash(String application, String target, String key) {
        return sha256(SALT + '\0' + application + '\0' + target + '\0' + key, null);
    }

    /** The cloud process that the key made, where the request named none. @param createdMs of its claim */
    static String process(String hash, long createdMs) {
        ByteBuffer bits = ByteBuffer.wrap(HexFormat.of().parseHex(hash), Short.BYTES + Long.BYTES, Short.BYTES + Long.BYTES);
        return Ids.encode(createdMs, bits.getShort(), bits.getLong());
    }

    /**
     * @param contentType and what else a repetition has to have in common besides the body
     * @param ids makes the execution's id of the hash's first bits
     * @throws dev.sand.frontend.http.ProblemException 422 when the body is another one
     */
    Claim claim(String application, String hash, String contentType, ByteBuffer body, long nowMs, OfBits ids) {
        byte[] bits = HexFormat.of().parseHex(hash);
        ByteBuffer id = ByteBuffer.wrap(bits);
        Entry mine = new Entry(Limits.SCHEMA_VERSION, ids.of(id.getShort(), id.getLong()),
                sha256(contentType, body), nowMs, null);
        while (true) {
            var found = store.get(TABLE, PARTS.of(application, hash), hash);
            if (found.isEmpty() || nowMs - Codec.decode(found.get().value(), Entry.class).createdMs > keptMs) {
                long version = put(application, hash, mine, found.map(GlobalStore.Versioned::version).orElse(GlobalStore.ABSENT));
                if (version == CONFLICT) {
                    continue;
                }
                return new Claim(mine.executionId, false, true, version, nowMs);
            }
            Entry entry = Codec.decode(found.get().value(), Entry.class);
            if (!entry.body.equals(mine.body)) {
                throw Problem.caller(422, "idempotency-key-reused", "The key stands for another request",
                        "This Idempotency-Key was used with another body, or for another process, for the same target, by execution "
                                + entry.executionId + "; use a new key for a new request.")
                        .with("executionId", entry.executionId).asException();
            }
            if (entry.ended != null && entry.ended) {
                return new Claim(entry.executionId, true, false, found.get().version(), entry.createdMs);
            }
            // Whoever asked before and is turned away now must not free the key under this one.
            long version = put(application, hash, entry, found.get().version());
            if (version != CONFLICT) {
                return new Claim(entry.executionId, false, false, version, entry.createdMs);
            }
        }
    }

    /** @return the new version, or CONFLICT */
    private long put(String application, String hash, Entry entry, long ifVersion) {
        try {
            return store.put(TABLE, PARTS.of(application, hash), hash, Codec.encode(entry), ifVersion);
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
            return CONFLICT;
        }
    }

    /** The request was turned away in a way that may be different next time: the key is free again, unless somebody asked since. */
    void release(String application, String hash, Claim claim) {
        change(application, hash, claim.executionId, found -> {
            if (found.version() == claim.version) {
                store.delete(TABLE, PARTS.of(application, hash), hash, found.version());
            }
        });
    }

    /** Its process lives elsewhere: the key stands for another execution there. @return null: somebody has asked under it since */
    Claim move(String application, String hash, Claim claim, String executionId) {
        var found = store.get(TABLE, PARTS.of(application, hash), hash);
        if (found.isEmpty() || found.get().version() != claim.version) {
            return null;
        }
        Entry entry = Codec.decode(found.get().value(), Entry.class);
        long version = put(application, hash, new Entry(entry.schema, executionId, entry.body, entry.createdMs, null), claim.version);
        return version == CONFLICT ? null : new Claim(executionId, false, claim.fresh, version, claim.createdMs);
    }

    /** It has ended: for as long as keys are kept, the key stands for that and for nothing new. */
    void ended(String application, String hash, String executionId) {
        change(application, hash, executionId, found -> {
            Entry entry = Codec.decode(found.value(), Entry.class);
            store.put(TABLE, PARTS.of(application, hash), hash, Codec.encode(new Entry(entry.schema, entry.executionId, entry.body, entry.createdMs,
                    true)), found.version());
        });
    }

    /**
     * Only while the key stands for that execution: another frontend may have freed it, and a third claimed it anew. A store
     * that takes nothing now is no harm: the key goes on to stand for its execution, whose record tells how it ended.
     */
    private void change(String application, String hash, String executionId, Consumer<GlobalStore.Versioned> change) {
        try {
            var found = store.get(TABLE, PARTS.of(application, hash), hash);
            if (found.isPresent() && Codec.decode(found.get().value(), Entry.class).executionId.equals(executionId)) {
                change.accept(found.get());
            }
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.EXECUTION_ID, executionId)
                        .log("the Idempotency-Key of execution {} is not noted as done with: {}", executionId, e.getMessage());
            }
        }
    }

    /** Forgets keys that are older than they are kept for. */
    void expire(String application, long nowMs) {
        PARTS.all(application).forEach(part -> expirePart(part, nowMs));
    }

    private void expirePart(String part, long nowMs) {
        String after = null;
        List<GlobalStore.Entry> page;
        do {
            page = store.scan(TABLE, part, "", after, PAGE);
            for (GlobalStore.Entry entry : page) {
                after = entry.key();
                if (nowMs - Codec.decode(entry.value(), Entry.class).createdMs > keptMs) {
                    forgetUnchanged(part, entry);
                }
            }
        } while (page.size() == PAGE);
    }

    /** One that was claimed anew a moment ago stays. */
    private void forgetUnchanged(String part, GlobalStore.Entry entry) {
        try {
            store.delete(TABLE, part, entry.key(), entry.version());
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
        }
    }

    /** All of an application that is deleted. */
    public static void forget(GlobalStore store, String application) {
        PARTS.delete(store, TABLE, application);
    }

    private static String sha256(String text, ByteBuffer body) {
        MessageDigest digest = Digests.sha256();
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        if (body != null) {
            digest.update((byte) 0);
            digest.update(body.duplicate());
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
