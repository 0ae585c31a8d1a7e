package dev.sand.hostagent.sim;

import dev.sand.hostagent.core.Input;

/** Where the simulated world's inputs go: to the host agent that lives now, if it is still the one they are meant for. */
interface Driver {
    /** Delivered after a time; lost when the host agent crashes meanwhile. */
    void deliver(long delayNs, Input input);

    /** Delivered at that time, as above. */
    void deliverAt(long atNs, Input input);

    /** As above; a fault of the transport brings the same again, later. */
    void deliverPerhapsTwice(long atNs, Input input);
}
