package dev.sand.hostlink;

import dev.sand.event.thrift.network.Credit;
import dev.sand.event.thrift.network.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The large values that one connection receives, each straight into its one array (or file). Credit is given as there is
 * room and as chunks are taken, so that a sender never fills memory. Event loop only.
 */
final class IncomingValues {
    /** Where a value goes. */
    interface Sink {
        /** The chunk is the connection's: who needs it longer copies it. @param taken on the loop, when more may come */
        void take(ByteBuffer chunk, Runnable taken);

        void onWhole();

        void onGone(String why);
    }

    /** Arrays from this size on are made off the loop: clearing them takes a while. */
    private static final int BLOCKING_BYTES = 4 << 20;

    private final long windowBytes;
    private final Room room;
    private final Executor loop;
    private final Executor blocking;
    private final Consumer<Message> send;
    private final Map<Long, Receiving> byCall = new HashMap<>();

    private final class Receiving {
        final long call;
        final long size;
        final long held;
        final Sink sink;
        long received;
        long taken;
        long granted;
        boolean hasRoom;
        boolean gone;

        Receiving(long call, long size, long held, Sink sink) {
            this.call = call;
            this.size = size;
            this.held = held;
            this.sink = sink;
        }

        void grant() {
            long more = Math.min(size, taken + windowBytes) - granted;
            if (!gone && more > 0 && (more >= windowBytes / 2 || granted + more == size)) {
                granted += more;
                send.accept(Message.credit(new Credit(call, more)));
            }
        }

        void end() {
            gone = true;
            if (hasRoom) {
                hasRoom = false;
                room.giveBack(held);
            }
        }
    }

    IncomingValues(long windowBytes, Room room, Executor loop, Executor blocking, Consumer<Message> send) {
        this.windowBytes = windowBytes;
        this.room = room;
        this.loop = loop;
        this.blocking = blocking;
        this.send = send;
    }

    /** Receives into an array. */
    void receive(long call, int size, Consumer<byte[]> onWhole, Consumer<String> onGone) {
        byte[][] array = new byte[1][];
        int[] position = new int[1];
        Receiving receiving = new Receiving(call, size, size, new Sink() {
            @Override
            public void take(ByteBuffer chunk, Runnable taken) {
                int length = chunk.remaining();
                chunk.get(array[0], position[0], length);
                position[0] += length;
                taken.run();
            }

            @Override
            public void onWhole() {
                onWhole.accept(array[0]);
            }

            @Override
            public void onGone(String why) {
                onGone.accept(why);
            }
        });
        begin(receiving, () -> array[0] = new byte[size], size >= BLOCKING_BYTES);
    }

    /** Receives into a sink that needs no memory of its own. */
    void receive(long call, long size, Sink sink) {
        begin(new Receiving(call, size, Math.min(size, windowBytes), sink), () -> { }, false);
    }

    private void begin(Receiving receiving, Runnable prepare, boolean slow) {
        byCall.put(receiving.call, receiving);
        room.take(receiving.held, () -> {
            receiving.hasRoom = true;
            if (receiving.gone) {
                receiving.end();
            } else if (slow) {
                blocking.execute(() -> prepare(receiving, prepare));
            } else if (isThere(prepare)) {
                receiving.grant();
            } else {
                failWithoutMemory(receiving);
            }
        });
    }

    private void prepare(Receiving receiving, Runnable prepare) {
        boolean isThere = isThere(prepare);
        loop.execute(isThere ? receiving::grant : () -> failWithoutMemory(receiving));
    }

    /** Only one value does not fit: its array is asked for as a whole, and was not given. */
    private static boolean isThere(Runnable prepare) {
        try {
            prepare.run();
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    private void failWithoutMemory(Receiving receiving) {
        fail(receiving, "there is no memory for a value of " + receiving.size + " bytes");
    }

    private void fail(Receiving receiving, String why) {
        if (byCall.remove(receiving.call, receiving)) {
            receiving.end();
            receiving.sink.onGone(why);
        }
    }

    /** @param bytes looked at before this returns @throws LinkException when the peer sends what it has no credit for */
    void onChunk(long call, ByteBuffer bytes) {
        Receiving receiving = byCall.get(call);
        if (receiving == null) {
            return; // Nobody waits for it any more.
        }
        int length = bytes.remaining();
        if (length == 0 || receiving.received + length > receiving.granted) {
            throw new LinkException("a chunk of " + length + " bytes without credit");
        }
        receiving.received += length;
        receiving.sink.take(bytes, () -> {
            receiving.taken += length;
            if (receiving.taken < receiving.size) {
                receiving.grant();
            } else if (byCall.remove(receiving.call, receiving)) {
                receiving.end();
                receiving.sink.onWhole();
            }
        });
    }

    void forget(long call) {
        Receiving receiving = byCall.get(call);
        if (receiving != null) {
            fail(receiving, "nobody waits for it any more");
        }
    }

    void close(String why) {
        for (Receiving receiving : Map.copyOf(byCall).values()) {
            fail(receiving, why);
        }
    }
}
