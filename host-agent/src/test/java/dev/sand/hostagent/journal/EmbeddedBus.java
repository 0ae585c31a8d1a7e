package dev.sand.hostagent.journal;

import dev.sand.globalbus.GlobalBus;

/** As the bus of a platform of one host: nobody else reads it, and who gathers writes. */
final class EmbeddedBus extends BusOver {
    /** What a file system does meanwhile. */
    volatile Runnable meanwhile = () -> { };

    EmbeddedBus(GlobalBus bus) {
        super(bus);
    }

    @Override
    public boolean isEmbedded() {
        return true;
    }

    @Override
    public Runnable gather() {
        return meanwhile;
    }
}
