package dev.sand.hostagent.log;

import java.util.LinkedHashMap;
import java.util.Map;

/** Which grain a process belongs to, by the id in its header; the oldest are forgotten. Collector's thread only. */
final class LogProcesses {
    private static final int REMEMBERED = 20_000;

    /** @param worker it is a worker and no instance */
    record Process(String grain, boolean worker) {}

    private final Map<String, Process> byId = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Process> eldest) {
            return size() > REMEMBERED;
        }
    };

    void add(String id, Process process) {
        byId.put(id, process);
    }

    /** @return null for a supervisor */
    Process find(String id) {
        return byId.get(id);
    }
}
