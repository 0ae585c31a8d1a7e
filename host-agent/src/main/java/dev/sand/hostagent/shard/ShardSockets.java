package dev.sand.hostagent.shard;

import dev.sand.hostagent.log.LogCollector;
import dev.sand.hostagent.log.LogEndpoint;
import dev.sand.hostagent.sandbox.SandboxEndpoint;
import dev.sand.hostagent.sandbox.SandboxSockets;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.localbus.BusEndpoint;
import dev.sand.localbus.LocalBus;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Opens a sandbox's sockets before there is anybody to connect: commands and events, logs, and large values. */
final class ShardSockets implements SandboxSockets {
    private static final int TOKEN_BYTES = 16;

    private final LocalBus bus;
    private final LogCollector logs;
    private final SegmentServer segments;
    private final SecureRandom random = new SecureRandom();

    /** @param bus listens for all sandboxes, until each is claimed by its application's shard */
    ShardSockets(LocalBus bus, LogCollector logs, SegmentServer segments) {
        this.bus = bus;
        this.logs = logs;
        this.segments = segments;
    }

    @Override
    public SandboxEndpoint open(String place, Path directory) throws IOException {
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        SandboxSocketSet sockets = new SandboxSocketSet(place, directory, HexFormat.of().formatHex(token));
        LogEndpoint logEndpoint = logs.open(directory.resolve("log.sock"));
        SegmentServer.Endpoint segmentEndpoint = null;
        try {
            segmentEndpoint = segments.open(directory);
            BusEndpoint busEndpoint = bus.listen(directory.resolve("bus.sock"), sockets);
            sockets.opened(busEndpoint, logEndpoint, segmentEndpoint);
        } catch (IOException e) {
            logEndpoint.close();
            if (segmentEndpoint != null) {
                segmentEndpoint.close();
            }
            throw e;
        }
        return sockets;
    }
}
