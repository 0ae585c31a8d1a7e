package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessSpec;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
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
    /** By process, how many wait to be told whether they may: it comes here, or is on its way elsewhere. */
    private final Map<String, Integer> asking = new HashMap<>();

    Arrivals(Processes processes) {
        this.processes = processes;
    }

    private static String of(RunningExecution execution) {
        return execution.request().application() + '/' + execution.request().processId();
    }

    /**
     * @param spec of the process, if it is yet to be made
     * @param then told why it cannot be taken here, or null: it may be accepted; not told when the execution has ended
     */
    void locate(RunningExecution execution, ProcessSpec spec, Consumer<Failure> then) {
        ProcessHome known = processes.table().here(execution.request().application(), execution.request().processId());
        if (!isComing(execution) && full(execution, known, spec) instanceof Failure full) {
            then.accept(full);
            return;
        }
        asking.merge(of(execution), 1, Integer::sum);
        ask(execution, spec, then);
    }

    private void ask(RunningExecution execution, ProcessSpec spec, Consumer<Failure> then) {
        String application = execution.request().application();
        String id = execution.request().processId();
        processes.table().findToEnter(application, id, execution.request().version(), (home, failure) -> {
            if (failure == null && home != null && home.migration().isUnderWay() && !isComing(execution) && !execution.isEnded()) {
                home.migration().hold(() -> ask(execution, spec, then));
                return;
            }
            asking.computeIfPresent(of(execution), (process, count) -> count > 1 ? count - 1 : null);
            if (execution.isEnded()) {
                return;
            }
            Failure refusal = failure != null ? failure : processes.elsewhere(execution, home);
            if (refusal == null) {
                refusal = full(execution, home, spec);
            }
            if (refusal == null) {
                comes(execution);
            }
            then.accept(refusal);
        });
    }

    /** Why no more can come; what messages make has had its room since these were taken. */
    private Failure full(RunningExecution execution, ProcessHome home, ProcessSpec made) {
        if (execution.backups().isOfMessages()) {
            return null;
        }
        ProcessSpec spec = home != null ? home.spec() : made;
        long others = count(of(execution)) - (isComing(execution) ? 1 : 0) + asking.getOrDefault(of(execution), 0)
                + (home != null ? home.occupants().count() : 0);
        return others < (long) spec.concurrency() + spec.queueDepth() ? null : new Failure(Errors.OVERLOADED, "process "
                + execution.request().processId() + " of application " + execution.request().application() + " has a limit of "
                + spec.queueDepth() + " waiting invocations, and this one would be one more; try again later", Failure.Source.PLATFORM,
                true, null, Map.of("limit", spec.queueDepth(), "actual", spec.queueDepth() + 1));
    }

    private int count(String of) {
        return coming.isEmpty() ? 0 : coming.getOrDefault(of, Set.of()).size();
    }

    int count(ProcessHome home) {
        return count(home.application() + '/' + home.id());
    }

    private boolean isComing(RunningExecution execution) {
        return !coming.isEmpty() && coming.getOrDefault(of(execution), Set.of()).contains(execution);
    }

    /** It was accepted before, or is made by the process itself, which goes nowhere before it has ended. */
    void comes(RunningExecution execution) {
        coming.computeIfAbsent(of(execution), added -> new LinkedHashSet<>(1)).add(execution);
    }

    /** It is in, or has ended. */
    void arrived(RunningExecution execution) {
        Set<RunningExecution> of = coming.isEmpty() ? null : coming.get(of(execution));
        if (of != null && of.remove(execution) && of.isEmpty()) {
            coming.remove(of(execution));
        }
    }

    /** Those that messages of the process made, which goes: so do they, and none of them is another one's of its id. */
    List<RunningExecution> ofMessages(ProcessHome home) {
        return coming.getOrDefault(home.application() + '/' + home.id(), Set.of()).stream()
                .filter(execution -> execution.backups().isOfMessages()).toList();
    }

    List<RunningExecution> of(ProcessHome home) {
        return List.copyOf(coming.getOrDefault(home.application() + '/' + home.id(), Set.of()));
    }

    boolean has(ProcessHome home) {
        return !coming.isEmpty() && coming.containsKey(home.application() + '/' + home.id());
    }
}
