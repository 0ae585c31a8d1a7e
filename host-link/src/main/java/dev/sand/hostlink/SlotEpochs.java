package dev.sand.hostlink;

/** Under which epoch a host owns a slot now: what its answers carry. Any thread. */
public interface SlotEpochs {
    int slots();

    /** 0: the slot is not this host's. */
    long epoch(int slot);

    /** A host that shares nothing. */
    static SlotEpochs alone(int slots) {
        return new SlotEpochs() {
            @Override
            public int slots() {
                return slots;
            }

            @Override
            public long epoch(int slot) {
                return 1;
            }
        };
    }
}
