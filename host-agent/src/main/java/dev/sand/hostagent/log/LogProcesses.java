package dev.sand.hostagent.log;

import java.util.LinkedHashMap;
import java.util.Map;

/** Which grain a process belongs to, by the id in its header; the oldest are forgotten. Collector's thread only. */
final class LogProcesses {
    private static final int REMEMBERED = 20_000;

    /** The attempt that a process runs, as the shard said when it handed the event over. */
    record Attempt(String executionId, String eventId, int number, String cloudProcess) {
        static final Attempt NONE = new Attempt(null, null, 0, null);
    }

    static final class Process {
        final String grain;
        /** It is a worker and no instance. */
        final boolean worker;
        Attempt attempt = Attempt.NONE;

        Process(String grain, boolean worker) {
            this.grain = grain;
            this.worker = worker;
        }
    }

    private final Map<String, Process> byId = remembering();
    /** Of executions in cloud processes: an instance's marker line does not tell. */
    private final Map<String, String> cloudProcesses = remembering();

    /** Executions whose cloud process was killed: what they still write is nobody's but theirs. */
    private final Map<String, Boolean> ofKilled = remembering();

    private static <T> Map<String, T> remembering() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > REMEMBERED;
            }
        };
    }

    void add(String id, Process process) {
        byId.put(id, process);
    }

    void begins(Attempt attempt) {
        if (attempt.cloudProcess() != null) {
            cloudProcesses.put(attempt.executionId(), attempt.cloudProcess());
        }
    }

    /** @return null: it runs in none */
    String cloudProcess(String executionId) {
        return cloudProcesses.get(executionId);
    }

    /** Whatever has begun in it so far writes in no cloud process from here on: its next namesake's log is not this one's. */
    void killed(String cloudProcess) {
        cloudProcesses.entrySet().removeIf(each -> {
            boolean itsOwn = each.getValue().equals(cloudProcess);
            if (itsOwn) {
                ofKilled.put(each.getKey(), true);
            }
            return itsOwn;
        });
    }

    /** In which cloud process the attempt writes now. @return null: in none, or it was killed */
    String cloudProcess(Attempt attempt) {
        return attempt.cloudProcess() == null || ofKilled.containsKey(attempt.executionId()) ? null : attempt.cloudProcess();
    }

    /** @return null for a supervisor */
    Process find(String id) {
        return byId.get(id);
    }
}
