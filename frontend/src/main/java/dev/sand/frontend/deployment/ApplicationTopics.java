package dev.sand.frontend.deployment;

import dev.sand.event.LogFields;
import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application's topics on the global bus: there before any version can be called, gone with the application. Blocks. */
public final class ApplicationTopics {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationTopics.class);
    private final GlobalBus bus;
    private final int slots;

    public ApplicationTopics(GlobalBus bus, int slots) {
        this.bus = bus;
        this.slots = slots;
    }

    /** Makes those that are missing. @throws dev.sand.globalbus.BusException when the bus cannot */
    void make(String application, Collection<String> grains) {
        Topics.of(application, grains).forEach(topic -> bus.createTopic(topic, slots));
    }

    void delete(String application) {
        for (String topic : bus.topics()) {
            if (Topics.isOf(application, topic)) {
                bus.deleteTopic(topic);
                LOG.atInfo().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.TOPIC, topic)
                        .log("topic {} is deleted", topic);
            }
        }
    }
}
