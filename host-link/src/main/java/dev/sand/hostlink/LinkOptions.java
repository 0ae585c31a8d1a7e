package dev.sand.hostlink;

import java.time.Duration;

/**
 * Limits and times of connections between frontends and host agents.
 *
 * @param frameBytes longest frame; larger values are streamed
 * @param chunkBytes of a streamed value in one frame
 * @param windowBytes of one value on their way at once
 * @param valueBytes the largest value
 * @param incomingBytes of all values being received at once, in memory; others wait their turn
 * @param outgoingBytes of all outputs waiting to be read by one peer; beyond, calls end as overloaded
 * @param unsentBytes that a peer may leave unread before its connection is closed
 * @param calls under way on one connection
 * @param connections accepted at once
 * @param strangers connections that have not yet proven to know the key
 * @param handshake longest time for that
 * @param beat a peer hears something at least so often
 * @param silence after which a peer is taken for dead
 * @param reconnect first pause before the next attempt to connect; doubled up to twenty times as long
 */
public record LinkOptions(
        int frameBytes, int chunkBytes, long windowBytes, long valueBytes, long incomingBytes, long outgoingBytes,
        long unsentBytes, int calls, int connections, int strangers, Duration handshake, Duration beat, Duration silence,
        Duration reconnect) {
    public static final LinkOptions DEFAULT = new LinkOptions(1 << 20, 256 << 10, 2 << 20, 1L << 30, 2L << 30, 2L << 30,
            64L << 20, 20_000, 256, 64, Duration.ofSeconds(3), Duration.ofMillis(400), Duration.ofMillis(1_600),
            Duration.ofMillis(50));

    public LinkOptions withValues(int newChunkBytes, long newWindowBytes, long newValueBytes, long newIncomingBytes) {
        return new LinkOptions(frameBytes, newChunkBytes, newWindowBytes, newValueBytes, newIncomingBytes, outgoingBytes,
                unsentBytes, calls, connections, strangers, handshake, beat, silence, reconnect);
    }

    public LinkOptions withUnsentBytes(long bytes) {
        return new LinkOptions(frameBytes, chunkBytes, windowBytes, valueBytes, incomingBytes, outgoingBytes, bytes, calls,
                connections, strangers, handshake, beat, silence, reconnect);
    }

    public LinkOptions withSilence(Duration longest) {
        return new LinkOptions(frameBytes, chunkBytes, windowBytes, valueBytes, incomingBytes, outgoingBytes, unsentBytes, calls,
                connections, strangers, handshake, beat, longest, reconnect);
    }
}
