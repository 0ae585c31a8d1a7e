package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Requests on their way into processes here, from before they are accepted until they are in: nobody is promised anything by a host where
 * the process is not, and it goes nowhere before they are in. Who comes while it is on its way elsewhere waits, and is sent there.
 */
final class Arrivals {
    private final Processes processes;
    /** By process, those that may be accepted and have not entered. */
    private final Map<String, Set<RunningExecution>> coming = new HashMap<>();

    Arrivals(Processes processes) {
        this.processes = processes;
    }

    private static String of(RunningExecution execution) {
        return execution.request().application() + '/' + execution.request().processId();
    }

    /** @param then told why it cannot be taken here, or null: it may be accepted; not told when the execution has ended */
    void locate(RunningExecution execution, Consumer<Failure> then) {
        String application = execution.request().application();
        String id = execution.request().processId();
        processes.table().findHere(application, id, execution.request().version(), true, (home, failure) -> {
            if (execution.isEnded()) {
                return;
            }
            if (failure == null && home != null && home.migration().isUnderWay() && !isComing(execution)) {
                home.migration().hold(() -> locate(execution, then));
                return;
            }
            Failure refusal = failure != null ? failure : processes.elsewhere(execution, home);
            if (refusal == null) {
                comes(execution);
            }
            then.accept(refusal);
        });
    }

    private boolean isComing(RunningExecution execution) {
        return !coming.isEmpty() && coming.getOrDefault(of(execution), Set.of()).contains(execution);
    }

    /** It was accepted before, or is made by the process itself, which goes nowhere before it has ended. */
    void comes(RunningExecution execution) {
        coming.computeIfAbsent(of(execution), added -> new HashSet<>(1)).add(execution);
    }

    /** It is in, or has ended. */
    void arrived(RunningExecution execution) {
        Set<RunningExecution> of = coming.isEmpty() ? null : coming.get(of(execution));
        if (of != null && of.remove(execution) && of.isEmpty()) {
            coming.remove(of(execution));
        }
    }

    boolean has(ProcessHome home) {
        return !coming.isEmpty() && coming.containsKey(home.application() + '/' + home.id());
    }
}
