package dev.sand.standalone;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this machine calls itself. */
final class Machine {
    private Machine() {}

    static String name() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "127.0.0.1";
        }
    }
}
