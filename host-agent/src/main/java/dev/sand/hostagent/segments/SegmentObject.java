package dev.sand.hostagent.segments;

/**
 * A large value in a memory file. It lives while its execution does, while keys of shared/ name it, or while the host agent
 * works on it; then it is released: still readable for a moment, by those who were just told of it, and then its file is free
 * for the application's next value. Guarded by the pool.
 */
final class SegmentObject {
    final String application;
    final String id;
    final long size;
    final MemoryFile file;
    /** Null: to none, keys alone hold it. */
    final String execution;
    boolean executionRuns;
    /** Nobody will open it any more. */
    boolean isRead;
    /** Nobody will once it is let go. */
    boolean isMessage;
    int keys;
    int uses;
    long releasedNs;

    SegmentObject(String application, String execution, String id, long size, MemoryFile file) {
        this.application = application;
        this.execution = execution;
        this.id = id;
        this.size = size;
        this.file = file;
    }

    boolean isHeld() {
        return executionRuns || keys > 0 || uses > 0;
    }
}
