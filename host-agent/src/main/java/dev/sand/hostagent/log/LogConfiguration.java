package dev.sand.hostagent.log;

import java.time.Duration;

/**
 * @param invocationBytes most that one attempt of an event may write; the rest is read and thrown away
 * @param lineBytes longest line; the rest of it is cut
 * @param connections of one sandbox at once; more wait unaccepted
 * @param pause between two rounds of reading: what comes meanwhile is read together
 */
public record LogConfiguration(int invocationBytes, int lineBytes, int connections, Duration pause) {
    public static final LogConfiguration DEFAULT = new LogConfiguration(256 * 1024, 16 * 1024, 8192, Duration.ofMillis(5));
}
