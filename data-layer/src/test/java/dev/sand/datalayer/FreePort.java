package dev.sand.datalayer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of 127.0.0.1 for a program that listens on it seconds later, and again after a kill: below those that Linux gives to
 * connections on its own (32768 and up), which may be the end of anyone's connection by then.
 */
final class FreePort {
    private static final int FROM = 15000;
    private static final int BELOW = 32768;

    private FreePort() {
    }

    static int next() {
        for (int tries = 0; tries < 100; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FROM, BELOW);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // someone listens there: the next
            }
        }
        throw new IllegalStateException("no free port found between " + FROM + " and " + BELOW);
    }
}
