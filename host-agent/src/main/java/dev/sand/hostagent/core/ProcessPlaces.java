package dev.sand.hostagent.core;

import dev.sand.event.ProcessPlace;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where processes live that were moved by hand, as far as this host has heard: all others are in the slot that their id falls into. What
 * is said here may be old, and is forgotten when there is too much of it: the image of a process says where it lives.
 */
final class ProcessPlaces {
    private static final int MOST = 10_000;

    private final CoreContext context;
    private final Map<String, ProcessPlace> places = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ProcessPlace> eldest) {
            return size() > MOST;
        }
    };

    ProcessPlaces(CoreContext context) {
        this.context = context;
    }

    ProcessPlace of(String application, String process) {
        ProcessPlace known = places.isEmpty() ? null : places.get(application + '/' + process);
        return known != null ? known : ProcessPlace.first(context.slots.of(process));
    }

    void heard(String application, String process, ProcessPlace place) {
        if (place.equals(ProcessPlace.first(context.slots.of(process)))) {
            places.remove(application + '/' + process);
        } else {
            places.put(application + '/' + process, place);
        }
    }

    /**
     * Where the process lives, of which that was read: one without an image is at home, if it is at all.
     *
     * @param image whether it has one; @param place of it, or of the one that was deleted; null: none was moved
     */
    ProcessPlace read(String application, String process, boolean image, ProcessPlace place) {
        int home = context.slots.of(process);
        ProcessPlace lives = place == null ? ProcessPlace.first(home) : image || place.slot() == home ? place
                : new ProcessPlace(home, place.moves() + 1);
        heard(application, process, lives);
        return lives;
    }
}
