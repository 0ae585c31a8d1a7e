package dev.sand.hostagent.slots;

import dev.sand.globalbus.GlobalBus;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The bus's topics, asked for at most a few times a second however many want to know. Blocks now and then. */
public final class TopicList {
    private static final long FRESH_NS = 400_000_000L;

    private record Listed(List<String> names, long atNs) {}

    private final GlobalBus bus;
    private final AtomicReference<Listed> last = new AtomicReference<>();

    public TopicList(GlobalBus bus) {
        this.bus = bus;
    }

    public List<String> names() {
        Listed listed = last.get();
        long now = System.nanoTime();
        if (listed == null || now - listed.atNs() > FRESH_NS) {
            listed = new Listed(bus.topics(), now);
            last.set(listed);
        }
        return listed.names();
    }
}
