package dev.sand.datalayer;

/**
 * What was used, of one kind: sums.
 *
 * @param invocations that ended, {@code failed} ones of them with a failure
 * @param us microseconds that they took; {@code mbUs}: each times the memory, in MiB, of where it ran
 * @param bytesIn and {@code bytesOut}: of values
 */
public record Use(long invocations, long failed, long us, long mbUs, long bytesIn, long bytesOut) {
    public static final Use NONE = new Use(0, 0, 0, 0, 0, 0);

    public Use plus(Use more) {
        return new Use(invocations + more.invocations, failed + more.failed, us + more.us, mbUs + more.mbUs, bytesIn + more.bytesIn,
                bytesOut + more.bytesOut);
    }
}
