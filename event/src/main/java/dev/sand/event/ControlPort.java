package dev.sand.event;

import java.util.Optional;
import java.util.Set;

/**
 * The platform's own operations by name, as they answer over HTTP: for grains that the operator has given a capability. A host agent
 * asks, a frontend answers; who wires both knows them.
 */
public interface ControlPort {
    /** @param scope that whoever asks for it needs */
    record Operation(String id, String scope) {
        /** Whoever asked: the grain alone decides. */
        public static final String ANYBODYS = "none";
    }

    /** In whose name something is done: that of the request which the grain handles. @param client its address, or null */
    record Asker(String caller, String tenant, Set<String> scopes, String client) {
        public Asker {
            scopes = Set.copyOf(scopes);
        }
    }

    /**
     * @param grain with its application, which does it
     * @param execution that the grain is in: run again, it makes the same calls, and a change is made once
     * @param arguments JSON, see {@code sand.thrift}
     */
    record Call(String operation, Asker asker, String grain, String execution, byte[] arguments) {}

    /** @param body JSON; empty: none */
    record Reply(int status, byte[] body) {}

    /** Empty: there is none that can be called so. Does not block. */
    Optional<Operation> operation(String id);

    /** Blocks. A problem is a reply. @throws IllegalArgumentException when the arguments are none */
    Reply call(Call call);

    /** A grain with a capability asked for what it may not: noted in the audit log. Blocks. @param asker null: nobody is known */
    void denied(String operation, Asker asker, String grain, String why);
}
