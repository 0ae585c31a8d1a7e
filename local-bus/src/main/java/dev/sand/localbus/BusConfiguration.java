package dev.sand.localbus;

import dev.sand.event.Limits;

/**
 * @param frameBytes longest frame that is read or written
 * @param connections of one sandbox at once; more are closed as they come
 * @param outstandingCalls of one connection; when there are so many, no more are read before some are answered
 */
public record BusConfiguration(int frameBytes, int connections, int outstandingCalls) {
    public static final BusConfiguration DEFAULT = new BusConfiguration(Limits.FRAME_BYTES, 4096, 64);
}
