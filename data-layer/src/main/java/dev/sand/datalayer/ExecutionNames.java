package dev.sand.datalayer;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.Digests;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import java.util.HexFormat;

/** Names of a workflow's executions, each given away once, for as long as the application is there. */
public final class ExecutionNames {
    private static final String TABLE = "execution-names";

    private final GlobalStore store;

    ExecutionNames(GlobalStore store) {
        this.store = store;
    }

    /** Which execution has a name. @param input digest of what it was started with */
    public record Claim(@JsonProperty("schema") short schema, @JsonProperty("executionId") String executionId,
                        @JsonProperty("input") String input) {
        public boolean isOf(Payload other) {
            return input.equals(digest(other));
        }
    }

    /** Gives a name away, unless somebody has it. Blocks. @return who has it */
    public Claim claim(String application, String workflow, String name, String executionId, Payload input) {
        Claim mine = new Claim(Limits.SCHEMA_VERSION, executionId, digest(input));
        String key = workflow + "/" + name;
        try {
            store.put(TABLE, application, key, Codec.encode(mine), GlobalStore.ABSENT);
            return mine;
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
            return store.get(TABLE, application, key).map(found -> Codec.decode(found.value(), Claim.class)).orElse(mine);
        }
    }

    void deleteApplication(String application) {
        store.deleteScope(TABLE, application);
    }

    private static String digest(Payload payload) {
        byte[] bytes = payload.bytes() == null ? new byte[0] : payload.bytes();
        return HexFormat.of().formatHex(Digests.sha256(bytes));
    }
}
