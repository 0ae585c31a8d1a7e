package dev.sand.hostagent.segments;

/** What memory of the host there is for large values: asked before the pages of one are made, which nobody can take back. */
public interface MemoryRoom {
    /** Nobody looks. */
    MemoryRoom ENDLESS = new MemoryRoom() {
        @Override
        public boolean take(long bytes) {
            return true;
        }

        @Override
        public void made(long bytes) {}

        @Override
        public boolean leaves(String application) {
            return false;
        }
    };

    /** Blocks for some seconds where room is to be made first. @return false: there is none; else {@link #made} is told */
    boolean take(long bytes);

    /** They count among what is used now, or will never. */
    void made(long bytes);

    /** An application has all the values that it may have. Blocks for a moment while some leave with what is idle of it. @return false: none do */
    boolean leaves(String application);
}
