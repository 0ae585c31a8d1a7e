package dev.sand.event;

/**
 * What has passed over the data plane to and from one cloud process, on the host that owns it and since that host began to.
 *
 * @param connections open ones
 * @param invocations answered, and {@code failures} of them
 * @param ms from an invocation's arrival to its end, summed up; {@code mbMs}: times the process's memory in MiB
 * @param bytesIn and {@code bytesOut}: of values
 * @param quietMs since somebody last connected or invoked something; null: nobody has
 */
public record DataPlaneUse(long connections, long invocations, long failures, long ms, long mbMs, long bytesIn, long bytesOut,
                           Long quietMs) {}
