package dev.sand.frontend.invoke;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Codec;
import dev.sand.event.Ids;
import dev.sand.event.Limits;
import dev.sand.frontend.http.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Which execution an Idempotency-Key stands for. The id is derived from application, target and key, and kept with a hash
 * of the body: the same request again is the same execution, another body under the same key is refused. Blocks.
 */
final class IdempotencyKeys {
    static final String TABLE = "idempotency";
    private static final int PAGE = 500;
    private final GlobalStore store;
    private final long keptMs;

    /** @param body hash of content type and body */
    record Entry(@JsonProperty("schema") short schema, @JsonProperty("executionId") String executionId,
                 @JsonProperty("body") String body, @JsonProperty("createdMs") long createdMs) {}

    IdempotencyKeys(GlobalStore store, long keptMs) {
        this.store = store;
        this.keptMs = keptMs;
    }

    static String hash(String application, String target, String key) {
        return sha256(application + '\0' + target + '\0' + key, null);
    }

    /** @return the execution's id; @throws dev.sand.frontend.http.ProblemException 422 when the body is another one */
    String claim(String application, String hash, String contentType, ByteBuffer body, long nowMs) {
        byte[] bits = HexFormat.of().parseHex(hash);
        ByteBuffer id = ByteBuffer.wrap(bits);
        Entry mine = new Entry(Limits.SCHEMA_VERSION, Ids.encode(nowMs, id.getShort(), id.getLong()),
                sha256(contentType, body), nowMs);
        while (true) {
            var found = store.get(TABLE, application, hash);
            if (found.isEmpty() || nowMs - Codec.decode(found.get().value(), Entry.class).createdMs > keptMs) {
                try {
                    store.put(TABLE, application, hash, Codec.encode(mine),
                            found.map(GlobalStore.Versioned::version).orElse(GlobalStore.ABSENT));
                    return mine.executionId;
                } catch (StoreException e) {
                    if (e.kind() != StoreException.Kind.CONFLICT) {
                        throw e;
                    }
                    continue;
                }
            }
            Entry entry = Codec.decode(found.get().value(), Entry.class);
            if (!entry.body.equals(mine.body)) {
                throw Problem.caller(422, "idempotency-key-reused", "The key stands for another request",
                        "This Idempotency-Key was used with another body for the same target, by execution "
                                + entry.executionId + "; use a new key for a new request.")
                        .with("executionId", entry.executionId).asException();
            }
            return entry.executionId;
        }
    }

    /** The request was turned away in a way that may be different next time: the key is free again. */
    void release(String application, String hash) {
        store.delete(TABLE, application, hash, GlobalStore.ANY);
    }

    /** Forgets keys that are older than they are kept for. */
    void expire(String application, long nowMs) {
        String after = null;
        List<GlobalStore.Entry> page;
        do {
            page = store.scan(TABLE, application, "", after, PAGE);
            for (GlobalStore.Entry entry : page) {
                after = entry.key();
                if (nowMs - Codec.decode(entry.value(), Entry.class).createdMs > keptMs) {
                    store.delete(TABLE, application, entry.key(), GlobalStore.ANY);
                }
            }
        } while (page.size() == PAGE);
    }

    private static String sha256(String text, ByteBuffer body) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.getBytes(StandardCharsets.UTF_8));
            if (body != null) {
                digest.update((byte) 0);
                digest.update(body.duplicate());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
