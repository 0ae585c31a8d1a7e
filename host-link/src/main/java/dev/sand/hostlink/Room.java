package dev.sand.hostlink;

import java.util.ArrayDeque;

/** How much memory values that are being received may take, over all connections of a loop; who finds none waits in line. */
final class Room {
    private record Waiting(long bytes, Runnable then) {}

    private final long most;
    private final ArrayDeque<Waiting> line = new ArrayDeque<>();
    private long taken;

    Room(long most) {
        this.most = most;
    }

    /** Runs {@code then} once the bytes are there, maybe at once; a value larger than all the room gets the room for itself. */
    void take(long bytes, Runnable then) {
        line.add(new Waiting(bytes, then));
        serve();
    }

    void giveBack(long bytes) {
        taken -= bytes;
        serve();
    }

    private void serve() {
        while (!line.isEmpty() && (taken == 0 || taken + line.peek().bytes <= most)) {
            Waiting next = line.poll();
            taken += next.bytes;
            next.then.run();
        }
    }
}
