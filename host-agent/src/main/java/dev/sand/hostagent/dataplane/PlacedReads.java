package dev.sand.hostagent.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.Supplier;

/** Where a connection's next bytes are read to: their place, when it is known already, so that they are not copied there. */
final class PlacedReads implements RecvByteBufAllocator {
    /** Of what has no place yet, at once: a value that is not large, and of a large one little, for it is copied to its place. */
    private static final int MOST_READ_BYTES = 64 << 10;
    /** Of what is read at once, so much less with each smaller read: a large one among small ones is not read in pieces. */
    private static final int FORGETS = 16;

    /** One read, and it is the next connection's turn: all share one thread. */
    private final RecvByteBufAllocator others = new AdaptiveRecvByteBufAllocator(512, 4 << 10, MOST_READ_BYTES).maxMessagesPerRead(1);
    private Supplier<ByteBuf> places = () -> null;
    private int expected;

    /** @param places gives an empty buffer for the next bytes alone, or null; asked before each read, on the event loop */
    void ask(Supplier<ByteBuf> places) {
        this.places = places;
    }

    @Override
    public Handle newHandle() {
        return new PlacedHandle(others.newHandle());
    }

    private final class PlacedHandle extends DelegatingHandle implements ExtendedHandle {
        PlacedHandle(Handle other) {
            super(other);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf place = places.get();
            return place != null ? place : allocator.ioBuffer(guess());
        }

        @Override
        public int guess() {
            return Math.max(super.guess(), expected);
        }

        @Override
        public void lastBytesRead(int bytes) {
            expected = Math.max(Math.min(bytes, MOST_READ_BYTES), expected - expected / FORGETS);
            super.lastBytesRead(bytes);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return ((ExtendedHandle) delegate()).continueReading(mayBeMore);
        }
    }
}
