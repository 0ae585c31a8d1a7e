package dev.sand.datalayer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.datalayer.TableOperation.What;
import dev.sand.event.ApplicationName;
import dev.sand.event.Payload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * Rows of the management application that say who may do what: its grains write them, frontends read them. The one that a frontend
 * writes is when a key was last used. Blocks; every call may throw a {@link StoreException}.
 */
public final class AccessTables {
    /** The platform's own application, which no caller can name: theirs begin with a letter. */
    public static final String APPLICATION = "0sand-management";
    private static final int SCHEMA = 1;
    private static final JsonMapper JSON = new JsonMapper();
    private final TableStore tables;

    /** @param hash SHA-256 of its text; @param expiresMs and {@code revokedMs}: 0, if never */
    public record KeyRow(byte[] hash, String tenant, Set<String> scopes, long expiresMs, long revokedMs) {}

    /** @param tenant that he acts in; @param role in it, or ""; @param operator of the whole platform; @param disabled he may not be here any more */
    public record SessionRow(String user, String tenant, String role, boolean operator, boolean disabled, long expiresMs) {}

    /**
     * What a tenant may have at most; null: as much as it likes.
     *
     * @param requestsPerSecond of each frontend; @param instances that run at once on each host; @param memoryBytes of its sandboxes on each
     *     host; @param storedBytes in the data layer
     */
    public record QuotaRow(Integer applications, Integer requestsPerSecond, Integer instances, Long memoryBytes, Long storedBytes) {
        static final QuotaRow NONE = new QuotaRow(null, null, null, null, null);
    }

    public AccessTables(GlobalStore store) {
        tables = new TableStore(store);
    }

    /** Counts changes of who may do what: rows that were read under another number may be old. */
    public long epoch() {
        Payload found = get("access", "epoch");
        return found == null ? 0 : Long.parseLong(new String(found.bytes(), StandardCharsets.ISO_8859_1));
    }

    /** One that a newer platform wrote is none: it is not understood by half. */
    public Optional<KeyRow> key(String id) {
        JsonNode row = row("keys/" + id.charAt(0), id);
        if (row == null) {
            return Optional.empty();
        }
        try {
            Set<String> scopes = new TreeSet<>();
            row.path("scopes").forEach(scope -> scopes.add(scope.asText()));
            return Optional.of(new KeyRow(HexFormat.of().parseHex(row.path("hash").asText()), row.path("tenant").asText(), Set.copyOf(scopes),
                    row.path("expiresMs").asLong(), row.path("revokedMs").asLong()));
        } catch (IllegalArgumentException e) {
            throw new StoreException(StoreException.Kind.BROKEN, "the row of key " + id + " cannot be read", 0, e);
        }
    }

    /** Whether there was ever an account. */
    public boolean accounts() {
        return get("state", "accounts") != null;
    }

    /** Whether those of the tenant may do anything at all; {@code default} always. */
    public boolean isActive(String tenant) {
        if (tenant.equals(ApplicationName.DEFAULT_TENANT)) {
            return true;
        }
        return isActive(row("tenants", tenant));
    }

    private static boolean isActive(JsonNode row) {
        return row != null && row.path("state").asText().equals("active");
    }

    /** Those that are there, and of whom nobody may do anything; one of a state that is not understood is among them. */
    public Set<String> suspended() {
        Set<String> found = new TreeSet<>();
        eachRow("tenants", (tenant, row) -> {
            if (!tenant.equals(ApplicationName.DEFAULT_TENANT) && !isActive(row)) {
                found.add(tenant);
            }
        });
        return Set.copyOf(found);
    }

    /** @param hash of its token: its id */
    public Optional<SessionRow> session(String hash) {
        JsonNode session = row("sessions/" + hash.charAt(0), hash);
        String user = session == null ? "" : session.path("user").asText();
        JsonNode its = user.isEmpty() ? null : row("users", user);
        if (its == null || session.path("expiresMs").asLong() <= 0) {
            return Optional.empty();
        }
        String tenant = session.path("tenant").asText(ApplicationName.DEFAULT_TENANT);
        JsonNode member = isActive(tenant) ? row("memberships/" + user, tenant) : null;
        return Optional.of(new SessionRow(user, tenant, member == null ? "" : member.path("role").asText(), its.path("operator").asBoolean(),
                its.path("disabled").asBoolean(), session.path("expiresMs").asLong()));
    }

    /** Null: there is none that is understood. */
    private JsonNode row(String partition, String key) {
        return row(partition, get(partition, key));
    }

    private static JsonNode row(String partition, Payload found) {
        try {
            JsonNode row = found == null ? null : JSON.readTree(found.bytes());
            return row == null || row.path("schema").asInt() != SCHEMA ? null : row;
        } catch (IOException e) {
            throw new StoreException(StoreException.Kind.BROKEN, "a row of " + partition + " cannot be read", 0, e);
        }
    }

    /** By tenant: of those that have any. */
    public Map<String, QuotaRow> quotas() {
        Map<String, QuotaRow> found = new HashMap<>();
        eachRow("quotas", (tenant, row) -> {
            QuotaRow its = row == null ? QuotaRow.NONE : new QuotaRow(count(row, "applications"), count(row, "requestsPerSecond"),
                    count(row, "instances"), bytes(row, "memoryBytes"), bytes(row, "storedBytes"));
            if (!its.equals(QuotaRow.NONE)) {
                found.put(tenant, its);
            }
        });
        return found;
    }

    /** @param seen gets null for a row that is not understood */
    private void eachRow(String partition, BiConsumer<String, JsonNode> seen) {
        String after = null;
        TableStore.Page page;
        do {
            page = tables.scan(APPLICATION, partition, "", after, TableStore.MOST_SCANNED);
            for (TableStore.Item item : page.items()) {
                seen.accept(item.key(), row(partition, item.value()));
                after = item.key();
            }
        } while (page.more());
    }

    private static Integer count(JsonNode row, String limit) {
        JsonNode value = row.get(limit);
        return value == null || !value.canConvertToInt() ? null : value.intValue();
    }

    private static Long bytes(JsonNode row, String limit) {
        JsonNode value = row.get(limit);
        return value == null || !value.canConvertToLong() ? null : value.longValue();
    }

    public void used(String id, long atMs) {
        byte[] row = ("{\"schema\":" + SCHEMA + ",\"usedMs\":" + atMs + "}").getBytes(StandardCharsets.ISO_8859_1);
        tables.transact(APPLICATION, "key-use", List.of(new TableOperation(What.PUT, id, Payload.json(row), null, null)));
    }

    private Payload get(String partition, String key) {
        return tables.transact(APPLICATION, partition, List.of(new TableOperation(What.GET, key, null, null, null))).getFirst().value();
    }
}
