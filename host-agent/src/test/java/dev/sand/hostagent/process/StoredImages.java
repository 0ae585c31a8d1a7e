package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What the global data layer does with images, for tests: values of the last one are taken over, and cold ones stay in it. */
public final class StoredImages {
    private StoredImages() {}

    /** @throws IllegalStateException a value is to be taken over that the last image does not have so: it would be lost */
    public static void put(Map<String, ProcessImage> images, String process, ProcessImage image) {
        Map<String, Payload> state = new LinkedHashMap<>();
        image.state().forEach((key, value) -> {
            ProcessImage last = images.get(process);
            Payload whole = !InImage.is(value) ? value : last == null ? null : last.state().get(key);
            if (whole == null || whole.size() != value.size()) {
                throw new IllegalStateException("process " + process + " lets go of " + key + ", which its last image does not have");
            }
            state.put(key, whole);
        });
        images.put(process, new ProcessImage(image.number(), image.about(), state, image.cold(), image.messages(), image.taken()));
    }

    /** Null: there is none. */
    public static ProcessImage restored(Map<String, ProcessImage> images, String process) {
        ProcessImage image = images.get(process);
        if (image == null) {
            return null;
        }
        Map<String, Payload> state = new LinkedHashMap<>();
        image.state().forEach((key, value) -> state.put(key, image.cold().contains(key) ? InImage.of(value) : value));
        return new ProcessImage(image.number(), image.about(), state, Set.of(), image.messages(), image.taken());
    }

    /** Null: it has none. */
    public static Payload value(Map<String, ProcessImage> images, String process, String key) {
        return images.containsKey(process) ? images.get(process).state().get(key) : null;
    }
}
