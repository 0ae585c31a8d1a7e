package dev.sand.hostagent.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Processes of which a journal told, and that could not be brought here: a value of theirs is gone for good, or their image is damaged.
 * What the journal told is kept, for their image alone is not all of them: whoever asks for one is told why it cannot be had, after
 * another try, and who kills it needs no values.
 */
final class Unreadable {
    private static final class Told {
        final Input.RecoverProcess what;
        final List<Runnable> whenRead = new ArrayList<>(1);

        Told(Input.RecoverProcess what) {
            this.what = what;
        }
    }

    private final Map<String, Told> byName = new LinkedHashMap<>(0);

    private static String name(String application, String process) {
        return application + '/' + process;
    }

    void add(Input.RecoverProcess what) {
        if (!what.changes().isEmpty()) {
            byName.computeIfAbsent(name(what.application(), what.process()), added -> new Told(what));
        }
    }

    boolean has(String application, String process) {
        return !byName.isEmpty() && byName.containsKey(name(application, process));
    }

    /** What the journal of that slot told of a process, if it could not be brought then; else that it has told nothing of it. */
    Input.RecoverProcess told(String application, String process, int slot) {
        Told told = byName.isEmpty() ? null : byName.get(name(application, process));
        return told != null && told.what.slot() == slot ? told.what
                : new Input.RecoverProcess(application, process, 0, List.of(), List.of(), Map.of(), slot);
    }

    /** Does the step once it could be brought, or is another host's: at once when it is none of these. */
    void whenRead(Input.RecoverProcess what, Runnable step) {
        Told told = byName.get(name(what.application(), what.process()));
        if (told != null && told.what == what) {
            told.whenRead.add(step);
        } else {
            step.run();
        }
    }

    /** It could be brought. */
    void read(Input.RecoverProcess what) {
        forget(told -> told.what == what);
    }

    /** Its next owner reads the journal. */
    void lost(int slot) {
        forget(told -> told.what.slot() == slot);
    }

    /** With all that the journal has of it. */
    void deleted(String application) {
        forget(told -> told.what.application().equals(application));
    }

    private void forget(Predicate<Told> which) {
        List<Told> forgotten = byName.values().stream().filter(which).toList();
        byName.values().removeAll(forgotten);
        forgotten.forEach(told -> told.whenRead.forEach(Runnable::run));
    }
}
