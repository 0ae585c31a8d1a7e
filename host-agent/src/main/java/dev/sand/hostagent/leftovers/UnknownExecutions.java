package dev.sand.hostagent.leftovers;

import dev.sand.datalayer.ImageLeftovers;
import dev.sand.datalayer.Registry;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Slots;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.process.ProcessChange;
import java.util.HashMap;
import java.util.Map;

/**
 * Large values of executions, and of changes of processes, that no journal knows: the input was copied, and the host died before the request was accepted;
 * nobody was promised anything. Names are application/execution.
 */
record UnknownExecutions(Registry registry, GlobalObjects objects, ImageLeftovers images, JournalAdapter journal, int slots)
        implements Leftovers {
    @Override
    public Map<String, Long> nobodys() {
        Map<String, Long> found = new HashMap<>();
        for (String application : registry.applications()) {
            for (String id : objects.executions(application)) {
                if (isUnknown(application, id)) {
                    found.put(application + "/" + id, 0L);
                }
            }
        }
        return found;
    }

    private int slotOf(String application, String id) {
        String process = ProcessChange.processOf(id);
        ProcessPlace moved = process == null ? null : images.place(application, process);
        return moved != null ? moved.slot() : Slots.of(process == null ? id : process, slots);
    }

    private boolean isUnknown(String application, String id) {
        return journal.knowsNothingOf(application, slotOf(application, id), id);
    }

    @Override
    public int slotOf(String name) {
        return slotOf(name.substring(0, name.indexOf('/')), name.substring(name.indexOf('/') + 1));
    }

    @Override
    public void delete(String name, long version) {
        String application = name.substring(0, name.indexOf('/'));
        String id = name.substring(name.indexOf('/') + 1);
        objects.deleteUnknown(application, id, () -> isUnknown(application, id));
    }
}
