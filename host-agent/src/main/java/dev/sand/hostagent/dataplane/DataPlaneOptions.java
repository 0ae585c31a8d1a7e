package dev.sand.hostagent.dataplane;

import java.time.Duration;

/**
 * Limits and times of a host's data plane.
 *
 * @param connections at once; half of them for one tenant, or for one application of the default one
 * @param strangers connections that have shown no grant yet
 * @param inFlight invocations of one connection
 * @param valueBytes the largest value
 * @param incomingBytes of all values that are on their way here; half of them as above
 * @param partBytes of a large output in one frame
 * @param hello longest time for showing a grant
 * @param idle a client that says nothing for so long is cut off
 * @param unread one that reads nothing of what waits for it for so long, too
 * @param timeout of an invocation that says none
 * @param chatter frames of one connection that bring nothing, at once
 * @param chatterPerSecond and as many again each second
 */
public record DataPlaneOptions(int connections, int strangers, int inFlight, long valueBytes, long incomingBytes, int partBytes,
                               Duration hello, Duration idle, Duration unread, Duration timeout, int chatter, int chatterPerSecond) {
    public static final DataPlaneOptions DEFAULT = new DataPlaneOptions(2_000, 128, 2_048, 256L << 20, 1L << 30, 1 << 20,
            Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(60), 2_000, 200);

    public DataPlaneOptions withTimes(Duration newHello, Duration newIdle, Duration newUnread) {
        return new DataPlaneOptions(connections, strangers, inFlight, valueBytes, incomingBytes, partBytes, newHello, newIdle, newUnread,
                timeout, chatter, chatterPerSecond);
    }

    public DataPlaneOptions withChatter(int newChatter, int newPerSecond) {
        return new DataPlaneOptions(connections, strangers, inFlight, valueBytes, incomingBytes, partBytes, hello, idle, unread, timeout,
                newChatter, newPerSecond);
    }
}
