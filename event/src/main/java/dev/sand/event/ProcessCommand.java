package dev.sand.event;

/**
 * What somebody wants done with a cloud process (PraaS, Listing 2).
 *
 * @param version of the application, resolved: whose {@code processes:} a new process has
 * @param concurrency and {@code memoryBytes}: of a new process, in place of what its version says; 0: as that says
 * @param dedicated the sandbox of a new process's own; null: as its version says
 * @param slot where it is to live from now on, of MIGRATE
 * @param look what is asked for, of INSPECT; else null
 */
public record ProcessCommand(String application, int version, String process, Kind kind, int concurrency, long memoryBytes,
                             DedicatedSpec dedicated, int slot, ProcessLook look) {
    public ProcessCommand(String application, int version, String process, Kind kind, int concurrency, long memoryBytes,
                          DedicatedSpec dedicated) {
        this(application, version, process, kind, concurrency, memoryBytes, dedicated, 0, null);
    }

    public ProcessCommand(String application, int version, String process, Kind kind) {
        this(application, version, process, kind, 0, 0, null);
    }

    public static ProcessCommand migrate(String application, int version, String process, int slot) {
        return new ProcessCommand(application, version, process, Kind.MIGRATE, 0, 0, null, slot, null);
    }

    /** A host agent that does not know it refuses it: upgrade hosts before frontends. */
    public static ProcessCommand inspect(String application, int version, String process, ProcessLook look) {
        return new ProcessCommand(application, version, process, Kind.INSPECT, 0, 0, null, 0, look);
    }

    public ProcessCommand as(Kind other) {
        return new ProcessCommand(application, version, process, other, concurrency, memoryBytes, dedicated, slot, look);
    }

    /**
     * CONNECT: a description that says where the process can be reached; it is made when it is not there. LOCATE: the same, and nothing is
     * made: one that is not there has the place where its first invocation makes it. INSPECT: a description with what is in it, wherever
     * that is: it is not brought into memory for that.
     */
    public enum Kind {
        CREATE, DESCRIBE, KILL, SWAP_OUT, SWAP_IN, CHECKPOINT, CONNECT, MIGRATE, INSPECT, LOCATE;

        /** It is to be told where the process can be reached. */
        public boolean asksWhere() {
            return this == CONNECT || this == LOCATE;
        }
    }
}
