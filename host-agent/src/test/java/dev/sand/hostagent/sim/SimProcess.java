package dev.sand.hostagent.sim;

import dev.sand.event.GrainSpec;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The processes of the simulated host. What one writes to its socket arrives in order. */
abstract sealed class SimProcess {
    final String id;
    boolean alive = true;
    /** When the last thing that it wrote arrives. */
    long lastArrivalNs;

    SimProcess(String id) {
        this.id = id;
    }

    long arrival(long nowNs, long hopNs) {
        lastArrivalNs = Math.max(lastArrivalNs, nowNs + hopNs);
        return lastArrivalNs;
    }

    static final class Sandbox extends SimProcess {
        final AppKey app;
        final int pids;
        final Map<String, Worker> workers = new LinkedHashMap<>();
        boolean started;
        boolean stopping;

        Sandbox(String id, AppKey app, int pids) {
            super(id);
            this.app = app;
            this.pids = pids;
        }

        int processes() {
            int count = 1;
            for (Worker worker : workers.values()) {
                count += worker.alive ? 1 : 0;
                for (Instance instance : worker.instances) {
                    count += instance.alive ? 1 : 0;
                }
            }
            return count;
        }
    }

    static final class Worker extends SimProcess {
        final Sandbox sandbox;
        final GrainSpec grain;
        final List<Instance> instances = new ArrayList<>();
        long forksUntilNs;
        /** How often the secrets had changed that it was last told. */
        int secrets;

        Worker(String id, Sandbox sandbox, GrainSpec grain) {
            super(id);
            this.sandbox = sandbox;
            this.grain = grain;
        }
    }

    static final class Instance extends SimProcess {
        final Worker worker;
        final int pid;
        /** Those of its worker when it was asked for. */
        final int secrets;
        boolean waits;
        /** It died with its event in the socket. */
        boolean unread;
        /** The attempt that it runs, and until when it may. */
        String eventId;
        int attempt;
        long mustEndNs;

        Instance(String id, Worker worker, int pid, int secrets) {
            super(id);
            this.secrets = secrets;
            this.worker = worker;
            this.pid = pid;
        }
    }
}
