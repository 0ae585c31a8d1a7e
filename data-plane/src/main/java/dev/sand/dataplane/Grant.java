package dev.sand.dataplane;

import java.util.Set;

/**
 * That whoever holds it may use a cloud process directly (PraaS 4.1): for a short while, on the host that owned it then.
 *
 * @param epoch under which the host owned the process's slot
 * @param rights what may be done; {@link #INVOKE} is all that there is so far
 * @param functions that may be invoked; empty: all
 * @param issuedMs and {@code expiresMs}: by the time that all programs of the platform agree on
 */
public record Grant(String application, String process, String host, long epoch, Set<String> rights, Set<String> functions,
                    long issuedMs, long expiresMs) {
    public static final String INVOKE = "invoke";

    public Grant {
        rights = Set.copyOf(rights);
        functions = Set.copyOf(functions);
    }

    public boolean allows(String function) {
        return rights.contains(INVOKE) && (functions.isEmpty() || functions.contains(function));
    }
}
